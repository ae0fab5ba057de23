// A server of a page with nothing on it, of dist/, and of what a test adds, under the policies that the test sets.
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const dist = path.dirname(fileURLToPath(import.meta.resolve('webformer')));
export const STRICT = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'";
const TYPES = { '.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm', '.html': 'text/html' };

/**
 * `answerOther(name, request, response)` answers what is not of the package, or gives false. `asked` has the names of all that was asked
 * for, `downloaded` those whose content was, since `set` was called: `csp`: the page's policy; `extra`: other headers of all answers;
 * `without`: files that are missing; `types`: other content types, by the ends of names.
 */
export function bareSite(answerOther) {
  const site = { origin: '', asked: [], downloaded: [], set, start, stop };
  let server, policy = STRICT, headers = {}, missing = new Set(), typeOf = TYPES;

  function set({ csp = STRICT, extra = {}, without = [], types = {} } = {}) {
    [policy, headers, missing, typeOf] = [csp, extra, new Set(without), { ...TYPES, ...types }];
    site.asked.length = site.downloaded.length = 0;
  }

  function answer(request, response) {
    const name = new URL(request.url, 'http://localhost').pathname.slice(1);
    site.asked.push(name);
    if (request.method === 'GET') site.downloaded.push(name);
    for (const [key, value] of Object.entries(headers)) response.setHeader(key, value);
    // A worker has the policy of its own script's answer.
    if (name === '' || name.startsWith('dist/')) response.setHeader('content-security-policy', policy);
    const reply = (status, type, body) =>
      response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) })
        .end(request.method === 'HEAD' ? undefined : body);
    if (name === '') return reply(200, 'text/html', '<!doctype html><title>test</title>');
    const built = path.join(dist, name.slice('dist/'.length));
    if (name.startsWith('dist/') && !missing.has(name) && existsSync(built))
      return reply(200, typeOf[path.extname(name)] ?? 'text/plain', readFileSync(built));
    return answerOther(name, request, response) || reply(404, 'text/plain', 'not found');
  }

  async function start() {
    server = createServer(answer);
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    site.origin = `http://127.0.0.1:${server.address().port}/`;
  }

  function stop() {
    server?.closeAllConnections();
    server?.close();
  }
  return site;
}

/** Answers for the files of `models`, a Map each, by models/NAME/FILE: the `answerOther` of a site. */
export const modelsOf = (models) => (name, request, response) => {
  const [folder, model, file] = name.split('/');
  const bytes = folder === 'models' ? models[model]?.get(file) : undefined;
  if (!bytes) return false;
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': bytes.length });
  return response.end(request.method === 'HEAD' ? undefined : bytes);
};

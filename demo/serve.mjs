// Serves a folder of files on this machine only, with the headers that the page is meant to run under.
import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';

/** No inline script or style, no eval, nothing from elsewhere but the models that the user names by address. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'", "script-src 'self' 'wasm-unsafe-eval'", "style-src 'self'", "img-src 'self' data: blob:",
  "worker-src 'self'", "connect-src 'self' https:", "manifest-src 'self'", "base-uri 'none'", "form-action 'none'",
].join('; ');

const HEADERS = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-cache',
};

const TYPES = {
  '.html': 'text/html; charset=utf-8', '.css': 'text/css; charset=utf-8', '.txt': 'text/plain; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8', '.mjs': 'text/javascript; charset=utf-8', '.wasm': 'application/wasm',
  '.json': 'application/json; charset=utf-8', '.map': 'application/json; charset=utf-8', '.webmanifest': 'application/manifest+json',
  '.svg': 'image/svg+xml', '.png': 'image/png', '.ico': 'image/x-icon',
};

/** The file of a request's path below `root`, or null: nothing outside the folder, no folder but by its index.html. */
function fileOf(root, url) {
  let name;
  try {
    name = decodeURIComponent(new URL(url, 'http://localhost').pathname);
  } catch {
    return null;
  }
  if (name.endsWith('/')) name += 'index.html';
  const file = path.join(root, name);
  if (name.includes('\0') || !file.startsWith(root + path.sep)) return null;
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats?.isFile() ? { file, size: stats.size, modified: stats.mtimeMs } : null;
}

/** The first and last byte of a `Range` header; undefined where there is none to obey, null where it cannot be satisfied. */
function rangeOf(header, size) {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? '');
  if (!match || (match[1] === '' && match[2] === '')) return undefined;
  const [from, to] = match.slice(1);
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  return first <= last ? [first, last] : null;
}

function answer(root, request, response) {
  const reply = (status, headers = {}, text) => response.writeHead(status, { ...HEADERS, ...headers }).end(text);
  if (request.method !== 'GET' && request.method !== 'HEAD') return reply(405, { Allow: 'GET, HEAD' });
  const found = fileOf(root, request.url);
  if (!found) return reply(404, { 'Content-Type': TYPES['.txt'] }, 'not found\n');

  const { file, size, modified } = found;
  const tag = `"${size.toString(36)}-${Math.round(modified).toString(36)}"`;
  const headers = { 'Content-Type': TYPES[path.extname(file)] ?? 'application/octet-stream', 'Accept-Ranges': 'bytes', ETag: tag };
  if (request.headers['if-none-match'] === tag) return reply(304, headers);
  const changed = request.headers['if-range'] !== undefined && request.headers['if-range'] !== tag;
  const range = changed ? undefined : rangeOf(request.headers.range, size);
  if (range === null) return reply(416, { 'Content-Range': `bytes */${size}` });
  const [start, end] = range ?? [0, size - 1];
  headers['Content-Length'] = end - start + 1;
  if (range) headers['Content-Range'] = `bytes ${start}-${end}/${size}`;
  response.writeHead(range ? 206 : 200, { ...HEADERS, ...headers });
  if (request.method === 'HEAD' || size === 0) return response.end();
  return createReadStream(file, { start, end }).on('error', () => response.destroy()).pipe(response);
}

/** Serves `root` on loopback; port 0 takes a free one. Resolves to the address and a function that ends the server. */
export function serve(root, port = 0) {
  const folder = path.resolve(root);
  const server = createServer((request, response) => answer(folder, request, response));
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const close = () => new Promise((closed) => {
        server.close(closed);
        server.closeAllConnections();
      });
      resolve({ url: `http://localhost:${server.address().port}/`, close });
    });
  });
}

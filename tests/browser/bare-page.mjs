// The package in pages with nothing on them: a server of dist/ and of what a test adds to it, and Chromium.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { NO_GPU } from './console.mjs';

const dist = path.dirname(fileURLToPath(import.meta.resolve('webformer')));
export const STRICT = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'";
const TYPES = { '.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm', '.html': 'text/html' };

/** Chromium itself reports each file that is not there. */
export const NOT_FOUND = /404 \(Not Found\)/;

/**
 * Starts server and browser around the tests of a file. `answerOther(name, request, response)` answers what is not of the package, or
 * gives false. `asked` has the names of all that was asked for since the last page was opened, `downloaded` those whose content was.
 */
export function siteForTests(answerOther) {
  const site = { origin: '', asked: [], downloaded: [], browser: undefined, open, another };
  let server, policy = STRICT, headers = {}, missing = new Set();

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
      return reply(200, TYPES[path.extname(name)] ?? 'text/plain', readFileSync(built));
    return answerOther(name, request, response) || reply(404, 'text/plain', 'not found');
  }

  before(async () => {
    server = createServer(answer);
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    site.origin = `http://127.0.0.1:${server.address().port}/`;
    site.browser = await chromium.launch({ executablePath: process.env.CHROMIUM || undefined, args: ['--no-sandbox'] });
  });
  after(async () => {
    await site.browser?.close();
    server?.closeAllConnections();
    server?.close();
  });

  /**
   * A page in a profile of its own. Its console must stay empty but for what `expected` allows. `csp`: the page's policy; `extra`: other
   * headers of all answers; `without`: files that are missing; `script`: runs in the page before all others.
   */
  async function open(t, { csp = STRICT, extra = {}, without = [], expected = /^$/, script } = {}) {
    [policy, headers, missing] = [csp, extra, new Set(without)];
    const context = await site.browser.newContext();
    const faults = [];
    context.on('page', (page) => {
      page.workersSeen = [];
      page.on('pageerror', (error) => faults.push(error.message));
      page.on('console', (message) => faults.push(message.text()));
      page.on('worker', (worker) => page.workersSeen.push(worker.url()));
    });
    if (script) await context.addInitScript(script);
    t.after(async () => {
      await context.close();
      assert.deepEqual(
        faults.filter((text) => !expected.test(text) && text !== NO_GPU),
        [],
      );
    });
    const page = await another(context);
    site.asked.length = site.downloaded.length = 0;
    return page;
  }

  /** One more page of the same profile. */
  async function another(context) {
    const page = await context.newPage();
    await page.goto(site.origin);
    return page;
  }
  return site;
}

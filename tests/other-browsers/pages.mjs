// Pages in Firefox and WebKitGTK, with `evaluate` as Playwright's pages have it, and what else the tests need of them.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { serve } from '../../dist/cli/server.js';
import { bareSite } from '../browser/bare-site.mjs';
import { BROWSERS, openBrowser } from './browsers.mjs';

const PATIENCE = 60_000;

/** Where the calls of a test in a page lie on its server. */
const CALLS = 'calls/';

/** The module of a call: what a driver runs itself has another global object than the page in Firefox, and other plain objects. */
const moduleOf = (action, argument) => `const settle = (result) => {
  globalThis.called = JSON.stringify(result);
  dispatchEvent(new Event(import.meta.url));
};
Promise.resolve(${JSON.stringify(argument)}).then(${action})
  .then((value) => settle({ value }), (error) => settle({ error: error + '\\n' + error?.stack }));
`;

/** Runs in a page as the body of a function: brings a module there, and waits for its end. */
const CALL = `
const [module, done] = arguments, script = document.createElement('script');
addEventListener(module, () => done(called), { once: true });
Object.assign(script, { type: 'module', src: module, onerror: () => done('{"error":"the module of the call did not load"}') });
document.head.append(script);
script.remove();
`;

/** In a page: notes what goes wrong there, and the workers that are started. */
function watchPage() {
  if (globalThis.faults) return;
  globalThis.faults = [];
  globalThis.workers = [];
  const note = (text) => faults.push(String(text));
  addEventListener('error', ({ message }) => note(message));
  addEventListener('unhandledrejection', ({ reason }) => note(reason));
  addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => note(`${violatedDirective} ${blockedURI}`));
  for (const kind of ['error', 'warn']) {
    const said = console[kind];
    console[kind] = (...words) => {
      note(words.join(' '));
      said.apply(console, words);
    };
  }
  globalThis.Worker = class extends Worker {
    ended = false;
    constructor(url, options) {
      super(url, options);
      this.url = String(url);
      workers.push(this);
    }
    terminate() {
      this.ended = true;
      super.terminate();
    }
  };
}

/** What `read` gives as soon as `accept` takes it. */
async function eventually(read, accept = Boolean) {
  const end = Date.now() + PATIENCE;
  for (;;) {
    const value = await read();
    if (accept(value)) return value;
    assert.ok(Date.now() < end, `after ${PATIENCE / 1000} s still ${JSON.stringify(value)}`);
    await sleep(100);
  }
}

/** What a person can do on the page that a browser shows. */
function handsOn(command) {
  async function find(selector) {
    return Object.values(await command('FindElement', { using: 'css selector', value: selector }))[0];
  }
  return {
    click: async (selector) => command('ElementClick', { id: await find(selector) }),
    /** Into a file input: paths, one a line. */
    type: async (selector, text) => command('ElementSendKeys', { id: await find(selector), text }),
  };
}

/** The page of a browser at `url`. `addModule(name, text)` puts a module where the page's server has it. */
async function pageAt({ command }, url, addModule) {
  let calls = 0;
  async function evaluate(action, argument) {
    const name = `${CALLS}${++calls}.js`;
    await addModule(name, moduleOf(action, argument));
    const { value, error } = JSON.parse(await command('ExecuteAsyncScript', { script: CALL, args: [new URL(`/${name}`, url).href] }));
    if (error) throw new Error(error);
    return value;
  }
  const page = {
    evaluate,
    ...handsOn(command),
    textOf: (selector) => evaluate((at) => document.querySelector(at)?.innerText.trim() ?? null, selector),
    /** Waits until `read`, called in the page, gives what `accept` takes. */
    until: (read, accept, argument) => eventually(() => evaluate(read, argument), accept),
  };
  await command('Navigate', { url });
  await evaluate(watchPage);
  // Driven by a program, WebKit has private windows only, whose caches end with the last that has them open: a worker, for one.
  await evaluate(async () => { globalThis.held = globalThis.caches && (await caches.open('webformer-1')); });
  return page;
}

/** A page of the disk, where no module can be brought. */
async function fileAt({ command }, url) {
  await command('Navigate', { url });
  const VALUE = 'const [at, done] = arguments; done(document.querySelector(at).value);';
  return {
    ...handsOn(command),
    valueOf: (selector) => eventually(() => command('ExecuteAsyncScript', { script: VALUE, args: [selector] })),
  };
}

/** WebKit asks for it by itself, and reports that a page's policy forbids it. */
const ICON = /^img-src .*\/favicon\.ico$/;

/** Fails for what went wrong in the page that `expected` does not allow. */
async function checkFaults(page, expected) {
  const faults = await page.evaluate(() => faults);
  assert.deepEqual(faults.filter((text) => !expected.test(text) && !ICON.test(text)), []);
}

/**
 * Declares the tests of `declare` for each browser. `bare(t, answerOther, options)` and `folders(t, places, options)` give a page
 * of the bare site, and of folders that the package's own server serves; each has an origin, and so a storage, of its own.
 * `expected`: what may go wrong in the page. A browser that is not there has its tests skipped.
 */
export function inEachBrowser(declare) {
  for (const kind of BROWSERS) {
    const missing = kind.missing();
    describe(kind.name, { skip: missing }, () => {
      if (missing) return;
      let browser;
      before(async () => (browser = await openBrowser(kind)));
      after(() => browser?.close());

      async function bare(t, answerOther, { expected = /^$/, ...settings } = {}) {
        const modules = new Map();
        const site = bareSite((name, request, response) => {
          if (!modules.has(name)) return answerOther(name, request, response);
          return response.writeHead(200, { 'content-type': 'text/javascript' }).end(modules.get(name));
        });
        site.set(settings);
        await site.start();
        const page = await pageAt(browser, site.origin, (name, text) => modules.set(name, text));
        t.after(() => checkFaults(page, expected).finally(site.stop));
        site.asked.length = site.downloaded.length = 0;
        return Object.assign(page, { site });
      }

      async function folders(t, places, { expected = /^$/, hash = '' } = {}) {
        const folder = mkdtempSync(path.join(tmpdir(), 'webformer-'));
        const server = await serve({ ...places, [`/${CALLS}`]: folder });
        const addModule = (name, text) => writeFileSync(path.join(folder, name.slice(CALLS.length)), text);
        const page = await pageAt(browser, server.url + hash, addModule);
        t.after(() => checkFaults(page, expected).finally(() => {
          server.close();
          rmSync(folder, { recursive: true });
        }));
        return page;
      }

      declare({ bare, folders, openFile: (url) => fileAt(browser, url), nameOf: () => `${kind.name} ${browser.version}` });
    });
  }
}

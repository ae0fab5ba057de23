// The projects of this folder, made anew from what npm would publish, and their pages in Chromium.
import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import path from 'node:path';
import { after, before } from 'node:test';
import { chromium } from 'playwright-core';
import { serve } from '../../dist/cli/server.js';
import { pack } from '../../wasm/pack.mjs';
import { chromiumPath } from '../../wasm/setup/chromium.mjs';
import { ROOT } from '../../wasm/setup/paths.mjs';
import { findProgram, run } from '../../wasm/setup/system.mjs';
import { NO_GPU } from '../browser/console.mjs';
import { temporaryFolder } from '../node/support.mjs';

export const HERE = import.meta.dirname;
export const MODELS = path.join(ROOT, 'demo/models');

/** What each page shows at its end; README.md has the same. */
export const TRANSLATION = 'Où se trouve la gare ?';

/** Chromium itself reports each file that is not there; a model's folder is asked for some that it need not have. */
const NOT_FOUND = /404 \(Not Found\)/;

/** A bundler that hangs ends the test. */
const npm = (args, cwd) =>
  run(findProgram('npm') ?? 'npm', args, { cwd, env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1' }, timeout: 240_000 });

let tarball;

/** A copy of the project `name` outside the repository, with the package and all that its manifest names installed. */
export async function installed(t, name, change = () => undefined) {
  const folder = temporaryFolder(t);
  cpSync(path.join(HERE, name), folder, { recursive: true });
  change(folder);
  tarball ??= await pack();
  await npm(['install', '--prefix', folder, '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', tarball], folder);
  return folder;
}

/** The same after `change(folder)`, built. */
export async function built(t, name, change) {
  const folder = await installed(t, name, change);
  await npm(['run', 'build'], folder);
  return folder;
}

/** A browser for the tests of a file; gives a function that opens a folder's page and reads what it shows, and how it came to it. */
export function pages() {
  let browser;
  before(async () => (browser = await chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox'] })));
  after(() => browser?.close());

  /** `inlineScripts`: a page that cannot run under the server's policy. */
  return async function show(t, folder, { inlineScripts = false, name = '' } = {}) {
    const server = await serve({ '/': folder, '/models/': MODELS });
    t.after(() => server.close());
    const context = await browser.newContext({ bypassCSP: inlineScripts });
    t.after(() => context.close());
    const page = await context.newPage(), faults = [], workers = [], asked = [];
    page.on('pageerror', ({ message }) => faults.push(message));
    page.on('console', (message) => !NOT_FOUND.test(message.text()) && message.text() !== NO_GPU && faults.push(message.text()));
    page.on('worker', (worker) => workers.push(worker.url()));
    page.on('response', (response) => {
      const file = new URL(response.url()).pathname;
      asked.push(file);
      if (response.status() >= 400 && !file.startsWith('/models/')) faults.push(`${file}: status ${response.status()}`);
    });
    await page.goto(server.url + name);
    const shown = () => !['', 'loading'].includes(document.querySelector('output').value);
    await page.waitForFunction(shown, undefined, { timeout: 60_000 }).catch(() => faults.push('the page shows nothing'));
    return { page, text: await page.evaluate(() => document.querySelector('output').value), faults, workers, asked };
  };
}

/** A page that translated in one worker, by the faster build, without a fault. */
export function checkPage({ text, faults, workers, asked }) {
  assert.deepEqual(faults, []);
  assert.equal(text, TRANSLATION);
  assert.equal(workers.length, 1, workers.join());
  const modules = asked.filter((file) => file.endsWith('.wasm'));
  assert.equal(modules.length, 1, modules.join());
  assert.match(modules[0], /relaxed|^\/dist\/[0-9a-f]+\.wasm$/);
}

// The projects of this folder, made anew from what npm would publish, and their pages in Chromium.
import assert from 'node:assert/strict';
import { appendFileSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
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

/** A copy of the project `name` outside the repository, after `change(folder)`; the package and what its manifest names are installed. */
export async function installed(t, name, change = () => undefined) {
  const folder = temporaryFolder(t);
  cpSync(path.join(HERE, name), folder, { recursive: true });
  change(folder);
  tarball ??= await pack();
  await npm(['install', '--prefix', folder, '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', tarball], folder);
  return folder;
}

/** A browser for the tests of a file; gives a function that opens a folder's page and reads what it shows, and how it came to it. */
export function pages() {
  let browser;
  before(async () => (browser = await chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox'] })));
  after(() => browser?.close());

  /** `inlineScripts`: a page that cannot run under the server's policy. */
  return async function show(t, folder, { inlineScripts = false } = {}) {
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
    await page.goto(server.url);
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

/** Bundled with the rest, for the test to call on the page: the first needs the module's second part there, the other in the worker. */
const PROBES = `
import { attention, loadModel as load } from 'webformer';
globalThis.attend = async (data) => {
  const row = { data: Float32Array.from(data), shape: [1, data.length] };
  return [...(await attention(row, row, row)).output.data];
};
globalThis.save = async (folder) => {
  const model = await load(folder);
  const files = await model.save();
  model.dispose();
  return [...files.keys()];
};
`;

/**
 * Tests that each of `projects` builds, and that its page translates in a worker and finds the second part of the module, there and in the
 * worker. `script` starts the page, `site` is the folder where it lies once it is built; `versions` replaces some of the manifest's.
 */
export function testBundled(projects) {
  const show = pages();
  for (const { name, script, site, versions, inlineScripts } of projects) {
    const bundler = [name, versions?.[name]].join(' ').trim();
    test(`a page built by ${bundler} translates in a worker, and has the module's second part`, async (t) => {
      const folder = await installed(t, name, (project) => {
        appendFileSync(path.join(project, script), PROBES);
        const file = path.join(project, 'package.json'), manifest = JSON.parse(readFileSync(file, 'utf8'));
        Object.assign(manifest.devDependencies ?? {}, versions);
        writeFileSync(file, JSON.stringify(manifest));
      });
      await npm(['run', 'build'], folder);
      const shown = await show(t, path.join(folder, site), { inlineScripts });
      checkPage(shown);
      assert.deepEqual(await shown.page.evaluate(() => globalThis.attend([1, 2])), [1, 2]);
      const files = await shown.page.evaluate(() => globalThis.save('/models/en-fr/'));
      assert.ok(files.includes('config.json') && files.includes('model.safetensors'), files.join());
      assert.equal(new Set(shown.asked.filter((file) => file.endsWith('.wasm'))).size, 2);
      assert.deepEqual(shown.faults, []);
    });
  }
}

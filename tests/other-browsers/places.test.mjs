// The pages of docs/html.md in other browsers than Chromium: the translator under a strict policy, and the one on the disk.
import assert from 'node:assert/strict';
import { cpSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { HERE, MODELS, TRANSLATION } from '../bundlers/projects.mjs';
import { temporaryFolder } from '../node/support.mjs';
import { inEachBrowser } from './pages.mjs';

const DIST = path.dirname(fileURLToPath(import.meta.resolve('webformer')));
const EN_FR = path.join(MODELS, 'en-fr');

inEachBrowser(({ folders, openFile }) => {
  test('a page of plain HTML translates in a worker under a strict policy', async (t) => {
    const folder = temporaryFolder(t);
    cpSync(path.join(HERE, 'html'), folder, { recursive: true });
    cpSync(DIST, path.join(folder, 'webformer'), { recursive: true });
    const page = await folders(t, { '/': folder, '/models/': MODELS });
    await page.until(() => document.querySelector('output').value, (text) => text === TRANSLATION);
  });

  test('a page on the disk translates with files that its user chooses', async (t) => {
    const folder = temporaryFolder(t);
    cpSync(path.join(HERE, 'html/file.html'), path.join(folder, 'file.html'));
    cpSync(path.join(DIST, 'single-file.global.js'), path.join(folder, 'webformer/single-file.global.js'));
    const page = await openFile(pathToFileURL(path.join(folder, 'file.html')).href);
    const names = readdirSync(EN_FR).filter((name) => /^(?!golden).*\.(json|safetensors)$/.test(name));
    await page.type('input', names.map((name) => path.join(EN_FR, name)).join('\n'));
    assert.equal(await page.valueOf('output'), TRANSLATION);
  });
});

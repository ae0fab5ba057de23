// Models that a person brings: dropped, picked, named; and files that are none.
import assert from 'node:assert/strict';
import { cp, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { dropPaths, eventually, golden, MODELS, pageForTests, PATIENCE } from './page-driver.mjs';

const open = pageForTests();
const names = (page) => page.locator('#models tr th').allInnerTexts();

async function temporary(t) {
  const folder = await mkdtemp(path.join(tmpdir(), 'webformer-page-'));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}

test('a dropped folder is loaded, and used in its tab', async (t) => {
  const [{ text, beam }] = (await golden('en-fr')).cases;
  const page = await open(t, { hash: '#tokenize' });
  await dropPaths(page, [path.join(MODELS, 'en-fr')]);
  await eventually(() => page.locator('#translate-model select').inputValue(), 'en-fr');
  assert.equal(await page.getAttribute('#tab-translate', 'aria-selected'), 'true');
  assert.deepEqual(await names(page), ['English to French', 'Tale teller', 'en-fr']);
  await page.fill('#source', text);
  await eventually(() => page.locator('#target').innerText(), beam.text);

  await page.getByRole('button', { name: 'Remove: en-fr' }).click();
  assert.deepEqual(await names(page), ['English to French', 'Tale teller']);
  await eventually(() => page.locator('#translate-model select').inputValue(), 'English to French');
});

test('a folder that is picked, and an address that is named, do as well', async (t) => {
  const page = await open(t);
  await page.setInputFiles('#folder-input', path.join(MODELS, 'tales'));
  await eventually(() => names(page), ['English to French', 'Tale teller', 'tales']);
  assert.equal(await page.getAttribute('#tab-generate', 'aria-selected'), 'true');
  await page.fill('#url', 'models/en-fr');
  await page.press('#url', 'Enter');
  await eventually(() => names(page), ['English to French', 'Tale teller', 'tales', 'en-fr']);
});

test('a tokenizer alone stands beside the others', async (t) => {
  const page = await open(t);
  await dropPaths(page, [path.join(MODELS, 'tales', 'tokenizer.json')]);
  await eventually(() => page.locator('.card h2').allInnerTexts(), ['English to French', 'Tale teller', 'tokenizer.json']);
  const { prompt, ids } = (await golden('tales')).cases[0];
  await page.fill('#text', prompt);
  // that a text begins with <|endoftext|> stands in tokenizer_config.json, which was not dropped
  const shown = () => page.locator('.card').nth(2).locator('.piece-id').allInnerTexts();
  await eventually(async () => (await shown()).map(Number), ids.slice(1));
});

/** What is dropped -> the code that the page must show. */
const BAD = {
  'a truncated model': async (folder) => {
    await cp(path.join(MODELS, 'en-fr'), folder, { recursive: true });
    await truncate(path.join(folder, 'model.safetensors'), 1_000_000);
    return { paths: [folder], code: 'invalid_file', says: /model\.safetensors/ };
  },
  'a model with foreign bytes': async (folder) => {
    await cp(path.join(MODELS, 'tales'), folder, { recursive: true });
    await writeFile(path.join(folder, 'model.safetensors'), Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'));
    return { paths: [folder], code: 'invalid_file', says: /model\.safetensors/ };
  },
  'a model with an empty file': async (folder) => {
    await cp(path.join(MODELS, 'tales'), folder, { recursive: true });
    await writeFile(path.join(folder, 'model.safetensors'), '');
    return { paths: [folder], code: 'invalid_file', says: /model\.safetensors/ };
  },
  'an empty tokenizer': async (folder) => {
    await writeFile(path.join(folder, 'tokenizer.json'), '');
    return { paths: [path.join(folder, 'tokenizer.json')], code: 'invalid_file', says: /tokenizer\.json/ };
  },
  'a picture': async (folder) => {
    await writeFile(path.join(folder, 'photo.png'), Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'));
    return { paths: [path.join(folder, 'photo.png')], code: 'invalid_file', says: /photo\.png|config\.json/ };
  },
  'an empty folder': async (folder) => ({ paths: [folder], code: 'invalid_argument', says: /no files/ }),
};

for (const [what, prepare] of Object.entries(BAD)) {
  test(`${what} gives a typed error, and the page goes on`, async (t) => {
    const { paths, code, says } = await prepare(await temporary(t));
    const page = await open(t);
    await dropPaths(page, paths);
    const notice = page.locator('#own-notices .notice');
    await notice.waitFor(PATIENCE);
    assert.equal(await notice.locator('code').innerText(), code);
    assert.match(await notice.locator('.notice-message').innerText(), says);
    if (code !== 'invalid_argument') assert.ok((await notice.locator('.notice-advice').innerText()).length > 20);
    assert.equal(await page.isVisible('#own-progress'), false);
    assert.deepEqual(await names(page), ['English to French', 'Tale teller']);

    const [{ text, beam }] = (await golden('en-fr')).cases;
    await page.fill('#source', text);
    await eventually(() => page.locator('#target').innerText(), beam.text);
    await notice.getByRole('button', { name: 'Close' }).click();
    assert.equal(await notice.count(), 0);
  });
}

test('a model that is unloaded gives its memory back, and is loaded again on use', async (t) => {
  const page = await open(t);
  await page.locator('#target .sentence:not(.stale)').waitFor(PATIENCE);
  await page.getByRole('button', { name: 'Unload: English to French' }).click();
  assert.equal(await page.locator('#status-memory').innerText(), '0 kB');
  const { text, beam } = (await golden('en-fr')).cases[1];
  await page.fill('#source', text);
  await eventually(() => page.locator('#target').innerText(), beam.text);
});

test('an address without a model says so', async (t) => {
  const page = await open(t);
  await page.fill('#url', 'no/such/model/');
  await page.click('#url-form button');
  await page.locator('#own-notices .notice').waitFor(PATIENCE);
  assert.match(await page.locator('#own-notices code').innerText(), /^(network_error|invalid_file)$/);
});

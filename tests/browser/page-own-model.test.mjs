// Models that a person brings: dropped, picked, named; and files that are none.
import assert from 'node:assert/strict';
import { cp, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { dropPaths, EMBEDDED, eventually, golden, MODELS, pageForTests, PATIENCE } from './page-driver.mjs';

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
  assert.deepEqual(await names(page), [...EMBEDDED, 'en-fr']);
  await page.fill('#source', text);
  await eventually(() => page.locator('#target').innerText(), beam.text);

  await page.getByRole('button', { name: 'Remove: en-fr' }).click();
  assert.deepEqual(await names(page), EMBEDDED);
  await eventually(() => page.locator('#translate-model select').inputValue(), 'English to French');
});

test('a folder that is picked, and an address that is named, do as well', async (t) => {
  const page = await open(t);
  await page.setInputFiles('#folder-input', path.join(MODELS, 'tales'));
  await eventually(() => names(page), [...EMBEDDED, 'tales']);
  assert.equal(await page.getAttribute('#tab-generate', 'aria-selected'), 'true');
  await page.fill('#url', 'models/en-fr');
  await page.press('#url', 'Enter');
  await eventually(() => names(page), [...EMBEDDED, 'tales', 'en-fr']);
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

test('models and tokenizers of one file name can be told apart', async (t) => {
  const page = await open(t);
  const own = async () => (await names(page)).slice(EMBEDDED.length);
  const added = [];
  const expected = async (name) => eventually(own, [...added, name]).then(() => added.push(name));
  for (const [model, name] of [['en-fr', 'marian'], ['tales', 'llama'], ['tales', 'llama (2)']]) {    // the files of a folder, without it
    const files = ['config.json', 'model.safetensors', 'tokenizer.json'].map((file) => path.join(MODELS, model, file));
    await dropPaths(page, files);
    await expected(name);
  }
  for (const name of ['tales', 'tales (2)']) {
    await dropPaths(page, [path.join(MODELS, 'tales')]);
    await expected(name);
  }
  for (const name of ['tokenizer.json', 'tokenizer.json (2)']) {
    await dropPaths(page, [path.join(MODELS, 'tales', 'tokenizer.json')]);
    await expected(name);
  }
  await page.getByRole('button', { name: 'Remove: llama (2)', exact: true }).click();
  assert.equal((await own()).includes('llama (2)'), false);
});

const remark = (page) => page.locator('#own-notices .remark').innerText();
const rowOf = (page, name) => page.locator('#models tr').filter({ has: page.getByRole('rowheader', { name, exact: true }) });

test('a model without its tokenizer says at once that nothing can use it', async (t) => {
  const folder = path.join(await temporary(t), 'mute');
  await cp(path.join(MODELS, 'en-fr'), folder, { recursive: true, filter: (file) => !file.includes('tokenizer') });
  const page = await open(t);
  await dropPaths(page, [folder]);
  await eventually(() => names(page), [...EMBEDDED, 'mute']);
  assert.match(await remark(page), /mute is loaded[^]*no tokenizer[^]*tokenizer\.json/);
  assert.match(await rowOf(page, 'mute').innerText(), /No tab can use it: it has no tokenizer/);
  assert.deepEqual(await page.locator('#translate-model option').allInnerTexts(), EMBEDDED.slice(0, 2));
  await page.click('#tab-tokenize');
  await eventually(() => page.locator('.card h2').allInnerTexts(), ['English to French', 'Tale teller']);
  await page.getByRole('button', { name: 'Remove: mute' }).click();
  assert.equal(await page.locator('#own-notices .remark').count(), 0);
});

test('of two quick drops the last is loaded, even where the first takes long to list', async (t) => {
  const page = await open(t);
  await page.evaluate(() => {
    const { webkitGetAsEntry } = DataTransferItem.prototype;
    DataTransferItem.prototype.webkitGetAsEntry = function () {    // of the first drop alone
      DataTransferItem.prototype.webkitGetAsEntry = webkitGetAsEntry;
      const entry = webkitGetAsEntry.call(this), reader = entry.createReader();
      const readEntries = reader.readEntries.bind(reader);
      reader.readEntries = (resolve, reject) => setTimeout(readEntries, 600, resolve, reject);
      entry.createReader = () => reader;
      return entry;
    };
  });
  await dropPaths(page, [path.join(MODELS, 'tales')]);
  await dropPaths(page, [path.join(MODELS, 'en-fr')]);
  await eventually(() => names(page), [...EMBEDDED, 'en-fr']);
  await page.waitForTimeout(800);
  assert.deepEqual(await names(page), [...EMBEDDED, 'en-fr']);
  assert.equal(await page.locator('.notice').count(), 0);
});

test('names are shown as they are read, not as addresses write them', async (t) => {
  const folder = await temporary(t);
  const page = await open(t, { expects: /Failed to load resource/ });
  await page.route('**/mod%C3%A8le%20%EA%B0%80/*', async (route) => {
    const name = new URL(route.request().url()).pathname.split('/').at(-1);
    await route.fulfill({ path: path.join(MODELS, 'tales', name) }).catch(() => route.abort());
  });
  await page.fill('#url', 'modèle 가/tokenizer.json');
  await page.press('#url', 'Enter');
  await eventually(() => names(page), [...EMBEDDED, 'modèle 가']);
  const file = path.join(folder, '100%25.model');
  await writeFile(file, 'no model');
  await dropPaths(page, [file]);
  await eventually(() => page.locator('#own-notices .notice-title strong').innerText(), '100%25.model could not be loaded');
});

/** Lone files, and what is missing beside each. */
const LONE = {
  'model.safetensors': 'config.json', 'config.json': 'model.safetensors', 'generation_config.json': 'config.json',
  'pytorch_model.bin': 'config.json', 'tokenizer_config.json': 'tokenizer.json', 'merges.txt': 'tokenizer.json',
  'special_tokens_map.json': 'tokenizer.json',
};

test('a part of a model alone is answered by what is missing and what to do, in both languages', async (t) => {
  const folder = await temporary(t);
  const page = await open(t);
  const notice = page.locator('#own-notices .notice');
  for (const [name, missing] of Object.entries(LONE)) {
    const file = path.join(folder, name);
    await cp(path.join(MODELS, 'tales', name), file).catch(() => writeFile(file, name.endsWith('.json') ? '{}' : 'a b\n'));
    await dropPaths(page, [file]);
    await eventually(async () => (await notice.count()) > 0 && (await notice.innerText()).includes(`${name} could not be loaded`), true);
    const message = await notice.locator('.notice-message').innerText();
    assert.ok(message.includes(missing) && message.includes(`there is only ${name}`), message);
    assert.match(await notice.locator('.notice-advice').innerText(), /whole folder.*GGUF/);
    await page.click('#language-ko');
    assert.match(await notice.locator('.notice-advice').innerText(), /폴더.*통째로.*GGUF/);
    await page.click('#language-en');
  }
});

/** Whatever of a tab fails at first. */
const FAILING = [
  { what: 'a translation', tab: 'translate', model: 'en-fr', before: async () => {} },
  { what: 'a translation of a text that is gone', tab: 'translate', model: 'en-fr', before: (page) => page.fill('#source', '') },
  { what: 'a look at the next token', tab: 'generate', model: 'tales', before: async () => {} },
  { what: 'a tale', tab: 'generate', model: 'tales', before: (page) => page.click('#generate-run') },
];
for (const { what, tab, model, before } of FAILING) {
  test(`an error leaves when a model loads well: of ${what}`, async (t) => {
    const page = await open(t, { hash: '#tokenize', expects: /Failed to load resource/ });
    await page.route(`**/models/${model}/model.safetensors`, (route) => route.abort());
    await page.click(`#tab-${tab}`);
    const notices = page.locator('.notice');
    await eventually(() => notices.count(), 1);
    await before(page);
    await dropPaths(page, [path.join(MODELS, model)]);
    await eventually(async () => (await names(page)).length, EMBEDDED.length + 1);
    await eventually(() => page.locator('.notice').count(), 0);
  });
}

test('an error of a load leaves when the next one begins, and one that was given up shows none', async (t) => {
  const page = await open(t, { expects: /Failed to load resource/ });
  await page.fill('#url', 'no/such/model/');
  await page.press('#url', 'Enter');
  await eventually(() => page.locator('#own-notices .notice').count(), 1);
  let fail;
  const failed = new Promise((resolve) => { fail = resolve; });
  await page.route('**/slow/**', async (route) => {
    await failed;
    await route.abort().catch(() => undefined);
  });
  await page.fill('#url', 'slow/model/');
  await page.press('#url', 'Enter');
  await eventually(() => page.locator('#own-notices .notice').count(), 0);
  await page.fill('#url', 'models/tales');
  await page.press('#url', 'Enter');
  fail();
  await eventually(() => names(page), [...EMBEDDED, 'tales']);
  await page.waitForTimeout(200);
  assert.equal(await page.locator('.notice').count(), 0);
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
    assert.deepEqual(await names(page), EMBEDDED);

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

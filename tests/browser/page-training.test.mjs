// A tokenizer trained on the user's text. Expected ids: of the package's own trainer and tokenizers, in node.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { loadTokenizer, trainTokenizer } from '../../dist/index.js';
import { eventually, pageForTests, PATIENCE, screenshot } from './page-driver.mjs';

const open = pageForTests();

const trained = (page) => eventually(async () => (await page.locator('#train-outcome').innerText()) !== '', true);
const idsOf = (page, card) => page.locator('.card').nth(card).locator('.piece-id').allInnerTexts().then((texts) => texts.map(Number));
const CORPUS = 'the cat sat on the mat\nthe cat ate the rat\nthat cat is fat';

test('a tokenizer of every kind is trained, joins the others, and cuts the text as in node', async (t) => {
  const page = await open(t, { hash: '#tokenize?text=the%20cat%20sat%20on%20that' });
  await page.fill('#train-text', CORPUS);
  const kinds = await page.locator('#train-kind option').allInnerTexts();
  for (const [i, kind] of kinds.entries()) {
    const vocabSize = { 'byte-bpe': 270, 'sentencepiece-unigram': 20 }[kind] ?? 30;
    await page.selectOption('#train-kind', kind);
    await page.fill('#train-size', String(vocabSize));
    await page.click('#train-run');
    await eventually(async () => (await page.locator('#train-outcome').innerText()).startsWith(`${kind}-${vocabSize} has learned`), true);
    const expected = await trainTokenizer(kind, CORPUS.split('\n'), { vocabSize });
    await eventually(() => idsOf(page, 2 + i), expected.encode('the cat sat on that').ids);
  }
  assert.equal(await page.locator('.card').count(), 2 + kinds.length);
});

test('what was trained is downloaded as a tokenizer.json that can be loaded', async (t) => {
  const page = await open(t, { hash: '#tokenize?size=60&kind=wordpiece' });
  await page.click('#train-run');
  await trained(page);
  const button = page.getByRole('button', { name: 'Download tokenizer.json: wordpiece-60' });
  await button.waitFor(PATIENCE);
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
  assert.equal(download.suggestedFilename(), 'tokenizer.json');
  const tokenizer = await loadTokenizer(new Map([['tokenizer.json', new Uint8Array(await readFile(await download.path()))]]));
  assert.equal(tokenizer.kind, 'wordpiece');
  assert.ok(tokenizer.vocabSize <= 60);
  assert.deepEqual(tokenizer.encode(await page.inputValue('#text')).ids, await idsOf(page, 2));
});

test('training on a long text shows its progress and can be stopped', async (t) => {
  const page = await open(t, { hash: '#tokenize?kind=unigram&size=8000' });
  await eventually(() => page.inputValue('#train-kind'), 'unigram');
  const words = Array.from({ length: 60_000 }, (_, i) => (i * 2654435761 % 4294967296).toString(36));
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.click('#train-pick')]);
  await chooser.setFiles({ name: 'words.txt', mimeType: 'text/plain', buffer: Buffer.from(words.join(' ')) });
  await eventually(async () => /^\d{3},\d{3} characters$/.test(await page.locator('#train-measure').innerText()), true);
  await page.focus('#train-run');
  await page.keyboard.press('Enter');
  await eventually(async () => (await page.locator('#train-progress').evaluate(({ value }) => value)) > 0, true);
  assert.equal(await page.evaluate(() => document.activeElement.id), 'train-stop');
  await page.keyboard.press('Enter');
  await eventually(() => page.locator('#train-outcome').innerText(), 'Stopped. Nothing was added.');
  assert.equal(await page.locator('.card').count(), 2);
  assert.equal(await page.evaluate(() => document.activeElement.id), 'train-run');
});

test('what the library refuses is told, and adds nothing', async (t) => {
  const page = await open(t, { hash: '#tokenize?kind=sentencepiece-unigram&size=9000' });
  await eventually(() => page.inputValue('#train-size'), '9000');
  await page.click('#train-run');
  await page.locator('#train-notices .notice').waitFor(PATIENCE);
  assert.match(await page.locator('#train-notices').innerText(), /vocabSize: 9000 found, at most \d+ expected/);
  assert.equal(await page.locator('.card').count(), 2);
});

test('a number of pieces that is none is refused, in the field and in a link', async (t) => {
  const page = await open(t, { hash: '#tokenize?size=-3&kind=pair' });
  await eventually(async () => (await page.locator('#link-notices').innerText()).includes('kind = “pair”: taken as bpe'), true);
  assert.match(await page.locator('#link-notices').innerText(), /size = “-3”: taken as 200/);
  await page.fill('#train-size', '0');
  assert.match(await page.locator('#train-size-error').innerText(), /whole number from 1 to 50,000/);
  await page.click('#train-run');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'train-size');
  assert.equal(await page.locator('#train-outcome').innerText(), '');
});

const LOOKS = [
  { name: 'en-light', hash: 'lang=en', colorScheme: 'light' },
  { name: 'ko-dark', hash: 'lang=ko', colorScheme: 'dark' },
  { name: 'ko-light-390', hash: 'lang=ko', colorScheme: 'light', viewport: { width: 390, height: 844 } },
];
for (const { name, hash, ...options } of LOOKS) {
  test(`training is looked at: ${name}`, async (t) => {
    const page = await open(t, { hash: `#tokenize?${hash}`, ...options });
    await page.click('#train-run');
    await trained(page);
    await page.locator('.card').nth(2).locator('.piece').first().waitFor(PATIENCE);
    await screenshot(page, `training-${name}`);
  });
}

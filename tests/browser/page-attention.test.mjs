// The Attention tab. Expected weights and products: of the same model in node, by the package's own forward().
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { loadModel } from '../../dist/index.js';
import { MODELS, eventually, pageForTests, PATIENCE } from './page-driver.mjs';

const open = pageForTests();
const TEXT = 'I have never seen such a beautiful garden.';
const SIZE = 64;

/** What the model looks at, as node has it; `source`, `written`: ids. */
let expected;
before(async () => {
  const model = await loadModel(path.join(MODELS, 'en-fr'));
  const source = model.tokenizer.encode(TEXT).ids;
  const { sequences: [sequence] } = await model.translate(TEXT, { numBeams: 4 }).result();
  const trace = ['decoder.*.self_attention.query', 'decoder.*.self_attention.key'];
  const output = await model.forward({ inputIds: [source], decoderInputIds: [sequence.slice(0, -1)] }, { attentions: true, trace });
  expected = { output, source, written: sequence.slice(1), text: model.tokenizer.decode(sequence) };
  model.dispose();
});
after(() => { expected = undefined; });

const shown = (page) => page.locator('.matrix-cell').first().waitFor(PATIENCE);
const weightsOf = (page) => page.locator('.matrix-cell').evaluateAll((cells) =>
  cells.map((cell) => parseFloat(cell.style.getPropertyValue('--weight')) / 100));

/** A head of [1,H,T,S]. */
const headOf = ({ data, shape: [, , rows, columns] }, head) => data.subarray(head * rows * columns, (head + 1) * rows * columns);

function assertClose(found, wanted) {
  assert.equal(found.length, wanted.length);
  found.forEach((value, i) => assert.ok(Math.abs(value - wanted[i]) < 2e-3, `${i}: ${value}, ${wanted[i]} expected`));
}

test('every layer and head of all three attentions is shown with the weights of the model', async (t) => {
  const page = await open(t, { hash: `#attention?text=${encodeURIComponent(TEXT)}` });
  await shown(page);
  assert.equal(await page.locator('#attention-translation').innerText(), expected.text);
  const { encoderAttentions: encoder, crossAttentions: cross, decoderAttentions: decoder } = expected.output;
  for (const [kind, layers] of Object.entries({ encoder, cross, decoder })) {
    await page.selectOption('#attention-kind', kind);
    assert.equal(await page.locator('.head-cell').count(), layers.length * 3);
    for (const [layer, tensor] of layers.entries()) {
      for (let head = 0; head < 3; head++) {
        await page.locator('.head-cell').nth(layer * 3 + head).click();
        assert.equal(await page.locator('#attention-head-title').innerText(), `Layer ${layer + 1}, head ${head + 1}`);
        assertClose(await weightsOf(page), headOf(tensor, head));
      }
    }
  }
});

test('a weight is taken apart: product, scale, mask, softmax', async (t) => {
  const page = await open(t, { hash: `#attention?text=${encodeURIComponent(TEXT)}&kind=decoder&layer=2&head=3&query=4&key=2` });
  await shown(page);
  const { output } = expected;
  const vector = (name, row) => output.trace[`decoder.1.self_attention.${name}`].data.subarray((row * 3 + 2) * SIZE, (row * 3 + 3) * SIZE);
  const scoreOf = (key) => vector('query', 3).reduce((sum, value, i) => sum + value * vector('key', key)[i], 0);
  const results = await page.locator('.part-result').allInnerTexts();
  const numbers = results.join(' ').replaceAll('−', '-').match(/-?\d+\.\d+/g).map(Number);
  assert.ok(Math.abs(numbers[0] - scoreOf(1)) < 0.02, `${numbers[0]}, ${scoreOf(1)} expected`);
  assert.equal(numbers[2], 0.125, '1 / sqrt(64)');
  assert.ok(Math.abs(numbers[3] - scoreOf(1) / 8) < 0.005);
  assert.match(results.join(), /may be seen/);
  const scores = await page.locator('.softmax tbody td:nth-child(2)').allInnerTexts();
  assert.ok(scores.slice(0, 4).every((score) => /^[−\d.]+$/.test(score)));
  assert.ok(scores.slice(4).every((score) => score === '−∞'), 'what is written later is hidden');
  assert.equal(await page.locator('.strip').count(), 6);
  await page.locator('.matrix-cell').nth(3 * expected.written.length + 6).click();
  assert.match((await page.locator('.part-result').allInnerTexts()).join(), /not written yet/);
});

test('what is looked at is chosen by keyboard, and in the link', async (t) => {
  const page = await open(t, { hash: `#attention?text=${encodeURIComponent(TEXT)}&kind=encoder&layer=1&head=1&query=1&key=1` });
  await shown(page);
  await page.locator('.head-cell[tabindex="0"]').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('End');
  await page.locator('.matrix-cell[tabindex="0"]').focus();
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight']) await page.keyboard.press(key);
  const wanted = /kind=encoder&layer=2&head=3&query=3&key=2/;
  await eventually(() => page.evaluate(() => location.hash).then((hash) => wanted.test(hash)), true);
  assert.equal(await page.locator('.matrix-cell[aria-selected=true]').count(), 1);
  const title = await page.locator('#attention-cell-title').innerText();
  const other = await open(t, { hash: await page.evaluate(() => location.hash) });
  await shown(other);
  assert.equal(await other.locator('#attention-cell-title').innerText(), title);
  assert.equal(await other.locator('#attention-head-title').innerText(), 'Layer 2, head 3');
});

test('a row that is pointed out shows what it looks at most; a link beyond what there is shows the last', async (t) => {
  const page = await open(t, { hash: `#attention?text=${encodeURIComponent(TEXT)}&kind=cross&layer=99&head=1&query=1000&key=-1` });
  await shown(page);
  assert.match(await page.locator('#link-notices').innerText(), /key = “-1”/);
  assert.match(await page.locator('#attention-notices').innerText(), /layer = “99”: taken as 2\s+query = “1000”: taken as \d+/);
  assert.match(await page.locator('#attention-head-title').innerText(), /Layer 2/);
  await page.locator('.line-tokens').first().locator('.line-token').nth(7).click();
  const columns = expected.source.length;
  const row = headOf(expected.output.crossAttentions[1], 0).subarray(7 * columns, 8 * columns);
  const selected = await page.locator('.matrix-cell').evaluateAll((cells) => cells.findIndex((cell) => cell.ariaSelected === 'true'));
  assert.equal(selected, 7 * columns + row.indexOf(Math.max(...row)));
});

test('no text, and a text that fails, leave nothing of the one before; a long one is cut', async (t) => {
  const page = await open(t, { hash: '#attention', expects: /Failed to load resource/ });
  await shown(page);
  await page.fill('#attention-text', ' ');
  await eventually(() => page.isVisible('#attention-result'), false);
  assert.equal(await page.locator('#attention-translation').textContent(), '');
  await page.fill('#attention-text', 'one two three four five six seven '.repeat(10));
  await eventually(() => page.locator('#attention-cut').innerText(), 'only the first 40 tokens');
  await page.getByRole('button', { name: 'Unload: English to French' }).click();
  await page.evaluate(() => caches.keys().then((names) => Promise.all(names.map((name) => caches.delete(name)))));
  await page.route('**/models/**', (route) => route.abort());
  await page.fill('#attention-text', 'Good morning.');
  await page.locator('#attention-notices .notice').waitFor(PATIENCE);
  assert.equal(await page.isVisible('#attention-result'), false);
  assert.equal(await page.locator('.matrix-cell').count(), 0);
});

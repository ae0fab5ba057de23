// The page's tabs, used as a person uses them. Expected texts and ids: golden.json of the embedded models, made with transformers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { afterFiveTokens, eventually, golden, pageForTests, PATIENCE } from './page-driver.mjs';

const open = pageForTests();
const textOf = (page, selector) => async () => (await page.locator(selector).innerText()).trim();
const translation = (page) => textOf(page, '#target');
const done = (page) => page.locator('#target[aria-busy="false"] .sentence').first().waitFor(PATIENCE);

/** Three short sentences of the translator's dev set, and what transformers' beam search makes of them. */
const sentences = (await golden('en-fr')).cases.filter(({ text }) => /^[A-Z][\w' ]+[.?]$/.test(text) && text.length > 20).slice(0, 3);
const [first, second] = sentences;

test('the first view translates the example', async (t) => {
  const page = await open(t);
  await done(page);
  assert.match(await translation(page)(), /hier/, 'Do you remember what he said yesterday?');
});

test('a typed sentence is translated as transformers does it', async (t) => {
  const page = await open(t);
  await page.fill('#source', '');
  await page.locator('#source').pressSequentially(first.text, { delay: 15 });
  await eventually(translation(page), first.beam.text);
});

test('a translation appears while it is made', async (t) => {
  const page = await open(t);
  await done(page);
  await page.evaluate(() => {
    globalThis.seen = new Set();
    const target = document.getElementById('target');
    new MutationObserver(() => seen.add(target.innerText)).observe(target, { subtree: true, childList: true, characterData: true });
  });
  await page.fill('#source', second.text);
  await eventually(translation(page), second.beam.text);
  const seen = await page.evaluate(() => [...seen]);
  assert.ok(seen.length >= 4, `several states before the last one: ${JSON.stringify(seen)}`);
});

test('a paragraph is translated sentence by sentence, and each can be looked into', async (t) => {
  const page = await open(t);
  await page.fill('#source', sentences.map(({ text }) => text).join(' '));
  await eventually(translation(page), sentences.map(({ beam }) => beam.text).join(' '));
  await page.locator('#target .sentence').nth(1).click();
  assert.equal(await textOf(page, '#alternatives-sentence')(), second.text);
  assert.equal(await page.locator('#alternatives button').first().locator('.alternative-text').innerText(), second.beam.text);
});

test('other translations come with falling scores, and one of them can be used', async (t) => {
  const page = await open(t);
  await page.fill('#source', first.text);
  await eventually(translation(page), first.beam.text);
  await eventually(() => page.locator('#alternatives button').count(), 4);
  const scores = (await page.locator('.alternative-score').allInnerTexts()).map((text) => Number(text.replace('−', '-')));
  assert.ok(Math.abs(scores[0] - first.beam.score) < 0.002, `${scores[0]} of ${first.beam.score}`);
  assert.deepEqual(scores, scores.toSorted((a, b) => b - a));
  const other = await page.locator('.alternative-text').nth(2).innerText();
  await page.locator('#alternatives button').nth(2).click();
  assert.equal(await translation(page)(), other);
});

test('one beam gives one translation, and says why', async (t) => {
  const page = await open(t);
  await page.selectOption('#beams', '1');
  await done(page);
  await eventually(() => page.locator('#alternatives button').count(), 1);
  assert.match(await textOf(page, '#alternatives .hint')(), /more beams/);
});

const tale = (await golden('tales')).cases[0];
const startOfTale = tale.greedy_text.slice(0, 60);

async function setRange(page, id, value) {
  await page.locator(id).evaluate((input, v) => {
    input.value = v;
    input.dispatchEvent(new Event('input', { bubbles: true }));
  }, value);
}
const written = (page) => page.locator('#story .step').allInnerTexts().then((texts) => texts.join(''));
const idle = (page) => page.locator('#generate-run:not([disabled])').waitFor(PATIENCE);

test('a tale at temperature 0 is the greedy one of transformers', async (t) => {
  const page = await open(t, { hash: '#generate' });
  await page.fill('#prompt', tale.prompt);
  await setRange(page, '#temperature', '0');
  await setRange(page, '#length', '48');
  await page.click('#generate-run');
  await idle(page);
  assert.ok((await page.locator('#story').textContent()).startsWith(tale.prompt + startOfTale), await page.locator('#story').textContent());
  assert.equal(await page.locator('#story .step').count(), 48);
  assert.match(await textOf(page, '#generate-measure')(), /48 tokens · [\d.,]+ tokens\/s/);
  assert.match(await textOf(page, '#status-speed')(), /[\d.,]+ tokens\/s/);
});

test('Stop stops a tale within a few tokens', async (t) => {
  const page = await open(t, { hash: '#generate?temperature=0&length=400' });    // greedy decoding goes on for ever
  await afterFiveTokens(page, () => document.getElementById('generate-stop').click());
  await page.click('#generate-run');
  await page.locator('#story .step').nth(4).waitFor(PATIENCE);
  await idle(page);
  const stopped = await page.locator('#story .step').count();
  assert.ok(stopped < 50, `${stopped} tokens`);
  await page.waitForTimeout(300);
  assert.equal(await page.locator('#story .step').count(), stopped);
});

test('the same seed tells the same tale, another seed another', async (t) => {
  const page = await open(t, { hash: '#generate?seed=7&length=32' });
  const tell = async () => {
    await page.click('#generate-run');
    await idle(page);
    return written(page);
  };
  const one = await tell();
  assert.equal(await tell(), one);
  await page.fill('#seed', '8');
  assert.notEqual(await tell(), one);
});

test('the next token is shown with its chances, and one that is picked is added', async (t) => {
  const page = await open(t, { hash: '#generate' });
  const shares = page.locator('.candidate-share');
  await eventually(async () => (await shares.first().innerText()).endsWith('%'), true);
  assert.equal(await page.locator('#candidates button:not([disabled])').count(), 8);
  const sum = (await shares.allInnerTexts()).reduce((all, text) => all + parseFloat(text), 0);
  assert.ok(sum > 20 && sum <= 101, `${sum} %`);

  const token = (await page.locator('.candidate-text').nth(1).textContent()).replaceAll('␣', ' ');
  const prompt = await page.inputValue('#prompt');
  await page.locator('#candidates button').nth(1).click();
  assert.equal(await page.inputValue('#prompt'), prompt, 'what the user wrote stays');
  assert.equal(await page.locator('#story').textContent(), prompt + token);
  await eventually(async () => (await textOf(page, '#candidates-context')()).startsWith('After the tale'), true);

  // a colder choice favours the likeliest
  const likeliest = async () => parseFloat(await shares.first().innerText());
  await eventually(async () => (await page.locator('.candidate-text').first().innerText()) !== '', true);
  await page.waitForTimeout(600);
  const before = await likeliest();
  await setRange(page, '#temperature', '0.3');
  await eventually(async () => await likeliest() > before, true);
});

test('each token of a tale remembers what else might have stood there', async (t) => {
  const page = await open(t, { hash: '#generate?seed=7&length=32' });
  await page.click('#generate-run');
  await idle(page);
  const step = page.locator('#story .step').nth(9);
  await step.hover();
  const face = (await step.textContent()).replaceAll(' ', '␣');
  assert.match(await textOf(page, '#candidates-context')(), /10/);
  const taken = await page.locator('#candidates .taken .candidate-text').allTextContents();
  assert.ok(taken.length === 0 || taken[0] === face, `${taken} is the token ${face}`);
  assert.ok((await page.locator('#candidates button:not([disabled])').count()) > 0);
});

test('another token put into a tale cuts it there, and the tale goes on from it', async (t) => {
  const page = await open(t, { hash: '#generate?seed=7&length=32' });
  const prompt = await page.inputValue('#prompt');
  assert.equal(await page.isDisabled('#generate-more'), true);
  await page.click('#generate-run');
  await idle(page);
  const told = await page.locator('#story .step').allTextContents();
  await page.locator('#story .step').nth(9).hover();
  const other = page.locator('#candidates button:not(.taken, [disabled])').first();
  const token = (await other.locator('.candidate-text').textContent()).replaceAll('␣', ' ');
  await other.click();
  const cut = prompt + told.slice(0, 9).join('') + token;
  assert.equal(await page.locator('#story').textContent(), cut);
  assert.deepEqual(await page.locator('#story .picked').allTextContents(), [token]);
  await page.locator('#length').fill('16');
  await page.click('#generate-more');
  await idle(page);
  assert.ok((await page.locator('#story').textContent()).startsWith(cut));
  assert.equal(await page.locator('#story .step').count(), 26);
  assert.match(await textOf(page, '#generate-measure')(), /^16 tokens/);
  assert.equal(await page.inputValue('#prompt'), prompt);
});

test('one token is a token', async (t) => {
  const page = await open(t, { hash: '#tokenize?text=a&special=0' });
  await eventually(() => page.locator('.card-count').allInnerTexts(), ['1 token', '1 token']);
  assert.equal(await textOf(page, '#text-measure')(), '1 character');
  await page.fill('#text', 'a a');
  await eventually(() => page.locator('.card-count').first().innerText(), '2 tokens');
});

test('both tokenizers cut a text as the reference does', async (t) => {
  const page = await open(t, { hash: '#tokenize' });
  const ids = (card) => page.locator('.card').nth(card).locator('.piece-id').allInnerTexts().then((texts) => texts.map(Number));
  await page.fill('#text', first.text);
  await eventually(() => ids(0), first.ids);
  await page.fill('#text', tale.prompt);
  await eventually(() => ids(1), tale.ids);
  assert.match(await page.locator('.card-count').nth(1).innerText(), new RegExp(`^${tale.ids.length} tokens`));

  await page.fill('#text', first.text);
  await page.uncheck('#special-tokens');
  await eventually(() => ids(0), first.ids.slice(0, -1));
});

test('a piece that is pointed at lights the same characters in the other tokenizer', async (t) => {
  const page = await open(t, { hash: '#tokenize' });
  await page.fill('#text', 'mermaid');
  await eventually(() => page.locator('.card').nth(1).locator('.piece-text').allInnerTexts().then((t) => t.slice(-1)), ['maid']);
  await page.locator('.card').first().locator('.piece').nth(1).hover();
  assert.ok(await page.locator('.card').nth(1).locator('.piece.lit').count() > 0);
  assert.match(await page.locator('.card').first().locator('.piece-detail').innerText(), /id \d+\s+characters \d to \d/);
});

test('nothing moves on the page while results stream in', async (t) => {
  const page = await open(t, { hash: '#generate' });
  await idle(page);
  await page.waitForTimeout(500);
  await page.evaluate(() => { shifts.length = 0; });
  await page.click('#generate-run');
  await idle(page);
  await page.click('#tab-translate');
  await done(page);
  await page.waitForTimeout(600);
  await page.evaluate(() => { shifts.length = 0; });
  await page.fill('#source', sentences.map(({ text }) => text).join(' '));
  await eventually(translation(page), sentences.map(({ beam }) => beam.text).join(' '));
  const moved = await page.evaluate(() => shifts.reduce((sum, value) => sum + value, 0));
  assert.ok(moved < 0.01, `a layout shift of ${moved}; 0.1 is still called good`);
});

test('the strip at the foot says what runs', async (t) => {
  const page = await open(t);
  await done(page);
  assert.match(await textOf(page, '#status-build')(), /SIMD/);
  assert.match(await textOf(page, '#status-threads')(), /^\d+$/);
  assert.equal(await textOf(page, '#status-device')(), 'WebAssembly');
  assert.match(await textOf(page, '#status-memory')(), /^[\d.]+ MB$/);
  assert.match(await textOf(page, '#status-version')(), /^\d+\.\d+\.\d+/);
});

test('a seed that is none is refused with a message, and nothing is written with it', async (t) => {
  const page = await open(t, { hash: '#generate?seed=7&length=16&lang=en' });
  await idle(page);
  for (const wrong of ['-5', '1.5', '4294967296', '']) {
    await page.fill('#seed', wrong);
    assert.match(await textOf(page, '#seed-error')(), /whole number from 0 to 4,294,967,295/, wrong);
    assert.equal(await page.getAttribute('#seed', 'aria-invalid'), 'true');
    await page.click('#generate-run');
    assert.equal(await page.locator('#story .step').count(), 0);
    assert.equal(await page.evaluate(() => document.activeElement.id), 'seed');
  }
  await page.click('#language-ko');
  assert.match(await textOf(page, '#seed-error')(), /정수/);
  await page.fill('#seed', '4294967295');
  assert.equal(await textOf(page, '#seed-error')(), '');
  await page.click('#generate-run');
  await idle(page);
  assert.ok(await page.locator('#story .step').count() > 0);
  await page.fill('#seed', '-5');
  await page.uncheck('#keep-seed');    // the page draws one
  await page.click('#generate-run');
  await idle(page);
  assert.equal(await page.getAttribute('#seed', 'aria-invalid'), 'false');
});

test('a result that failed to come does not leave the one before beside it', async (t) => {
  const page = await open(t, { expects: /Failed to load resource/ });
  await done(page);
  await page.getByRole('button', { name: 'Unload: English to French' }).click();
  await page.evaluate(() => caches.keys().then((names) => Promise.all(names.map((name) => caches.delete(name)))));
  await page.route('**/models/**', (route) => route.abort());
  await page.fill('#source', first.text);
  await page.locator('#translate-notices .notice').waitFor(PATIENCE);
  for (const place of ['#target', '#alternatives', '#alternatives-sentence', '#translate-measure']) {
    assert.equal(await textOf(page, place)(), '', place);
  }
  assert.equal(await page.getAttribute('#target', 'aria-busy'), 'false');
});

test('Clear leaves nothing of the translation, and a blank text has none', async (t) => {
  const page = await open(t);
  await done(page);
  const places = ['#target', '#translate-measure', '#alternatives', '#alternatives-sentence', '#announcer'];
  const rest = () => Promise.all(places.map((place) => textOf(page, place)()));
  assert.ok((await rest()).every((text) => text !== ''));
  assert.notEqual(await textOf(page, '#status-speed')(), '–');
  await page.click('#translate-clear');
  await eventually(rest, ['', '', '', '', '']);
  assert.equal(await textOf(page, '#status-speed')(), '–');
  for (const blank of [' ', '\n \n', '\u200b', '\u00a0']) {
    await page.fill('#source', blank);
    await page.waitForTimeout(400);
    assert.equal((await page.locator('#target').innerText()).replace(/[\s\u200b]/g, ''), '', JSON.stringify(blank));
  }
});

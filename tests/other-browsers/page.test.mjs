// The demo page in other browsers than Chromium: its main tabs, used as a person uses them, against the goldens of transformers.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { DEMO } from '../../demo/build.mjs';
import { ROOT } from '../../wasm/setup/paths.mjs';
import { inEachBrowser } from './pages.mjs';

const golden = (model) => JSON.parse(readFileSync(path.join(ROOT, 'demo/models', model, 'golden.json'), 'utf8'));
const [sentence] = golden('en-fr').cases.filter(({ text }) => /^[A-Z][\w' ]+[.?]$/.test(text) && text.length > 20);
const [tale] = golden('tales').cases;

inEachBrowser(({ folders, nameOf }) => {
  const open = (t, hash = '') => folders(t, { '/': DEMO }, { hash });
  const count = (page, selector) => page.evaluate((at) => document.querySelectorAll(at).length, selector);
  const candidates = () => document.querySelectorAll('#candidates button:not([disabled])').length;
  const ready = (page) => page.until(() => document.querySelector('#generate-run:not([disabled])') !== null);
  const finished = (page) => page.until(() => document.querySelector('#story .step') && !document.getElementById('generate-run').disabled);

  test('a typed sentence is translated as transformers does it, with other translations', async (t) => {
    const page = await open(t);
    await page.until(() => document.querySelector('#target[aria-busy="false"] .sentence') !== null);
    await page.click('#translate-clear');
    await page.type('#source', sentence.text);
    await page.until(() => document.getElementById('target').innerText.trim(), (text) => text === sentence.beam.text);
    await page.until(() => document.querySelectorAll('#alternatives button').length, (found) => found === 4);
    const score = Number((await page.textOf('.alternative-score')).replace('−', '-'));
    assert.ok(Math.abs(score - sentence.beam.score) < 0.002, `${score} of ${sentence.beam.score}`);
    t.diagnostic(`${nameOf()}: ${await page.textOf('#status-build')}, ${await page.textOf('#status-speed')}`);
  });

  test('a tale at temperature 0 is the greedy one of transformers', async (t) => {
    const page = await open(t, `#generate?temperature=0&length=48&prompt=${encodeURIComponent(tale.prompt)}`);
    await ready(page);
    await page.until(candidates, (found) => found === 8);
    await page.click('#generate-run');
    await finished(page);
    const text = await page.evaluate(() => document.getElementById('story').textContent);
    assert.ok(text.startsWith(tale.prompt + tale.greedy_text.slice(0, 60)), text);
    assert.equal(await count(page, '#story .step'), 48);
    await page.until(candidates, (found) => found === 8);
    assert.equal(await page.textOf('#generate-notices'), '');
  });

  test('Stop stops a tale within a few tokens', async (t) => {
    const page = await open(t, '#generate?temperature=0&length=400');
    await ready(page);
    await page.evaluate(() => {
      new MutationObserver((_, observer) => {
        if (document.querySelectorAll('#story .step').length < 5) return;
        observer.disconnect();
        document.getElementById('generate-stop').click();
      }).observe(document.getElementById('story'), { childList: true });
    });
    await page.click('#generate-run');
    await finished(page);
    const stopped = await count(page, '#story .step');
    assert.ok(stopped < 60, `${stopped} tokens`);
  });

  for (const [card, { text, prompt = text, ids }] of [sentence, tale].entries())
    test(`the ${card === 0 ? 'first' : 'second'} tokenizer cuts a text as the reference does`, async (t) => {
      const page = await open(t, `#tokenize?text=${encodeURIComponent(prompt)}`);
      const shown = await page.until(
        (index) => [...document.querySelectorAll('.card')[index]?.querySelectorAll('.piece-id') ?? []].map((e) => Number(e.innerText)),
        (found) => found.length > 0, card,
      );
      assert.deepEqual(shown, ids);
    });

  test('the weights of an attention are shown, and a row of them is a whole', async (t) => {
    const page = await open(t, `#attention?text=${encodeURIComponent(sentence.text)}&kind=encoder&layer=1&head=1`);
    const weights = await page.until(
      () => [...document.querySelectorAll('.matrix-cell')].map((cell) => parseFloat(cell.style.getPropertyValue('--weight')) / 100),
      (found) => found.length > 0,
    );
    const size = Math.sqrt(weights.length);
    assert.equal(size, sentence.ids.length);
    const row = weights.slice(0, size).reduce((sum, weight) => sum + weight, 0);
    assert.ok(Math.abs(row - 1) < 0.02, `${row}`);
  });
});

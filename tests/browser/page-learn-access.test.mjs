// The Learn tab for everyone: names, contrast, keyboard, Korean, narrow screens, nothing that moves by itself; and how each step looks.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../wasm/setup/paths.mjs';
import { shownStep } from './learn-driver.mjs';
import { eventually, pageForTests, PATIENCE, screenshot } from './page-driver.mjs';
import { faultsOf, focusPlaces } from './page-faults.mjs';

const open = pageForTests();
const STEPS = [
  'tokens', 'words', 'positions', 'attention', 'scores', 'masks', 'activations', 'norms', 'depth', 'cost', 'walk', 'families', 'train',
];
const TEXT = 'The old man has a garden.';
const hashOf = (step, lang) => `#learn?${new URLSearchParams({ step, text: TEXT, lang })}`;

/** Brings a step to where it shows all that it can. */
async function useStep(page, step) {
  await shownStep(page);
  if (step !== 'words' && step !== 'train') return;
  await page.locator('.lesson-figure button.primary').click();
  await page.locator(step === 'words' ? '.word-map text' : '.lab-answer:not(:empty)').first().waitFor(PATIENCE);
  await eventually(() => page.locator('.lesson-figure button.primary').isEnabled(), true);
}

test('the path has every step, in its order, and each is a link', async (t) => {
  const page = await open(t, { hash: '#learn' });
  await shownStep(page);
  const links = await page.locator('.path a').evaluateAll((all) => all.map((a) => new URLSearchParams(a.hash.split('?')[1]).get('step')));
  assert.deepEqual(links, STEPS);
  assert.equal(await page.locator('.path a[aria-current=step]').count(), 1);
  await page.locator('.path a').nth(5).press('Enter');
  await eventually(() => page.locator('#learn-title').innerText(), '6. Masks');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'learn-title');
  await eventually(() => page.evaluate(() => location.hash.startsWith('#learn?step=masks')), true);
  const wrong = await open(t, { hash: '#learn?step=poetry' });
  await shownStep(wrong);
  assert.match(await wrong.locator('#link-notices').innerText(), /step = “poetry”/);
});

test('the README says where each concept is: in steps that there are, and in files that there are', async (t) => {
  const readme = await readFile(path.join(ROOT, 'README.md'), 'utf8');
  const rows = readme.split('## What the page teaches')[1].split('\n## ')[0].split('\n').filter((line) => /^\| (?!concept|---)/.test(line));
  assert.ok(rows.length > 10);
  const page = await open(t);
  const tabs = await page.locator('[role=tab]').allInnerTexts();
  for (const row of rows) {
    const [, , places, files] = row.split('|');
    for (const place of places.split(',').map((one) => one.trim())) {
      const [tab, step] = place.split(' ');
      assert.ok(tabs.includes(tab) && (step === undefined || STEPS[Number(step) - 1]), place);
    }
    for (const [, file] of files.matchAll(/\]\(([^)]+)\)/g)) assert.ok(existsSync(path.join(ROOT, file)), file);
  }
  const named = rows.flatMap((row) => row.split('|')[2].match(/(?<=Learn )\d+/g) ?? []);
  assert.deepEqual([...new Set(named)].map(Number), STEPS.map((_, i) => i + 1), 'no step is left out');
});

for (const colorScheme of ['light', 'dark']) {
  for (const step of STEPS) {
    test(`${step} has names, contrast and an order of focus: ${colorScheme}`, async (t) => {
      const page = await open(t, { hash: hashOf(step, 'en'), colorScheme });
      await useStep(page, step);
      await page.mouse.move(0, 0);
      await page.waitForTimeout(200);
      assert.deepEqual(await page.evaluate(faultsOf), []);
      if (colorScheme === 'dark') return;
      const places = await focusPlaces(page);
      assert.ok(places.length > 15, `${places.length} places`);
      assert.deepEqual(places.filter(({ isSeen }) => !isSeen), [], 'each focus is seen');
    });
  }
}

/** What reaches beyond the right edge; what can be pushed along may. */
const cutOff = (page) => page.evaluate(() => [...document.querySelectorAll('#learn *')]
  .filter((element) => element.checkVisibility() && !element.closest('.chips, .value-grid, .lesson-scroll, .visually-hidden'))
  .filter((element) => element.getBoundingClientRect().right > innerWidth + 0.5).map(({ outerHTML }) => outerHTML.slice(0, 80)));

for (const [width, lang] of [[390, 'en'], [320, 'ko']]) {
  test(`at ${width} pixels no step is cut off: ${lang}`, async (t) => {
    const page = await open(t, { hash: hashOf(STEPS[0], lang), viewport: { width, height: 844 } });
    for (const step of STEPS) {
      await page.locator(`.path a[href*="step=${step}&"]`).click();
      await page.locator(`.path a[aria-current][href*="step=${step}&"]`).waitFor(PATIENCE);
      await shownStep(page);
      await page.waitForTimeout(200);
      assert.deepEqual(await cutOff(page), [], step);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width, step);
    }
  });
}

test('no step moves what is on the screen while it is computed', async (t) => {
  for (const step of ['positions', 'masks', 'walk']) {
    const page = await open(t, { hash: hashOf(step, 'en') });
    await shownStep(page);
    await page.waitForTimeout(300);
    const moved = await page.evaluate(() => shifts.reduce((sum, value) => sum + value, 0));
    assert.ok(moved < 0.05, `${step}: ${moved}`);
  }
});

/** Every text of the tab that is no number, token or name of a method. */
const textsOf = (page) => page.evaluate(() => {
  const data = '.value-grid, .weight-bars, .walk-tokens, .lesson-table tbody, .lesson-formula, [role=status], '
    + '.lesson-result, .word-map, .rotation, textarea, output, .value-part + h4, .lesson-stack h4';
  const walker = document.createTreeWalker(document.getElementById('learn'), NodeFilter.SHOW_TEXT), texts = [];
  while (walker.nextNode()) {
    const { parentElement, data: text } = walker.currentNode;
    const isOwn = parentElement.closest('[lang]') === document.documentElement && !parentElement.closest(data);
    if (isOwn && parentElement.checkVisibility() && text.trim()) texts.push(text.trim());
  }
  return texts;
});

test('a change of the language leaves nothing in the one before, in any step', async (t) => {
  const page = await open(t, { hash: hashOf(STEPS[0], 'en') });
  for (const step of STEPS) {
    await page.locator(`.path a[href*="step=${step}&"]`).click();
    await useStep(page, step);
    const english = await textsOf(page);
    assert.deepEqual(english.filter((text) => /[가-힣]/.test(text)), [], step);
    await page.click('#language-ko');
    await shownStep(page);
    const korean = await textsOf(page);
    assert.equal(korean.length, english.length, step);
    const methods = 'LayerNorm|RMSNorm|RoPE|ALiBi|ReLU|GELU|SiLU|(Swi|Ge)GLU.*|post-norm|pre-norm|q · k.*|[a-z] \\+ [a-z]';
    const same = new RegExp(`^(${methods}|kB|sin|cos|x|u|γ|β|[^A-Za-z]*)$`);
    assert.deepEqual(korean.filter((text) => !/[가-힣]/.test(text) && !same.test(text)), [], step);
    await page.click('#language-en');
    await shownStep(page);
  }
});

const LOOKS = [
  { name: 'en-light', lang: 'en', colorScheme: 'light' }, { name: 'ko-dark', lang: 'ko', colorScheme: 'dark' },
  { name: 'en-dark-390', lang: 'en', colorScheme: 'dark', viewport: { width: 390, height: 844 } },
  { name: 'ko-light-390', lang: 'ko', colorScheme: 'light', viewport: { width: 390, height: 844 } },
];
for (const { name, lang, ...options } of LOOKS) {
  test(`every step is looked at: ${name}`, async (t) => {
    const page = await open(t, { hash: hashOf(STEPS[0], lang), ...options });
    for (const step of STEPS) {
      await page.locator(`.path a[href*="step=${step}&"]`).click();
      await useStep(page, step);
      await page.waitForTimeout(200);
      await screenshot(page, `learn-${step}-${name}`, () => page.evaluate(() => scrollTo(0, 0)));
    }
  });
}

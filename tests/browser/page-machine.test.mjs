// The tab of the user's machine.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually, pageForTests, PATIENCE, screenshot } from './page-driver.mjs';

const open = pageForTests();
const LONG = { timeout: 120_000 };
const facts = (page) => page.locator('#machine-facts div').evaluateAll((all) =>
  Object.fromEntries(all.map((one) => [one.children[0].textContent, one.children[1].innerText])));
const finished = (page) => page.locator('#benchmark-run:not([disabled])').waitFor(LONG);

test('it says what runs, and why nothing faster does, as capabilities() has it', async (t) => {
  const page = await open(t, { hash: '#machine' });
  await page.locator('#machine-facts div').first().waitFor(PATIENCE);
  const known = await page.evaluate(async () => (await import('./webformer/index.js')).capabilities());
  const shown = await facts(page);
  assert.match(shown.Build, known.build === 'simd' ? /^SIMD$/ : /^relaxed SIMD/);
  assert.match(shown.Threads, new RegExp(`^${known.threads} of \\d+ processor core`));
  assert.ok(shown.WebGPU.startsWith(known.webgpu.available ? known.webgpu.adapter : 'no'));
  if (known.webgpu.reason) assert.ok(shown.WebGPU.endsWith(known.webgpu.reason));
  assert.equal(shown['Cross-origin isolated'], known.crossOriginIsolated ? 'yes' : 'no');
  assert.equal(shown['One model at most'], `${(known.maxMemory / 1e9).toFixed(2)} GB`);
  assert.match(shown.Version, /^\d+\.\d+\.\d+/);
  assert.deepEqual(await page.locator('#machine-reasons li').allInnerTexts(), known.reasons);
  assert.equal(await page.isVisible('#machine-no-model'), true);
});

test('its code is fetched when it is first shown', async (t) => {
  const page = await open(t);
  await page.locator('#target .sentence').first().waitFor(PATIENCE);
  const scripts = () => page.evaluate(() => performance.getEntriesByType('resource').filter((one) => /page-machine/.test(one.name)).length);
  assert.equal(await scripts(), 0);
  await page.click('#tab-machine');
  await page.locator('#machine-facts div').first().waitFor(PATIENCE);
  assert.equal(await scripts(), 1);
});

test('each loaded model has its memory and the speed of its last text', async (t) => {
  const page = await open(t);
  await eventually(() => page.getAttribute('#target', 'aria-busy'), 'false');
  await page.click('#tab-machine');
  const row = page.locator('#machine-models tr');
  await eventually(() => row.count(), 1);
  assert.match(await row.innerText(), /English to French\s*WebAssembly, \w+\s+[\d.]+ MB\s+[\d.,]+ tokens\/s/);
  await page.getByRole('button', { name: 'Unload: English to French' }).click();
  assert.equal(await page.isVisible('#machine-no-model'), true);
});

test('the benchmark measures both models by one click, and its result can be copied', async (t) => {
  const page = await open(t, { hash: '#machine?runs=3', permissions: ['clipboard-read', 'clipboard-write'] });
  assert.equal(await page.isDisabled('#benchmark-copy'), true);
  await page.click('#benchmark-run');
  await finished(page);
  assert.equal(await page.locator('#benchmark-outcome').innerText(), 'Measured.');
  const rows = await page.locator('#benchmark-results tr').evaluateAll((all) =>
    all.map((row) => [...row.children].map((cell) => cell.innerText)));
  assert.deepEqual(rows.map(([work]) => work.replace(/[\d,]+ tokens/, '# tokens')), [
    'Tale teller\nRead a beginning of # tokens', 'Tale teller\nWrite # tokens',
    'English to French\nTranslate a sentence, 4 beams, # tokens',
    'English to French\nCut a text into # tokens', 'Tale teller\nCut a text into # tokens',
  ]);
  assert.match(rows[1][0], /Write 64 tokens/);
  for (const [work, median, range, speed] of rows) {
    const [least, most] = range.match(/[\d.,]+/g).map((text) => Number(text.replaceAll(',', '')));
    const middle = Number(median.match(/[\d.,]+/)[0].replaceAll(',', ''));
    assert.ok(least > 0 && least <= middle && middle <= most, `${work}: ${least} ${middle} ${most}`);
    const tokens = Number(work.match(/(\d[\d,]*) tokens/)[1].replaceAll(',', ''));
    const shown = Number(speed.match(/[\d.,]+/)[0].replaceAll(',', ''));
    assert.ok(Math.abs(shown / (tokens / middle * 1000) - 1) < 0.06, `${work}: ${shown} tokens/s of ${tokens} in ${middle} ms`);
  }
  assert.match(await page.locator('#machine-models').innerText(), new RegExp(`Tale teller[^]*\\s${rows[1][3]}`));
  await page.click('#benchmark-copy');
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(copied, /^webformer \d+\.\d+\.\d+ \| [\w-]*simd \| .*\nMozilla.*\nMedian of 3 runs\n/);
  assert.equal(copied.split('\n').length, 3 + rows.length);
  assert.ok(copied.includes(rows[1][3]), copied);
});

test('Stop ends the benchmark, by keyboard too, and what is measured stays', async (t) => {
  const page = await open(t, { hash: '#machine?runs=15' });
  await page.focus('#benchmark-run');
  await page.keyboard.press('Enter');
  await page.locator('#benchmark-results tr').first().waitFor(LONG);
  assert.equal(await page.evaluate(() => document.activeElement.id), 'benchmark-stop');
  await page.keyboard.press('Enter');
  await finished(page);
  assert.equal(await page.locator('#benchmark-outcome').innerText(), 'Stopped before the end.');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'benchmark-run');
  const rows = await page.locator('#benchmark-results tr').count();
  assert.ok(rows > 0 && rows < 5, `${rows} rows`);
  await page.waitForTimeout(300);
  assert.equal(await page.locator('#benchmark-results tr').count(), rows);
});

test('the number of runs is in the link, and a wrong one is refused', async (t) => {
  const page = await open(t, { hash: '#machine?runs=4' });
  await eventually(() => page.inputValue('#benchmark-runs'), '5');
  await eventually(async () => /runs = “4”: taken as 5/.test(await page.locator('#link-notices').innerText()), true);
  await page.selectOption('#benchmark-runs', '9');
  await eventually(() => page.evaluate(() => /runs=9/.test(location.hash)), true);
});

const LOOKS = [
  { name: 'en-light', hash: 'lang=en', colorScheme: 'light' },
  { name: 'ko-dark', hash: 'lang=ko', colorScheme: 'dark' },
  { name: 'ko-light-390', hash: 'lang=ko', colorScheme: 'light', viewport: { width: 390, height: 844 } },
];
for (const { name, hash, ...options } of LOOKS) {
  test(`the tab is looked at: ${name}`, async (t) => {
    const page = await open(t, { hash: `#machine?runs=3&${hash}`, ...options });
    await page.click('#benchmark-run');
    await finished(page);
    await page.waitForTimeout(300);
    await screenshot(page, `machine-${name}`);
  });
}

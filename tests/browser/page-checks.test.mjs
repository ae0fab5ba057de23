// What a checker of accessibility would look for, in every tab as it is used: names, contrast, the order of the focus, sizes of targets.
// Rules: WCAG 2.2, 1.4.3 (contrast), 2.4.3 (focus order), 2.5.8 (target size), 4.1.2 (name, role, value).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually, pageForTests, PATIENCE } from './page-driver.mjs';
import { faultsOf, focusPlaces } from './page-faults.mjs';

const open = pageForTests();

/** Each tab, brought to where it shows all that it can. */
const TABS = {
  translate: (page) => page.locator('.beam-node').first().waitFor(PATIENCE),
  tokenize: async (page) => {
    await page.locator('.merge-piece').first().waitFor(PATIENCE);
    await page.click('#merge-next');
    await page.click('#train-run');
    await page.locator('.card').nth(2).locator('.piece').first().waitFor(PATIENCE);
  },
  machine: async (page) => {
    await page.locator('#machine-facts div').first().waitFor(PATIENCE);
    await page.selectOption('#benchmark-runs', '3');
    await page.click('#benchmark-run');
    await eventually(async () => (await page.locator('#benchmark-outcome').innerText()) !== '', true);
  },
};

for (const colorScheme of ['light', 'dark']) {
  for (const [tab, prepare] of Object.entries(TABS)) {
    test(`${tab} has names, contrast and an order of focus: ${colorScheme}`, async (t) => {
      const page = await open(t, { hash: `#${tab}`, colorScheme });
      await prepare(page);
      await page.mouse.move(0, 0);
      await page.waitForTimeout(300);
      assert.deepEqual(await page.evaluate(faultsOf), []);
      const places = await focusPlaces(page);
      assert.ok(places.length > 10, `${places.length} places`);
      assert.deepEqual(places.filter(({ isSeen }) => !isSeen), [], 'each focus is seen');
      const backwards = places.filter(({ bottom }, i) => i > 0 && bottom < places[i - 1].top - 40);
      assert.deepEqual(backwards, [], 'the focus goes down the page');
    });
  }
}

// axe-core finds nothing against WCAG 2.2 AA in any tab, nor in any step of Learn.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { pageForTests, PATIENCE } from './page-driver.mjs';

const open = pageForTests();
const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

async function violations(page) {
  await page.mouse.move(0, 0);
  await page.waitForTimeout(300);    // until colours have faded to what they are to be
  const found = await page.evaluate(() => globalThis.axe.run(document, {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
  }));
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}: ${failureSummary}`));
}

/** What shows that a tab has brought its example to an end. */
const FINISHED = {
  translate: '.beam-node', generate: '#generate-run:not([disabled])', tokenize: '.merge-piece', attention: '.matrix-cell',
  understand: '#understand-result > *', machine: '#machine-facts div',
};

for (const colorScheme of ['light', 'dark']) {
  test(`axe-core finds nothing in the tabs: ${colorScheme}`, async (t) => {
    const page = await open(t, { colorScheme });
    await page.evaluate(axe);
    for (const [tab, finished] of Object.entries(FINISHED)) {
      await page.click(`#tab-${tab}`);
      await page.locator(finished).first().waitFor(PATIENCE);
      assert.deepEqual(await violations(page), [], tab);
    }
  });

  test(`axe-core finds nothing in the steps of Learn: ${colorScheme}`, async (t) => {
    const page = await open(t, { hash: '#learn', colorScheme });
    await page.evaluate(axe);
    const steps = page.locator('#learn nav a');
    await steps.first().waitFor(PATIENCE);
    for (let i = 0; i < await steps.count(); i++) {
      await steps.nth(i).click();
      await page.locator('#learn [aria-busy=true]').waitFor({ ...PATIENCE, state: 'detached' });
      assert.deepEqual(await violations(page), [], await steps.nth(i).innerText());
    }
  });
}

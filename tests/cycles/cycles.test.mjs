// A thousand loads and disposes in one page of Chromium: the memory after the last is within 5 % of that after the hundredth.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOT_FOUND, modelsOf, siteForTests } from '../browser/bare-page.mjs';
import { CAN_MEASURE, rendererMemory } from '../browser/memory.mjs';
import { bert } from '../fixtures/make_models.mjs';

const CYCLES = 1000, FIRST = 100, SHARE = 0.05;
const site = siteForTests(modelsOf({ bert: bert() }));

for (const worker of [true, false])
  test(`a thousand loads and disposes ${worker ? 'in workers' : 'in the page'}`, { skip: !CAN_MEASURE }, async (t) => {
    const page = await site.open(t, { expected: NOT_FOUND }), measured = [];
    while (measured.length < CYCLES / FIRST) {
      await page.evaluate(async ([times, options]) => {
        const { loadModel } = await import('/dist/index.js');
        for (let i = 0; i < times; i++) {
          const model = await loadModel('/models/bert/', options);
          await model.embed('the fox');
          model.dispose();
        }
      }, [FIRST, { worker }]);
      measured.push(await rendererMemory(site.browser, page));
      t.diagnostic(`${Math.round(measured.at(-1) / 2 ** 20)} MB after ${measured.length * FIRST}`);
    }
    const [first] = measured, last = measured.at(-1);
    assert.ok(last <= first * (1 + SHARE), `${((last / first - 1) * 100).toFixed(1)} % more after ${CYCLES} than after ${FIRST}`);
    assert.deepEqual(page.workers(), []);
  });

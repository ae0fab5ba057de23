// The programs of tests/seeds in node: what three texts on Transformers show in PyTorch, written with this package.
import { test } from 'node:test';
import { sourceOf } from '../seeds/models.mjs';
import { run } from '../seeds/run.mjs';
import { texts } from '../seeds/texts.mjs';
import { missing, openGolden } from './golden-modules.mjs';

const places = { model: sourceOf, readGolden: async (name) => (missing ? null : openGolden(name)) };
let compared = 0, skipped = 0;

for (const [text, programs] of Object.entries(texts)) {
  for (const [name, program] of Object.entries(programs)) {
    test(`${text} ${name}`, async (t) => {
      const result = await run(program, places);
      compared += result.compared;
      skipped += result.skipped.length;
      for (const reason of result.skipped) t.diagnostic(`skipped: ${reason}`);
    });
  }
}

test('what PyTorch gave was compared', { skip: missing }, (t) => t.diagnostic(`${compared} tensors compared, ${skipped} comparisons skipped`));

// What padding would cost: a batch of 32 texts of unlike lengths, against 32 of one length with as many tokens in all. By processor time,
// the two in turn.
//   node tests/bench/batch.mjs
import { loadModel } from 'webformer';
import { MINILM } from '../../wasm/setup/real-models.mjs';
import { setUp } from '../../wasm/setup.mjs';

await setUp('real-models');
const ROWS = 32, MEAN = 66, REPEAT = 9;
const rowOf = (length) => Array.from({ length }, (_, i) => (i === 0 ? 101 : i === length - 1 ? 102 : 1000 + ((i * 97) % 20000)));
/** From 4 to 128 tokens, in no order; their mean is that of the batch of one length. */
const unlike = Array.from({ length: ROWS }, (_, i) => rowOf(4 + 4 * ((i * 13) % ROWS)));
const alike = Array.from({ length: ROWS }, () => rowOf(MEAN));

const padded = (rows) => {
  const longest = Math.max(...rows.map((row) => row.length));
  const fill = (value) => (row) => [...value(row), ...Array(longest - row.length).fill(0)];
  return { inputIds: rows.map(fill((row) => row)), attentionMask: rows.map(fill((row) => row.map(() => 1))) };
};
const total = (rows) => rows.reduce((sum, { length }) => sum + length, 0);

const model = await loadModel(MINILM, { dtype: 'f32', device: 'wasm' });
const works = { unlike: padded(unlike), alike: padded(alike) }, times = { unlike: [], alike: [] };
for (let i = 0; i < REPEAT; ++i)
  for (const [name, inputs] of Object.entries(works)) {
    const before = process.cpuUsage();
    await model.forward(inputs);
    const { user, system } = process.cpuUsage(before);
    times[name].push((user + system) / 1e3);
  }
model.dispose();
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
const perToken = { unlike: median(times.unlike) / total(unlike), alike: median(times.alike) / total(alike) };
const said = (name, rows) => `${total(rows)} tokens, ${median(times[name]).toFixed(0)} ms`;
console.log(`rows of 4 to 128 tokens: ${said('unlike', unlike)}; rows of ${MEAN}: ${said('alike', alike)}`);
console.log(`a token costs ${(perToken.unlike / perToken.alike).toFixed(3)} times as much`);

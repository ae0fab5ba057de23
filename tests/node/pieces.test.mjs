// attention, positionalEncoding and word vectors by themselves: small values by hand, and PyTorch's where they are at hand.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attention, causalMask, loadWordVectors, positionalEncoding } from 'webformer';
import { missing, openGolden } from './golden-modules.mjs';
import { rejects, throws } from './support.mjs';

const tensor = (shape, ...data) => ({ data: Float32Array.from(data), shape });
const close = (got, want, allowed = 1e-6) => {
  assert.equal(got.length, want.length);
  want.forEach((x, i) => assert.ok(Math.abs(got[i] - x) <= allowed, `[${i}] is ${got[i]}, ${x} expected`));
};
const zeros = (...shape) => tensor(shape, ...Array(shape.reduce((a, b) => a * b, 1)).fill(0));

test("attention is PyTorch's: scales, masks, causal, biases, rows that see nothing, huge scores", { skip: missing }, async () => {
  const golden = openGolden('02_attention');
  for (const [name, about] of Object.entries(golden.about.cases)) {
    const query = golden.of('in', name, 'q'), key = golden.of('in', name, 'k'), value = golden.of('in', name, 'v');
    if (!value) continue; // of other subjects
    const options = { mask: golden.of('in', name, 'mask'), bias: golden.of('in', name, 'bias'), scale: about.scale_value };
    options.causal = about.causal === 'bottom_right';
    if (about.causal === 'top_left') {
      const [T, S] = [query.shape[2], key.shape[2]];
      options.mask = tensor([T, S], ...Array.from({ length: T * S }, (_, i) => (i % S <= Math.floor(i / S) ? 1 : 0)));
    }
    const { output, weights } = await attention(query, key, value, options);
    golden.compare(name, 'out', output);
    golden.compare(name, 'weights', weights);
  }
  assert.equal(golden.compared, 26);
});

test('attention takes one head, heads, or a batch of heads, and keeps the form', async () => {
  // Scores ln 3 and 0 at scale 1: weights 3/4 and 1/4.
  const data = [[Math.log(3), 1], [1, 0, 0, 0], [8, 4]];
  for (const lead of [[], [1], [1, 1]]) {
    const [query, key, value] = [[1, 2], [2, 2], [2, 1]].map((shape, i) => tensor([...lead, ...shape], ...data[i]));
    const { output, weights } = await attention(query, key, value, { scale: 1 });
    assert.deepEqual([output.shape, weights.shape], [[...lead, 1, 1], [...lead, 1, 2]]);
    close(weights.data, [0.75, 0.25]);
    close(output.data, [7]);
  }
});

test('attention shares a head of keys among several of the query', async () => {
  const query = zeros(4, 1, 2), key = zeros(2, 1, 2), value = tensor([2, 1, 2], 1, 2, 3, 4);
  const { output } = await attention(query, key, value);
  assert.deepEqual([...output.data], [1, 2, 1, 2, 3, 4, 3, 4]);
});

test('masks, biases, windows and soft caps change what is seen as their formulas say', async () => {
  const query = zeros(2, 1), key = zeros(3, 1), value = tensor([3, 1], 1, 2, 6);
  const seen = async (options) => [...(await attention(query, key, value, options)).output.data];
  close(await seen({}), [3, 3]);
  close(await seen({ mask: [true, false, true] }), [3.5, 3.5]);
  close(await seen({ mask: tensor([2, 1], 0, 1) }), [0, 3]);
  close(await seen({ causal: true }), [1.5, 3]); // the last query stands at the last key
  close(await seen({ causal: true, window: 1 }), [2, 6]);
  close(await seen({ window: 2 }), [3, 4]);
  close(await seen({ bias: tensor([3], Math.log(2), 0, Math.log(0.5)) }), [(2 + 2 + 3) / 3.5, (2 + 2 + 3) / 3.5]);
  close(await seen({ bias: tensor([3], -Infinity, 0, -Infinity) }), [2, 2]);
  close((await attention(tensor([1, 1], 1), tensor([2, 1], 1e6, 0), zeros(2, 1), { softcap: Math.log(3) })).weights.data, [0.75, 0.25]);
  close((await attention(zeros(3, 1), zeros(2, 1), tensor([2, 1], 4, 8), { causal: true })).output.data, [0, 4, 6]);
  const square = await attention(zeros(3, 1), key, value, { mask: causalMask(3) });
  assert.deepEqual(square, await attention(zeros(3, 1), key, value, { causal: true }));
});

test('attention refuses what does not fit, by name', async () => {
  const [q, k, v] = [zeros(2, 3, 4), zeros(2, 5, 4), zeros(2, 5, 6)];
  await rejects(attention(q, zeros(2, 5, 3), v), 'invalid_argument', /key: shape \[2, 5, 3\] does not fit the query's/);
  await rejects(attention(q, zeros(3, 5, 4), v), 'invalid_argument', /key: shape/);
  await rejects(attention(q, k, zeros(2, 4, 6)), 'invalid_argument', /value: shape \[2, 4, 6\]/);
  await rejects(attention(q, zeros(5, 4), v), 'invalid_argument', /key: shape \[5, 4\]/);
  await rejects(attention(zeros(4), zeros(4), zeros(4)), 'invalid_argument', /query: shape \[4\]/);
  await rejects(attention(q, k, v, { mask: zeros(3, 4) }), 'invalid_argument', /mask: shape \[3, 4\].*\[1, 2, 3, 5\] here/);
  await rejects(attention(q, k, v, { bias: [1] }), 'invalid_argument', /bias/);
  await rejects(attention(q, k, v, { scale: NaN }), 'invalid_argument', /scale: NaN found/);
  await rejects(attention(q, k, v, { casual: true }), 'invalid_argument', /did you mean 'causal'/);
  await rejects(attention(q, k, v, { device: 'webgpu' }), 'unsupported_platform', /webgpu/);
});

test("positional encodings are PyTorch's: sinusoidal with even and odd width, ALiBi, T5's buckets", { skip: missing }, async () => {
  const golden = openGolden('05_positions');
  for (const [name, [length, width]] of [['sinusoidal', [64, 32]], ['sinusoidal_odd_width', [16, 21]]])
    golden.compare(name, 'table', await positionalEncoding('sinusoidal', { length, width }));
  for (const heads of [4, 6, 8, 12]) {
    // The golden has 8 queries at the end of 12 keys.
    const { data, shape } = await positionalEncoding('alibi', { length: 12, heads });
    assert.deepEqual(shape, [heads, 12, 12]);
    golden.compare(`alibi_${heads}`, 'bias', { data: data.filter((_, i) => i % 144 >= 48), shape: [heads, 8, 12] });
  }
  for (const [name, options] of [['t5_bidirectional', {}], ['t5_small_bidirectional', { buckets: 8, maxDistance: 20 }]]) {
    const distances = golden.of('in', name, 'relative').data, length = Math.max(...distances) + 1;
    const { data, shape } = await positionalEncoding('t5', { length, ...options });
    assert.deepEqual(shape, [length, length]);
    const buckets = distances.map((distance) => (distance > 0 ? data[distance] : data[-distance * length]));
    golden.compare(name, 'bucket', { data: buckets, shape: [distances.length] });
  }
  assert.equal(golden.compared, 8);
});

test('the table of rope turns heads as PyTorch has it', { skip: missing }, async () => {
  const golden = openGolden('05_positions');
  for (const name of ['rope_interleaved', 'rope_half']) {
    const { data, shape } = await positionalEncoding('rope', { length: 8, width: 8 });
    assert.deepEqual(shape, [2, 8, 4]);
    for (const part of ['q', 'k']) {
      const x = golden.of('in', name, part), turned = { data: x.data.slice(), shape: x.shape };
      for (let row = 0; row < x.data.length / 8; row++) {
        for (let i = 0; i < 4; i++) {
          const [a, b] = (name === 'rope_half' ? [i, i + 4] : [2 * i, 2 * i + 1]).map((at) => row * 8 + at);
          const cos = data[(row % 8) * 4 + i], sin = data[32 + (row % 8) * 4 + i];
          turned.data[a] = x.data[a] * cos - x.data[b] * sin;
          turned.data[b] = x.data[b] * cos + x.data[a] * sin;
        }
      }
      golden.compare(name, part, turned);
    }
  }
});

test('positional encodings have their formulas, and refuse what does not fit', async () => {
  const { sin, cos } = Math;
  close((await positionalEncoding('sinusoidal', { length: 2, width: 4 })).data, [0, 1, 0, 1, sin(1), cos(1), sin(0.01), cos(0.01)]);
  close((await positionalEncoding('rope', { length: 2, width: 4, base: 100 })).data, [1, 1, cos(1), cos(0.1), 0, 0, sin(1), sin(0.1)]);
  close((await positionalEncoding('alibi', { length: 2, heads: 2 })).data, [0, -1 / 16, -1 / 16, 0, 0, -1 / 256, -1 / 256, 0]);
  await rejects(positionalEncoding('sinusoidal', { length: 2 }), 'invalid_argument', /width is missing/);
  await rejects(positionalEncoding('alibi', { length: 2, heads: 2, width: 4 }), 'invalid_argument', /unknown option 'width'/);
  await rejects(positionalEncoding('rope', { length: 2, width: 3 }), 'invalid_argument', /width: 3 found, an even number/);
  await rejects(positionalEncoding('t5', { length: 2, buckets: 2 }), 'invalid_argument', /buckets: 2 found/);
  await rejects(positionalEncoding('t5', { length: 2, buckets: 32, maxDistance: 8 }), 'invalid_argument', /maxDistance: 8 found/);
  await rejects(positionalEncoding('learned', { length: 2 }), 'invalid_argument', /kind: "learned" found/);
  await rejects(positionalEncoding('alibi', { length: 100_000, heads: 8 }), 'out_of_memory', /\[8, 100000, 100000\]/);
});

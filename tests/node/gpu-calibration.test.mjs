// The length from which on the GPU is used, from timings that the test makes up.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadBundled } from '../gpu/bundle.mjs';

const { calibrate } = await loadBundled('calibration');

/** Milliseconds by length: WebAssembly takes `wasm` at 1024 tokens, the GPU `gpu` and `start` for any call. */
const machine = ({ wasm, gpu, start }) => async (length) => {
  const part = (length / 1024) ** 2;
  return { length, wasm: wasm * part, gpu: start + gpu * part };
};
const WIDTH = 384;

test('the threshold is the first length at which the GPU is clearly faster', async () => {
  const { threshold, timings } = await calibrate(8192, WIDTH, machine({ wasm: 30, gpu: 1, start: 4 }));
  // 256: 4.06 of 1.9 ms; 512: 4.25 of 7.5 ms
  assert.equal(threshold, 512);
  assert.deepEqual(timings.map(({ length }) => length), [128, 256, 512]);
});

test('a GPU that is ahead by less than a fifth is not used', async () => {
  const { threshold } = await calibrate(1024, WIDTH, machine({ wasm: 10, gpu: 8.5, start: 0 }));
  assert.equal(threshold, Infinity);
});

test('nothing is tried beyond what the model takes, or what its memory would grow by', async () => {
  const slow = machine({ wasm: 1, gpu: 2, start: 0 });
  assert.deepEqual((await calibrate(127, WIDTH, slow)).timings, []);
  assert.deepEqual((await calibrate(300, WIDTH, slow)).timings.map(({ length }) => length), [128, 256]);
  assert.deepEqual((await calibrate(8192, 8192, slow)).timings.map(({ length }) => length), [128, 256]);
});

test('it ends before it takes long', async () => {
  const lengths = [];
  let spent = 0;
  const { threshold } = await calibrate(8192, WIDTH, async (length) => {
    const timing = await machine({ wasm: 300, gpu: 3000, start: 0 })(length);
    lengths.push(length);
    spent += 2 * (timing.gpu + timing.wasm);
    return timing;
  });
  assert.equal(threshold, Infinity);
  assert.deepEqual(lengths, [128]); // 103 ms; the next would take four times as long
  assert.ok(spent < 300);
});

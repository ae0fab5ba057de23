// The attention kernel of web/gpu on Dawn in node.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { loadBundled } from '../gpu/bundle.mjs';
import { useSoftwareGpu } from '../gpu/software.mjs';

const TOLERANCE = 1e-4;
const RANDOM_CASES = 300;

useSoftwareGpu();
const suite = await loadBundled('suite');
const { AttentionKernel, Device } = suite;
const device = await Device.open().catch((error) => error);
const skip = device instanceof Error && `no WebGPU in this node: ${device.message}`;
const kernel = skip ? undefined : new AttentionKernel(device);
after(() => skip || device.close());

const wrong = (comparisons) => comparisons.filter(({ worst, finite }) => !(worst <= TOLERANCE && finite));

test(`${RANDOM_CASES} random cases of every kind of mask agree with the oracle`, { skip }, async () => {
  const comparisons = await suite.compareRandom(kernel, 0, RANDOM_CASES);
  assert.equal(comparisons.length, RANDOM_CASES);
  assert.deepEqual(wrong(comparisons), []);
});

test('the edges agree with the oracle', { skip }, async () => {
  assert.deepEqual(wrong(await suite.compareEdges(kernel)), []);
});

test('a bad number in the query, a key or a value is reported', { skip }, async () => {
  assert.deepEqual(await suite.findUnreported(kernel), []);
});

test('calls under way together do not mix their buffers', { skip }, async () => {
  const shapes = [1, 2, 3, 4, 5, 6].map((i) => ({ queries: 8 * i, keys: 70 - 9 * i, heads: 2 }));
  const cases = shapes.map((shape, seed) => suite.makeArgs(suite.randomFrom(seed), shape));
  assert.deepEqual(wrong(await Promise.all(cases.map((args, i) => suite.compare(kernel, `call ${i}`, args)))), []);
});

test('head sizes above 256 are refused, and the kernel goes on', { skip }, async () => {
  const args = suite.makeArgs(suite.randomFrom(1), { queries: 2, keys: 2, headSize: 257 });
  const message = 'head size: 257 found, the GPU kernel takes at most 256';
  await assert.rejects(kernel.run(args), { name: 'GpuFailure', lasting: false, message });
  assert.deepEqual(wrong(await suite.compareEdges(kernel)), []);
});

test('what does not fit into a buffer is refused, and the kernel goes on', { skip }, async () => {
  const args = suite.makeArgs(suite.randomFrom(1), { queries: 4, keys: 1, headSize: 4 });
  const most = device.report.limits.maxStorageBufferBindingSize;
  const long = { ...args, weights: true, memory: { ...args.memory, length: most / 16 + 1 } };
  const message = /^results: \d+ bytes found, a buffer of this GPU has at most \d+$/;
  await assert.rejects(kernel.run(long), { name: 'GpuFailure', lasting: false, message });
  assert.deepEqual(wrong(await suite.compareEdges(kernel)), []);
});

test('a destroyed device fails what is under way and what comes later, once and for all', { skip }, async () => {
  const other = await Device.open();
  const lost = new AttentionKernel(other);
  const args = suite.makeArgs(suite.randomFrom(1), { queries: 4, keys: 4 });
  assert.ok((await lost.run(args)).finite);
  const underWay = lost.run(args);
  other.handle.destroy();
  await assert.rejects(underWay, { name: 'GpuFailure', lasting: true, message: /^the GPU device was lost \(destroyed/ });
  await assert.rejects(lost.run(args), { lasting: true, message: /^the GPU device was lost \(destroyed/ });
  assert.ok((await kernel.run(args)).finite, 'the first device is not concerned');
});

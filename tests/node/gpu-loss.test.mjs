// Models on a GPU that fails: a fake one, which is lost, refuses or hangs when a test says so.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { capabilities } from 'webformer';
import { bert, llama, marian } from '../fixtures/make_models.mjs';
import { loadBundled } from '../gpu/bundle.mjs';
import { opened, range, rejects } from './support.mjs';

const { FakeGpu } = await loadBundled('fake');
const MODELS = { bert: bert(), llama: llama(), marian: marian() };

/** Puts a fake GPU where the package looks for one. */
function withGpu(t, settings = {}) {
  const gpu = Object.assign(new FakeGpu(), settings);
  const before = Object.getOwnPropertyDescriptor(globalThis, 'navigator');
  Object.defineProperty(globalThis, 'navigator', { value: { gpu }, configurable: true });
  t.after(() => (before ? Object.defineProperty(globalThis, 'navigator', before) : delete globalThis.navigator));
  return gpu;
}

/** What is printed as a warning until the test ends. */
function warnings(t) {
  const lines = [];
  const warn = t.mock.method(console, 'warn', (line) => lines.push(line));
  t.after(() => warn.mock.restore());
  return lines;
}

const GREEDY = { maxNewTokens: 12, minNewTokens: 12 };
const ids = (count) => range(count).map((i) => 3 + (i % 8));
const PROMPT = [ids(20)];
const tokensOf = async (model) => {
  const { sequences, usage } = await model.generate(PROMPT, GREEDY).result();
  return { sequences, dispatches: usage.gpuDispatches };
};

async function expectedTokens(t, files) {
  const { sequences, dispatches } = await tokensOf(await opened(t, files, { device: 'wasm' }));
  assert.equal(dispatches, 0);
  return sequences;
}

for (const [name, files] of Object.entries(MODELS)) {
  test(`${name} gives the same numbers and attentions on the GPU, and counts what it did`, async (t) => {
    const gpu = withGpu(t);
    const onCpu = await opened(t, files, { device: 'wasm' });
    const onGpu = await opened(t, files, { device: 'webgpu' });
    assert.equal(onGpu.info.device, 'webgpu');
    assert.equal(onGpu.info.gpuThreshold, 0);
    const inputs = { inputIds: [range(6, 3), range(6, 4)], attentionMask: [[1, 1, 1, 1, 0, 0], [1, 1, 1, 1, 1, 1]] };
    if (name === 'marian') inputs.decoderInputIds = [[3, 4, 5], [6, 7, 8]];
    const before = gpu.submits;
    const [want, got] = [await onCpu.forward(inputs, { attentions: true }), await onGpu.forward(inputs, { attentions: true })];
    const { layers } = onGpu.info;
    assert.equal(got.gpuDispatches, gpu.submits - before);
    assert.equal(got.gpuDispatches, 2 * layers * (name === 'marian' ? 3 : 1), 'each sequence, layer and kind of attention');
    assert.equal(want.gpuDispatches, 0);
    const near = (a, b) => a.data.every((x, i) => Math.abs(x - b.data[i]) < 1e-4);
    assert.ok(near(got.lastHiddenState, want.lastHiddenState));
    for (const kind of ['attentions', 'encoderAttentions', 'decoderAttentions', 'crossAttentions'])
      (want[kind] ?? []).forEach((weights, i) => assert.ok(near(weights, got[kind][i]), `${kind} of layer ${i}`));
  });
}

for (const name of ['llama', 'marian']) {
  const files = MODELS[name];

  test(`${name}: a device lost before, between and during dispatches changes no token and is reported once`, async (t) => {
    const expected = await expectedTokens(t, files);
    const whole = await (async () => {
      withGpu(t);
      const { sequences, dispatches } = await tokensOf(await opened(t, files, { device: 'webgpu' }));
      assert.deepEqual(sequences, expected);
      return dispatches;
    })();
    assert.ok(whole > 10, `${whole} dispatches`);
    for (const lostAt of [0, 1, 2, Math.floor(whole / 2), whole]) {
      const gpu = withGpu(t), lines = warnings(t);
      const model = await opened(t, files, { device: 'webgpu' });
      const last = gpu.submits + lostAt;
      if (lostAt === 0) gpu.devices[0].lose('unknown', 'the driver was reset');
      gpu.onSubmit = (device) => gpu.submits === last && device.lose('unknown', 'the driver was reset');
      // What hangs when its device is lost must not hang the call.
      gpu.reach = (what, device) => (device.isLost ? new Promise(() => undefined) : undefined);
      const { sequences, dispatches } = await tokensOf(model);
      assert.deepEqual(sequences, expected, `lost at ${lostAt}`);
      assert.equal(dispatches, Math.max(0, lostAt - 1), `lost at ${lostAt}`);
      const again = await tokensOf(model);
      assert.deepEqual(again, { sequences: expected, dispatches: 0 });
      assert.equal(lines.length, 1, lines.join());
      assert.match(lines[0], /^webformer: the GPU device was lost \(unknown: the driver was reset\)/);
      assert.equal(model.info.device, 'wasm');
    }
  });
}

const FAILURES = {
  'a validation error': (gpu) => gpu.failScope('bind group is wrong'),
  'a buffer that cannot be mapped': (gpu) => (gpu.reach = (what) => what === 'map' && Promise.reject(new Error('map failed'))),
  'a device that the system destroys': (gpu) => gpu.devices[0].destroy(),
};
for (const [what, fail] of Object.entries(FAILURES)) {
  test(`${what} in the middle of a call leaves the rest to the CPU`, async (t) => {
    const expected = await expectedTokens(t, MODELS.llama);
    const gpu = withGpu(t), lines = warnings(t);
    const model = await opened(t, MODELS.llama, { device: 'webgpu' });
    const at = gpu.submits + 3;
    gpu.onSubmit = () => gpu.submits === at && fail(gpu);
    const { sequences, dispatches } = await tokensOf(model);
    assert.deepEqual(sequences, expected);
    assert.equal(dispatches, 2);
    assert.equal(lines.length, 1, lines.join());
    assert.equal(model.info.device, 'wasm');
    assert.match(model.info.deviceReason, /bind group is wrong|map failed|was lost \(destroyed\)/);
    assert.equal(gpu.held.devices, 0, 'a device of no more use is given up');
  });
}

test('what is too large for the device is left to the CPU alone, and said once', async (t) => {
  const files = MODELS.llama;
  const expected = await expectedTokens(t, files);
  withGpu(t, { maxStorageBufferBindingSize: 2 ** 15 });
  const lines = warnings(t);
  const model = await opened(t, files, { device: 'webgpu' });
  const long = { inputIds: [ids(240)] };
  const output = await model.forward(long, { attentions: true, logits: 'none' });
  assert.equal(output.gpuDispatches, 0);
  assert.equal(lines.length, 1, lines.join());
  assert.match(lines[0], /results: \d+ bytes found, a buffer of this GPU has at most 32768/);
  assert.equal(model.info.device, 'webgpu');
  const { sequences, dispatches } = await tokensOf(model);
  assert.deepEqual(sequences, expected);
  assert.ok(dispatches > 0);
});

test('a GPU that is wrong, hides bad numbers or is missing is refused by name, and not used by auto', async (t) => {
  const cases = [
    [{ error: 0.01 }, /computes wrong numbers/],
    [{ adapter: null }, /no adapter/],
    [{ reach: (what) => what === 'pipeline' && Promise.reject(new Error('shader')) }, /refused the work \(shader\)/],
  ];
  for (const [settings, pattern] of cases) {
    const gpu = withGpu(t, settings);
    await rejects(opened(t, MODELS.bert, { device: 'webgpu' }), 'unsupported_platform', pattern);
    const model = await opened(t, MODELS.bert);
    assert.equal(model.info.device, 'wasm');
    assert.match(model.info.deviceReason, pattern);
    assert.equal(gpu.held.devices, 0);
    assert.equal((await model.forward({ inputIds: [[2, 5, 3]] })).gpuDispatches, 0);
  }
});

test('auto does not use a GPU that is slower than the CPU, and says so', async (t) => {
  withGpu(t); // the oracle in JavaScript
  const model = await opened(t, MODELS.llama);
  assert.equal(model.info.device, 'wasm');
  assert.match(model.info.deviceReason, /the GPU was not faster up to \d+ tokens/);
  const { webgpu } = await capabilities();
  assert.equal(webgpu.adapter, 'fake');
  assert.equal(webgpu.available, true);
  assert.match(webgpu.reason, /not faster/);
});

test('device wasm asks for no GPU', async (t) => {
  const gpu = withGpu(t);
  const model = await opened(t, MODELS.bert, { device: 'wasm' });
  assert.equal(gpu.devices.length, 0);
  assert.equal(model.info.deviceReason, undefined);
});

test('an abort while the GPU is at work ends the call, and the next one is right', async (t) => {
  const expected = await expectedTokens(t, MODELS.llama);
  const gpu = withGpu(t);
  const model = await opened(t, MODELS.llama, { device: 'webgpu' });
  const controller = new AbortController();
  let release;
  gpu.reach = (what) => what === 'map' && new Promise((resolve) => (release = resolve));
  const call = model.generate(PROMPT, { ...GREEDY, signal: controller.signal }).result();
  while (!release) await new Promise(setImmediate);
  controller.abort('now');
  assert.equal((await rejects(call, 'aborted')).cause, 'now');
  gpu.reach = () => undefined;
  release();
  const { sequences, dispatches } = await tokensOf(model);
  assert.deepEqual(sequences, expected);
  assert.ok(dispatches > 10);
});

test('a number that is not finite is reported by the CPU as without a GPU', async (t) => {
  withGpu(t);
  const weights = new Uint8Array(MODELS.bert.get('model.safetensors'));
  const headerLength = Number(new DataView(weights.buffer, weights.byteOffset).getBigUint64(0, true));
  const header = JSON.parse(Buffer.from(weights.subarray(8, 8 + headerLength)).toString());
  const [name] = Object.keys(header).filter((key) => /attention.*query\.weight$/.test(key));
  new DataView(weights.buffer, weights.byteOffset).setFloat32(8 + headerLength + header[name].data_offsets[0], 3e38, true);
  const files = new Map([...MODELS.bert, ['model.safetensors', weights]]);
  for (const device of ['wasm', 'webgpu']) {
    const model = await opened(t, files, { device });
    await rejects(model.forward({ inputIds: [range(5, 2)] }), 'numeric_error');
  }
});

test('a hundred losses leave no device and no buffer behind', async (t) => {
  const gpu = withGpu(t);
  warnings(t);
  for (let i = 0; i < 100; i++) {
    const model = await opened(t, MODELS.bert, { device: 'webgpu' });
    const at = gpu.submits + 1;
    gpu.onSubmit = (device) => gpu.submits === at && device.lose('unknown', '');
    const { gpuDispatches } = await model.forward({ inputIds: [range(6, 2)] });
    assert.equal(gpuDispatches, 0);
    model.dispose();
  }
  assert.equal(gpu.devices.length, 100);
  assert.deepEqual(gpu.held, { devices: 0, buffers: 0 });
});

// Models on a real WebGPU device: Dawn in node, with SwiftShader where there is no GPU.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bert, llama, marian } from '../fixtures/make_models.mjs';
import { loadBundled } from '../gpu/bundle.mjs';
import { useSoftwareGpu } from '../gpu/software.mjs';
import { opened, range } from './support.mjs';

useSoftwareGpu();
const { Device } = await loadBundled('suite');
const device = await Device.open().catch((error) => error);
const skip = device instanceof Error && `no WebGPU in this node: ${device.message}`;
if (!skip) device.close();

const GREEDY = { maxNewTokens: 8, minNewTokens: 8 };
const PROMPT = [range(6, 3)];
const generated = async (model) => {
  const { sequences, usage } = await model.generate(PROMPT, GREEDY).result();
  return { sequences, dispatches: usage.gpuDispatches };
};

test('an encoder gives the same numbers and attentions on the device', { skip }, async (t) => {
  const inputs = { inputIds: [range(9, 2), range(9, 3)], attentionMask: [[1, 1, 1, 1, 1, 0, 0, 0, 0], new Array(9).fill(1)] };
  const [onCpu, onGpu] = [await opened(t, bert(), { device: 'wasm' }), await opened(t, bert(), { device: 'webgpu' })];
  const [want, got] = [await onCpu.forward(inputs, { attentions: true }), await onGpu.forward(inputs, { attentions: true })];
  assert.equal(got.gpuDispatches, 2 * onGpu.info.layers);
  const near = (a, b) => a.data.every((x, i) => Math.abs(x - b.data[i]) < 1e-4);
  assert.ok(near(want.lastHiddenState, got.lastHiddenState));
  want.attentions.forEach((weights, i) => assert.ok(near(weights, got.attentions[i]), `attentions of layer ${i}`));
});

for (const [name, make] of Object.entries({ llama, marian })) {
  test(`${name} generates the same tokens on the device`, { skip }, async (t) => {
    const [onCpu, onGpu] = [await opened(t, make(), { device: 'wasm' }), await opened(t, make(), { device: 'webgpu' })];
    const [want, got] = [await generated(onCpu), await generated(onGpu)];
    assert.deepEqual(got.sequences, want.sequences);
    assert.ok(got.dispatches >= GREEDY.maxNewTokens * onGpu.info.layers, `${got.dispatches} dispatches`);
  });
}

/** Dawn as the package would find it in a browser, and the devices that were opened on it. */
async function captureDevices(t) {
  const { create } = await import('webgpu');
  const gpu = create([]), devices = [];
  const requestAdapter = async (options) => {
    const adapter = await gpu.requestAdapter(options);
    return {
      info: adapter.info,
      features: adapter.features,
      limits: adapter.limits,
      requestDevice: async (wanted) => {
        devices.push(await adapter.requestDevice(wanted));
        return devices.at(-1);
      },
    };
  };
  const before = Object.getOwnPropertyDescriptor(globalThis, 'navigator');
  Object.defineProperty(globalThis, 'navigator', { value: { gpu: { requestAdapter } }, configurable: true });
  t.after(() => (before ? Object.defineProperty(globalThis, 'navigator', before) : delete globalThis.navigator));
  return devices;
}

test('a device that is destroyed before, in the middle of and after a call changes no token', { skip }, async (t) => {
  const { sequences } = await generated(await opened(t, llama(), { device: 'wasm' }));
  const devices = await captureDevices(t);
  const warn = t.mock.method(console, 'warn', () => undefined);
  for (const [i, when] of ['before', 'within', 'after'].entries()) {
    const model = await opened(t, llama(), { device: 'webgpu' });
    const handle = devices.at(-1);
    if (when === 'before') handle.destroy();
    const call = model.generate(PROMPT, GREEDY);
    if (when === 'within') for await (const { index } of call) if (index === 0) handle.destroy();
    const { sequences: got, usage } = await call.result();
    assert.deepEqual(got, sequences, when);
    if (when === 'after') handle.destroy();
    assert.equal(usage.gpuDispatches > 0, when !== 'before');
    assert.deepEqual((await generated(model)).sequences, sequences);
    assert.equal(model.info.device, 'wasm');
    assert.equal(warn.mock.callCount(), i + 1, 'one report each');
  }
});

test("auto leaves a software adapter alone, and says why", { skip }, async (t) => {
  await captureDevices(t);
  const model = await opened(t, llama());
  if (device.report.software) assert.match(model.info.deviceReason, /^Attention stays on the CPU: .* computes on the CPU itself\.$/);
  else assert.ok(model.info.device === 'webgpu' || /not faster/.test(model.info.deviceReason), JSON.stringify(model.info.deviceReason));
});

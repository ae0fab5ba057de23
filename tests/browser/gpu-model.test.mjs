// Models in Chromium with their attention on WebGPU (SwiftShader), in the worker and under the strict CSP of a page.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { loadModel } from 'webformer';
import { bert, llama, marian } from '../fixtures/make_models.mjs';
import { CHROMIUM_OPTIONS } from '../gpu/software.mjs';

const dist = path.dirname(fileURLToPath(import.meta.resolve('webformer')));
const models = { bert: bert(), llama: llama(), marian: marian() };
const STRICT = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'";
const TYPES = { '.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm' };
const GREEDY = { maxNewTokens: 8, minNewTokens: 8 };
const PROMPT = [[3, 4, 5, 6, 7, 8]];
const INPUTS = { inputIds: [[3, 4, 5, 6, 7], [4, 5, 6, 7, 8]], attentionMask: [[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]] };
const inputsFor = (name) => (name === 'marian' ? { ...INPUTS, decoderInputIds: [[3, 4], [5, 6]] } : INPUTS);

let browser, server, origin;

function answer(request, response) {
  const name = new URL(request.url, 'http://localhost').pathname.slice(1);
  const [folder, model, file] = name.split('/');
  const built = path.join(dist, name.slice('dist/'.length));
  response.setHeader('content-security-policy', STRICT);
  if (name === '') return response.setHeader('content-type', 'text/html').end('<!doctype html><title>test</title>');
  const bytes = folder === 'models' ? models[model]?.get(file) : folder === 'dist' && existsSync(built) ? readFileSync(built) : undefined;
  if (!bytes) return response.writeHead(404).end();
  const type = TYPES[path.extname(name)] ?? 'application/octet-stream';
  return response.writeHead(200, { 'content-type': type, 'content-length': bytes.length }).end(bytes);
}

before(async () => {
  server = createServer(answer);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${server.address().port}/`;
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM || undefined, args: ['--no-sandbox', ...CHROMIUM_OPTIONS] });
});
after(async () => {
  await browser?.close();
  server?.closeAllConnections();
  server?.close();
});

async function openPage(t) {
  const context = await browser.newContext();
  t.after(() => context.close());
  const page = await context.newPage();
  await page.goto(origin);
  return page;
}

for (const name of Object.keys(models)) {
  test(`${name} gives node's numbers and tokens with its attention on the GPU`, async (t) => {
    const page = await openPage(t);
    const got = await page.evaluate(
      async ([source, inputs, prompt, options]) => {
        const { loadModel } = await import('/dist/index.js');
        const model = await loadModel(new URL(source, location.href), { device: 'webgpu' });
        const { lastHiddenState, gpuDispatches } = await model.forward(inputs);
        const generation = model.info.kind === 'encoder' ? undefined : await model.generate(prompt, options).result();
        const { device } = model.info;
        model.dispose();
        return { hidden: [...lastHiddenState.data], gpuDispatches, generation, device };
      },
      [`/models/${name}/`, inputsFor(name), PROMPT, GREEDY],
    );
    const model = await loadModel(models[name], { device: 'wasm' });
    const want = (await model.forward(inputsFor(name))).lastHiddenState.data;
    got.hidden.forEach((value, i) => assert.ok(Math.abs(value - want[i]) < 1e-4, `${value} for ${want[i]} at ${i}`));
    assert.equal(got.gpuDispatches, 2 * model.info.layers * (name === 'marian' ? 3 : 1));
    assert.equal(got.device, 'webgpu');
    if (model.info.kind !== 'encoder') {
      const { sequences, usage } = got.generation;
      assert.deepEqual(sequences, (await model.generate(PROMPT, GREEDY).result()).sequences);
      assert.ok(usage.gpuDispatches >= GREEDY.maxNewTokens * model.info.layers, `${usage.gpuDispatches} dispatches`);
    }
    model.dispose();
  });
}

test('auto says why it leaves SwiftShader alone, and capabilities what there is', async (t) => {
  const page = await openPage(t);
  const { info, webgpu } = await page.evaluate(async () => {
    const { loadModel, capabilities } = await import('/dist/index.js');
    const model = await loadModel(new URL('/models/bert/', location.href));
    return { info: model.info, webgpu: (await capabilities()).webgpu };
  });
  assert.equal(info.device, 'wasm');
  assert.match(info.deviceReason, /^Attention stays on the CPU: .* computes on the CPU itself\.$/);
  assert.equal(webgpu.available, true);
  assert.match(webgpu.adapter, /swiftshader/);
  assert.ok(webgpu.limits.maxStorageBufferBindingSize >= 2 ** 27);
  assert.equal(webgpu.reason, info.deviceReason);
});

test('a page that has no WebGPU refuses webgpu by name, and auto goes on without', async (t) => {
  const page = await openPage(t);
  const [error, { device, deviceReason }] = await page.evaluate(async () => {
    Object.defineProperty(navigator, 'gpu', { value: undefined });
    const { loadModel } = await import('/dist/index.js');
    const load = (device) => loadModel(new URL('/models/bert/', location.href), { device, worker: false });
    const refused = await load('webgpu').catch(({ code, message }) => ({ code, message }));
    return [refused, (await load('auto')).info];
  });
  assert.equal(error.code, 'unsupported_platform');
  assert.match(error.message, /^device 'webgpu': this browser has no WebGPU here/);
  assert.equal(device, 'wasm');
  assert.equal(deviceReason, 'This browser has no WebGPU here.');
});

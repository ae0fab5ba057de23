// Loads that are aborted at each of their stages, and models whose WebAssembly traps: what is pending rejects, and the next load works.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { loadModel, loadTokenizer } from 'webformer';
import { bert } from '../fixtures/make_models.mjs';
import { fileServer, opened, rejects, serve, temporaryFolder } from './support.mjs';

const files = bert();
const dist = import.meta.resolve('webformer');
const PROMPT_MS = 1000;  // of which a crowded machine takes the most

/** Aborts a load once `reached` resolves, and asserts that it ends at once and with the reason. */
async function abortsAt(reached, load) {
  const controller = new AbortController(), reason = new Error('enough');
  const loading = rejects(load(controller.signal), 'aborted');
  await reached;
  const started = performance.now();
  controller.abort(reason);
  assert.equal((await loading).cause, reason);
  const took = performance.now() - started;
  assert.ok(took < PROMPT_MS, `${took} ms`);
}

/** A server that falls silent at one of its files, after so many bytes. */
async function silentServer(t, name, bytes) {
  let reached;
  const silence = new Promise((resolve) => (reached = resolve));
  const address = await serve(t, (request, response) => {
    if (request.url !== `/${name}`) return fileServer(files)(request, response);
    const whole = files.get(name);
    if (bytes !== undefined) response.writeHead(200, { 'content-length': whole.length }).write(whole.subarray(0, bytes));
    setTimeout(reached, 30);
  });
  return { address, silence };
}

test('a load is aborted while the server is silent, in this thread and in a worker', async (t) => {
  for (const [name, bytes] of [['config.json'], ['tokenizer.json', 100], ['model.safetensors', 0], ['model.safetensors', 5000]]) {
    for (const worker of [false, true]) {
      const { address, silence } = await silentServer(t, name, bytes);
      await abortsAt(silence, (signal) => loadModel(address, { signal, worker }));
    }
  }
  const { address, silence } = await silentServer(t, 'tokenizer.json', 100);
  await abortsAt(silence, (signal) => loadTokenizer(address, { signal }));
});

test('a silent server of the WebAssembly file holds up neither an abort nor the next load', async (t) => {
  const wasm = readFileSync(new URL('webformer.wasm', dist));
  let asked = 0, reached;
  const silence = new Promise((resolve) => (reached = resolve));
  const wasmUrl = await serve(t, (request, response) => (asked++ === 0 ? setTimeout(reached, 30) : response.end(wasm)));
  await abortsAt(silence, (signal) => loadModel(files, { signal, wasmUrl }));
  await opened(t, files, { wasmUrl });
  assert.equal(asked, 2);
});

/** A worker's script, in front of which some code runs. */
function workerScript(t, code) {
  const file = path.join(temporaryFolder(t), 'worker.mjs');
  writeFileSync(file, code);
  return pathToFileURL(file);
}

test('a worker whose script never answers holds up no abort', async (t) => {
  const workerUrl = workerScript(t, 'setInterval(() => {}, 1000);');
  await abortsAt(sleep(100), (signal) => loadModel(files, { signal, worker: true, workerUrl }));
});

/** From `armed` on, every call that leaves JavaScript for WebAssembly by an export traps. */
const TRAPPING = `
  const real = WebAssembly.instantiate;
  const unreachable = new WebAssembly.Instance(new WebAssembly.Module(
    Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0, 10, 5, 1, 3, 0, 0, 11)));
  WebAssembly.instantiate = async (...args) => {
    const { exports } = await real(...args);
    const wrapped = Object.entries(exports).map(([name, value]) => [name, typeof value !== 'function' ? value
      : (...given) => (globalThis.armed ? unreachable.exports.f() : value(...given))]);
    return { exports: Object.fromEntries(wrapped) };
  };`;

test('a trap in a worker rejects all that is pending, and the next load works', async (t) => {
  const workerUrl = workerScript(t, `${TRAPPING}
    const { parentPort } = await import('node:worker_threads');
    const on = parentPort.on.bind(parentPort);
    parentPort.on = (name, receive) => on(name, (message) => {
      globalThis.armed = message.request?.kind === 'embed';
      receive(message);
    });
    await import(${JSON.stringify(new URL('worker.js', dist).href)});`);
  const model = await opened(t, files, { worker: true, workerUrl });
  const pending = [model.embed('the fox'), model.forward({ inputIds: [[1]] }), model.embed('grapes')];
  for (const call of pending) await rejects(call, 'worker_crashed');
  await rejects(model.forward({ inputIds: [[1]] }), 'worker_crashed');
  assert.ok(await (await opened(t, files, { worker: true })).embed('the fox'));
});

test('a trap in this thread ends the model that it was in, and no other', async (t) => {
  const real = WebAssembly.instantiate;
  let model;
  try {
    new Function(TRAPPING)();
    model = await opened(t, files);
    globalThis.armed = true;
    await rejects(model.embed('the fox'), 'worker_crashed', /WebAssembly stopped/);
    globalThis.armed = false;
    await rejects(model.embed('the fox'), 'worker_crashed', /WebAssembly stopped/);
  } finally {
    WebAssembly.instantiate = real;
    delete globalThis.armed;
  }
  assert.ok(await (await opened(t, files)).embed('the fox'));
});

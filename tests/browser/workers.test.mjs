// Workers that end in their own ways, and many of them one after the other.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bert, llama } from '../fixtures/make_models.mjs';
import { NOT_FOUND, modelsOf, siteForTests } from './bare-page.mjs';
import { CAN_MEASURE, rendererMemory } from './memory.mjs';

const models = { bert: bert(), llama: llama({ length: 8192 }) };
const SCRIPTS = {
  'crashing.js': "import './dist/worker.js'; addEventListener('message', () => setTimeout(() => { throw new Error('out of luck'); }, 50));",
  'odd.js': "import './dist/worker.js'; for (const odd of [{}, { type: 'done', id: 1e9 }, { type: 'odd', id: -1 }]) postMessage(odd);",
  'closing.js': "import './dist/worker.js'; addEventListener('message', ({ data }) => data.request?.kind === 'generate' && close());",
};
const ofModels = modelsOf(models);
const site = siteForTests((name, request, response) => {
  if (SCRIPTS[name]) {
    const policy = "script-src 'self' 'wasm-unsafe-eval'";
    return response.writeHead(200, { 'content-type': 'text/javascript', 'content-security-policy': policy }).end(SCRIPTS[name]);
  }
  return ofModels(name, request, response);
});

/** Notes the workers that the package starts. */
function noteWorkers() {
  globalThis.workers = [];
  const Real = globalThis.Worker;
  globalThis.Worker = class extends Real {
    constructor(...given) {
      super(...given);
      globalThis.workers.push(this);
    }
  };
}

test('a worker that is ended from outside takes no promise with it', async (t) => {
  const page = await site.open(t, { expected: NOT_FOUND, script: noteWorkers });
  const results = await page.evaluate(async () => {
    const { loadModel } = await import('/dist/index.js');
    const code = ({ code: found, message }) => `${found}: ${message}`;
    const model = await loadModel('/models/llama/');
    const pending = [
      model.generate('a', { maxNewTokens: 4000, minNewTokens: 4000 }).result(),
      model.forward({ inputIds: [[1]] }),
    ].map((promise) => promise.catch(code));
    globalThis.workers[0].terminate();
    const settled = await Promise.all(pending);
    settled.push(await model.forward({ inputIds: [[1]] }).catch(code));
    model.dispose();

    // While nothing was pending, it comes out at the next call.
    const idle = await loadModel('/models/llama/');
    globalThis.workers[1].terminate();
    settled.push(await idle.forward({ inputIds: [[1]] }).catch(code));

    const next = await loadModel('/models/llama/');
    const { logits } = await next.forward({ inputIds: [[1]] });
    next.dispose();
    return { settled, shape: logits.shape };
  });
  for (const text of results.settled) assert.match(text, /^worker_crashed: .*load the model again/);
  assert.equal(results.settled.length, 4);
  assert.equal(results.shape.length, 3);
});

test('a worker that throws, or closes itself, takes no promise with it', async (t) => {
  const page = await site.open(t, { expected: NOT_FOUND });
  const load = (workerUrl) => page.evaluate(async (url) => {
    const { loadModel } = await import('/dist/index.js');
    try {
      const model = await loadModel('/models/llama/', { workerUrl: url });
      const { usage } = await model.generate('a', { maxNewTokens: 500, minNewTokens: 500 }).result();
      model.dispose();
      return `${usage.newTokens} tokens`;
    } catch ({ code, message }) {
      return `${code}: ${message}`;
    }
  }, workerUrl);
  assert.match(await load('/crashing.js'), /^worker_crashed: .*out of luck/);
  assert.match(await load('/closing.js'), /^worker_crashed: .*ended from outside/);
  assert.equal(await load(), '500 tokens');
});

test('messages that answer nothing that was asked are passed over', async (t) => {
  const page = await site.open(t, { expected: NOT_FOUND });
  const made = await page.evaluate(async () => {
    const { loadModel } = await import('/dist/index.js');
    const model = await loadModel('/models/llama/', { workerUrl: '/odd.js' });
    const { usage } = await model.generate('a', { maxNewTokens: 5, minNewTokens: 5 }).result();
    model.dispose();
    return usage.newTokens;
  });
  assert.equal(made, 5);
});

test('a model that was forgotten without dispose() does not keep its worker', async (t) => {
  const page = await site.open(t, { expected: NOT_FOUND });
  await page.evaluate(async () => {
    const { loadModel } = await import('/dist/index.js');
    await (await loadModel('/models/bert/')).embed('the fox');
  });
  assert.equal(page.workers().length, 1);
  const devtools = await page.context().newCDPSession(page);
  for (let tries = 0; page.workers().length > 0 && tries < 50; tries++) {
    await devtools.send('HeapProfiler.collectGarbage');
    await page.waitForTimeout(100);
  }
  assert.deepEqual(page.workers(), []);
});

test('a worker that works for longer than a sign of life may take is not given up', async (t) => {
  const page = await site.open(t, { expected: NOT_FOUND });
  const devtools = await page.context().newCDPSession(page);
  const loading = page.evaluate(async () => {
    const { loadModel } = await import('/dist/index.js');
    globalThis.model = await loadModel('/models/llama/');
    globalThis.run = model.generate('a', { maxNewTokens: 3000, minNewTokens: 3000 }).result();
  });
  await loading;
  await devtools.send('Storage.clearDataForOrigin', { origin: site.origin.slice(0, -1), storageTypes: 'all' });
  const made = await page.evaluate(async () => {
    const { usage } = await run;
    model.dispose();
    return usage.newTokens;
  });
  assert.equal(made, 3000);
});

test('forty loads and disposes leave no worker and no memory behind', { skip: !CAN_MEASURE }, async (t) => {
  const page = await site.open(t, { expected: NOT_FOUND });
  const cycles = async (count) => {
    await page.evaluate(async (times) => {
      const { loadModel } = await import('/dist/index.js');
      for (let i = 0; i < times; i++) {
        const model = await loadModel('/models/bert/');
        await model.embed('the fox');
        model.dispose();
      }
    }, count);
    return rendererMemory(site.browser, page);
  };
  const before = await cycles(20), after = await cycles(40);
  t.diagnostic(`${Math.round(before / 2 ** 20)} MB after 20 loads, ${Math.round(after / 2 ** 20)} MB after 60`);
  assert.ok(after - before < 40 << 20, `${after - before} bytes more`);
  assert.deepEqual(page.workers(), []);
});

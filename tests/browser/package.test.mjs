// The package by itself in Chromium: worker, strict CSP, cache, and what it says where a page forbids something.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadModel } from 'webformer';
import { bert, llama } from '../fixtures/make_models.mjs';
import { NOT_FOUND, STRICT, modelsOf, siteForTests } from './bare-page.mjs';

const models = { bert: bert(), llama: llama({ length: 8192 }) };

const site = siteForTests(modelsOf(models));
const { asked, downloaded, open } = site;

const errorOf = (page, source, options = {}) =>
  page.evaluate(
    async ([from, given]) => {
      const { loadModel } = await import('/dist/index.js');
      return loadModel(new URL(from, location.href), given).then(
        () => null,
        ({ name, code, message }) => ({ name, code, message }),
      );
    },
    [source, options],
  );

test('an import fetches nothing but scripts, and starts nothing', async (t) => {
  const page = await open(t);
  const names = await page.evaluate(async () => Object.keys(await import('/dist/index.js')));
  assert.ok(names.includes('loadModel'));
  assert.ok(
    asked.every((name) => /^dist\/.*\.m?js$/.test(name)),
    asked.join(),
  );
  assert.deepEqual(page.workersSeen, []);
});

test('a model in a worker under a strict CSP gives the numbers of node', async (t) => {
  const page = await open(t, { expected: NOT_FOUND });
  const result = await page.evaluate(async () => {
    const { loadModel, capabilities } = await import('/dist/index.js');
    const phases = new Set();
    const model = await loadModel(new URL('/models/bert/', location.href), { onProgress: ({ phase }) => phases.add(phase) });
    const { logits } = await model.forward({ inputIds: [[2, 5, 6, 3]] });
    const { ids } = model.tokenizer.encode('The fox');
    model.dispose();
    const after = await model.embed('the').catch((error) => error.code);
    return { logits: [...logits.data], ids, after, phases: [...phases], build: (await capabilities()).build };
  });
  const model = await loadModel(models.bert);
  const want = (await model.forward({ inputIds: [[2, 5, 6, 3]] })).logits.data;
  model.dispose();
  result.logits.forEach((value, i) => assert.ok(Math.abs(value - want[i]) < 1e-4, `${value} for ${want[i]}`));
  assert.deepEqual(result.ids, [2, 5, 6, 3]);
  assert.equal(result.after, 'disposed');
  assert.ok(
    ['runtime', 'download', 'parse', 'ready'].every((phase) => result.phases.includes(phase)),
    result.phases.join(),
  );
  assert.equal(result.build, 'relaxed-simd');
  assert.deepEqual(page.workersSeen, [`${site.origin}dist/worker.js`]);
  assert.deepEqual(page.workers(), [], 'dispose ended the worker');
});

for (const worker of [true, false]) {
  test(`two loads of one address at the same time download each file once, ${worker ? 'in workers' : 'in the page'}`, async (t) => {
    const page = await open(t, { expected: NOT_FOUND });
    const load = (options) =>
      page.evaluate(async (given) => {
        const { loadModel } = await import('/dist/index.js');
        const address = new URL('/models/bert/', location.href);
        const two = await Promise.all([loadModel(address, given), loadModel(address, given)]);
        const vectors = await Promise.all(two.map(async (model) => [...(await model.embed('the fox')).data]));
        for (const model of two) model.dispose();
        return vectors;
      }, options);
    const [one, two] = await load({ worker });
    assert.deepEqual(one, two);
    for (const name of models.bert.keys()) assert.equal(downloaded.filter((path) => path === `models/bert/${name}`).length, 1, name);
  });

  test(`a load that is given up or fails lets the next one download, ${worker ? 'in workers' : 'in the page'}`, async (t) => {
    const page = await open(t, { expected: NOT_FOUND });
    const outcomes = await page.evaluate(async (given) => {
      const { loadModel } = await import('/dist/index.js');
      const address = new URL('/models/bert/', location.href);
      const stop = new AbortController();
      const onProgress = ({ phase }) => { if (phase !== 'runtime') stop.abort(); };
      const codes = [];
      const start = (options) =>
        loadModel(address, { ...given, ...options }).then((model) => model.dispose(), ({ code }) => codes.push(code));
      const integrity = { 'model.safetensors': '0'.repeat(64) };
      await Promise.all([start({ signal: stop.signal, onProgress }), start({ integrity }), start({})]);
      await start({});
      return codes.toSorted();
    }, { worker });
    assert.deepEqual(outcomes, ['aborted', 'integrity_error']);
  });
}

test('a load that fails on files from the cache, and on others, comes to an end', async (t) => {
  const page = await open(t, { expected: NOT_FOUND });
  assert.equal(await errorOf(page, '/models/bert/'), null);
  await page.evaluate(async () => {
    const [name] = await caches.keys();
    await (await caches.open(name)).delete(new URL('/models/bert/config.json', location.href));
  });
  downloaded.length = 0;
  const { code } = await errorOf(page, '/models/bert/', { integrity: { 'model.safetensors': '0'.repeat(64) } });
  assert.equal(code, 'integrity_error');
  assert.ok(downloaded.filter((name) => name === 'models/bert/model.safetensors').length <= 3, downloaded.join());
});

test('text streams from the worker, and an abort stops it while the page stays quick', async (t) => {
  const page = await open(t, { expected: NOT_FOUND });
  const result = await page.evaluate(async () => {
    const { loadModel } = await import('/dist/index.js');
    const model = await loadModel(new URL('/models/llama/', location.href));
    const short = model.generate('Zoë', { maxNewTokens: 20, minNewTokens: 20 });
    let text = '';
    for await (const item of short) text += item.text;
    const same = text === (await short.text());

    const controller = new AbortController();
    const long = model.generate('a', { maxNewTokens: 4000, minNewTokens: 4000, signal: controller.signal });
    let pieces = 0;
    const error = await (async () => {
      for await (const item of long) if (item && ++pieces === 3) controller.abort('now');
    })().catch((thrown) => ({ name: thrown.name, cause: thrown.cause }));
    const next = await model.generate('a', { maxNewTokens: 2, minNewTokens: 2 }).result();
    model.dispose();
    return { same, pieces, error, next: next.usage.newTokens };
  });
  assert.ok(result.same);
  assert.ok(result.pieces < 1000, `${result.pieces} pieces`);
  assert.deepEqual(result.error, { name: 'AbortError', cause: 'now' });
  assert.equal(result.next, 2);
});

test('a second load comes from the cache, also without the server', async (t) => {
  const page = await open(t, { expected: NOT_FOUND });
  const load = (options) =>
    page.evaluate(async (given) => {
      const { loadModel } = await import('/dist/index.js');
      const phases = new Set();
      const model = await loadModel(new URL('/models/bert/', location.href), {
        ...given,
        onProgress: ({ phase, file }) => phases.add(`${phase} ${file}`),
      });
      model.dispose();
      return [...phases];
    }, options);
  assert.ok((await load({})).includes('download model.safetensors'));
  assert.ok((await load({})).includes('cache model.safetensors'));
  asked.length = downloaded.length = 0;
  await load({ cache: 'only' });
  assert.deepEqual(
    asked.filter((name) => name.startsWith('models/')),
    [],
  );
  assert.ok((await load({ cache: 'none' })).includes('download model.safetensors'));
});

test('a model in the page itself, without a worker', async (t) => {
  const page = await open(t, { expected: NOT_FOUND });
  const shape = await page.evaluate(async () => {
    const { loadModel } = await import('/dist/index.js');
    const model = await loadModel(new URL('/models/bert/', location.href), { worker: false });
    return (await model.embed(['the fox', 'a mouse'])).shape;
  });
  assert.deepEqual(shape, [2, 16]);
  assert.deepEqual(page.workersSeen, []);
});

test("a relative address is the page's, and a chosen file is read where it is", async (t) => {
  const page = await open(t, { expected: NOT_FOUND });
  const result = await page.evaluate(async () => {
    const { loadModel, loadTokenizer } = await import('/dist/index.js');
    const model = await loadModel('models/bert/');
    model.dispose();
    const bytes = await (await fetch('/models/bert/tokenizer.json')).blob();
    const tokenizer = await loadTokenizer([new File([bytes], 'tokenizer.json')]);
    return { type: model.info.modelType, ids: tokenizer.encode('fox').ids };
  });
  assert.deepEqual(result, { type: 'bert', ids: [2, 6, 3] });
});

test('a page that forbids WebAssembly is told what to allow', async (t) => {
  const page = await open(t, { csp: STRICT.replace(" 'wasm-unsafe-eval'", ''), expected: /Content Security Policy/ });
  const error = await errorOf(page, '/models/bert/');
  assert.equal(error.code, 'unsupported_platform');
  assert.match(error.message, /'wasm-unsafe-eval'/);
});

test('a page that forbids the worker, or lacks its script, is told so', async (t) => {
  const forbidden = await open(t, {
    csp: STRICT.replace("worker-src 'self'", "worker-src 'none'"),
    expected: /Content Security Policy|worker-src/,
  });
  const first = await errorOf(forbidden, '/models/bert/');
  assert.equal(first.code, 'unsupported_platform');
  assert.match(first.message, /worker-src|worker could not be started/);
  const lacking = await open(t, { without: ['dist/worker.js'], expected: NOT_FOUND });
  const second = await errorOf(lacking, '/models/bert/');
  assert.equal(second.code, 'unsupported_platform');
  assert.match(second.message, /worker\.js/);
});

test('missing WebAssembly files are named; without the relaxed one the other serves', async (t) => {
  const none = await open(t, { without: ['dist/webformer.wasm', 'dist/webformer-relaxed.wasm'], expected: NOT_FOUND });
  const error = await errorOf(none, '/models/bert/');
  assert.equal(error.code, 'network_error');
  assert.match(error.message, /webformer\.wasm: status 404/);
  const one = await open(t, { without: ['dist/webformer-relaxed.wasm'], expected: NOT_FOUND });
  const { build, reasons } = await one.evaluate(async () => (await import('/dist/index.js')).capabilities());
  assert.equal(build, 'simd');
  assert.match(reasons.join(' '), /relaxed-SIMD build could not be used.*404/);
});

test('a cross-origin isolated page says that it is', async (t) => {
  const page = await open(t, { extra: { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' } });
  const { crossOriginIsolated, threads, maxMemory } = await page.evaluate(async () => (await import('/dist/index.js')).capabilities());
  assert.deepEqual({ crossOriginIsolated, threads }, { crossOriginIsolated: true, threads: 1 });
  assert.ok(maxMemory > 2 ** 31);
});

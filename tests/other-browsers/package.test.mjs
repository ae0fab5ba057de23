// The package by itself in other browsers than Chromium: worker, abort, strict CSP, cache, resumed downloads, and errors that say why.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadModel } from 'webformer';
import { STRICT, modelsOf } from '../browser/bare-site.mjs';
import { CHUNK, WEIGHTS, largeModel, largeWeights, loadLarge, sendPart, sha256 } from '../browser/large-model.mjs';
import { bert, llama } from '../fixtures/make_models.mjs';
import { inEachBrowser } from './pages.mjs';

const POINTER = 'version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 9\n';
const models = { bert: bert(), llama: llama({ length: 8192 }) };
const answer = modelsOf(models);

const errorOf = (page, from, options = {}) =>
  page.evaluate(
    async ([source, given]) => {
      const { loadModel } = await import('/dist/index.js');
      return loadModel(source, given).then(
        () => null,
        ({ code, message }) => ({ code, message }),
      );
    },
    [from, options],
  );

/** The workers that the page started, and whether each was ended. */
const workersOf = (page) => page.evaluate(() => workers.map(({ url, ended }) => [new URL(url).pathname, ended]));

inEachBrowser(({ bare, nameOf }) => {
  test('an import fetches nothing but scripts, and starts nothing', async (t) => {
    const page = await bare(t, answer);
    assert.ok((await page.evaluate(async () => Object.keys(await import('/dist/index.js')))).includes('loadModel'));
    const names = page.site.asked.filter((name) => name.startsWith('dist/'));
    assert.ok(names.every((name) => /^dist\/.*\.m?js$/.test(name)), names.join());
    assert.deepEqual(await workersOf(page), []);
  });

  test('a model in a worker under a strict CSP gives the numbers of node', async (t) => {
    const page = await bare(t, answer);
    const result = await page.evaluate(async () => {
      const { loadModel, capabilities } = await import('/dist/index.js');
      const fractions = [];
      const model = await loadModel('models/bert/', { onProgress: ({ fraction }) => fractions.push(fraction ?? 0) });
      const { logits } = await model.forward({ inputIds: [[2, 5, 6, 3]] });
      model.dispose();
      const after = await model.embed('the').catch((error) => error.code);
      return { logits: [...logits.data], after, fractions, ...(await capabilities()) };
    });
    const model = await loadModel(models.bert);
    const want = (await model.forward({ inputIds: [[2, 5, 6, 3]] })).logits.data;
    model.dispose();
    assert.equal(result.logits.length, want.length);
    result.logits.forEach((value, i) => assert.ok(Math.abs(value - want[i]) < 1e-4, `${value} for ${want[i]}`));
    assert.equal(result.after, 'disposed');
    assert.deepEqual(result.fractions, result.fractions.toSorted((a, b) => a - b));
    assert.deepEqual(await workersOf(page), [['/dist/worker.js', true]]);
    const asked = page.site.downloaded.filter((name) => name.endsWith('.wasm'));
    assert.deepEqual([...new Set(asked)], [result.build === 'simd' ? 'dist/webformer.wasm' : 'dist/webformer-relaxed.wasm']);
    t.diagnostic(`${nameOf()} runs the build ${result.build}. ${result.reasons.join(' ')}`);
  });

  test('the same without a worker, and by the small pieces', async (t) => {
    const page = await bare(t, answer);
    const result = await page.evaluate(async () => {
      const { attention, loadModel } = await import('/dist/index.js');
      const model = await loadModel('models/bert/', { worker: false });
      const { shape } = await model.embed(['the fox', 'a mouse']);
      model.dispose();
      const row = { data: Float32Array.of(1, 2), shape: [1, 2] };
      return { shape, piece: [...(await attention(row, row, row)).output.data] };
    });
    assert.deepEqual(result, { shape: [2, 16], piece: [1, 2] });
    assert.deepEqual(await workersOf(page), []);
  });

  for (const worker of [true, false])
    test(`text streams ${worker ? 'from the worker' : 'in the page'}, and an abort stops it within a token`, async (t) => {
      const page = await bare(t, answer);
      const result = await page.evaluate(async (options) => {
        const { loadModel } = await import('/dist/index.js');
        const model = await loadModel('models/llama/', options);
        const short = model.generate('Zoë', { maxNewTokens: 20, minNewTokens: 20 });
        let text = '';
        for await (const item of short) text += item.text;
        const same = text === (await short.text());

        const controller = new AbortController();
        const long = model.generate('a', { maxNewTokens: 4000, minNewTokens: 4000, signal: controller.signal });
        let pieces = 0, aborted;
        const error = await (async () => {
          for await (const item of long)
            if (item && ++pieces === 3) {
              aborted = performance.now();
              controller.abort('now');
            }
        })().catch((thrown) => ({ name: thrown.name, cause: thrown.cause }));
        const time = performance.now() - aborted;
        const early = await loadModel('models/llama/', { ...options, signal: AbortSignal.abort('before') }).catch(({ name }) => name);
        const next = await model.generate('a', { maxNewTokens: 2, minNewTokens: 2 }).result();
        model.dispose();
        return { same, pieces, error, early, time, next: next.usage.newTokens };
      }, { worker });
      assert.ok(result.same);
      assert.ok(result.pieces < 1000, `${result.pieces} pieces`);
      assert.deepEqual(result.error, { name: 'AbortError', cause: 'now' });
      assert.ok(result.time < 1000, `${result.time} ms after the abort`);
      assert.equal(result.early, 'AbortError');
      assert.equal(result.next, 2);
    });

  test('a worker that is ended from outside takes no promise with it', async (t) => {
    const page = await bare(t, answer);
    const results = await page.evaluate(async () => {
      const { loadModel } = await import('/dist/index.js');
      const code = ({ code: found }) => found;
      const model = await loadModel('/models/llama/');
      const pending = [
        model.generate('a', { maxNewTokens: 4000, minNewTokens: 4000 }).result(),
        model.forward({ inputIds: [[1]] }),
      ].map((promise) => promise.catch(code));
      workers[0].terminate();
      const settled = await Promise.all(pending);
      const next = await loadModel('/models/llama/');
      const { logits } = await next.forward({ inputIds: [[1]] });
      next.dispose();
      return { settled, rank: logits.shape.length };
    });
    assert.deepEqual(results, { settled: ['worker_crashed', 'worker_crashed'], rank: 3 });
  });

  test('a second load comes from the cache, also without the server', async (t) => {
    const page = await bare(t, answer);
    const load = (options) =>
      page.evaluate(async (given) => {
        const { loadModel } = await import('/dist/index.js');
        const phases = new Set();
        const model = await loadModel('/models/bert/', { ...given, onProgress: ({ phase, file }) => phases.add(`${phase} ${file}`) });
        model.dispose();
        return [...phases];
      }, options);
    assert.ok((await load({})).includes('download model.safetensors'));
    assert.ok((await load({})).includes('cache model.safetensors'));
    page.site.asked.length = 0;
    await load({ cache: 'only' });
    assert.deepEqual(page.site.asked.filter((name) => name.startsWith('models/')), []);
    assert.ok((await load({ cache: 'none' })).includes('download model.safetensors'));
  });

  test('a download goes on where it was cut off, and a wrong checksum keeps nothing', async (t) => {
    const weights = largeWeights(), integrity = { [WEIGHTS]: sha256(weights) };
    const model = largeModel(), page = await bare(t, model.answer);
    model.send = (request, response) => sendPart(request, response, weights, { until: 3 * CHUNK - 1000 });
    const { code, message } = await loadLarge(page);
    assert.equal(code, 'network_error', message);
    assert.match(message, /the download is not whole: \d+ bytes arrived of/);
    model.gets = [];
    model.send = (request, response) => sendPart(request, response, weights);
    const resumed = await loadLarge(page, { integrity });
    assert.deepEqual(model.gets, [`bytes=${2 * CHUNK}-`], resumed.message);
    assert.equal(resumed.loaded, weights.length);
    assert.deepEqual(resumed.fractions, resumed.fractions.toSorted((a, b) => a - b));
    assert.deepEqual((await loadLarge(page, { cache: 'only', integrity })).phases, ['cache']);

    const wrong = { [WEIGHTS]: sha256(largeWeights(7)) };
    assert.equal((await loadLarge(page, { cache: 'none', integrity: wrong })).code, 'integrity_error');
  });

  test('what comes instead of a file is named', async (t) => {
    const page = await bare(t, (name, request, response) => {
      if (name.startsWith('html/')) return response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><p>app');
      if (name === 'lfs/config.json') return response.writeHead(200).end(POINTER);
      return false;
    });
    const missing = await errorOf(page, '/models/none/');
    assert.match(`${missing.code} ${missing.message}`, /network_error .*404/);
    assert.match((await errorOf(page, '/html/')).message, /HTML page/);
    assert.match((await errorOf(page, '/lfs/')).message, /Git LFS/);
  });

  test('a policy without WebAssembly is told what to allow', async (t) => {
    const page = await bare(t, answer, { csp: STRICT.replace(" 'wasm-unsafe-eval'", ''), expected: /wasm-eval|script-src|WebAssembly/ });
    const { code, message } = await errorOf(page, '/models/bert/');
    assert.equal(code, 'unsupported_platform', message);
    assert.match(message, /'wasm-unsafe-eval'/);
  });

  test('a policy without workers is named', async (t) => {
    const page = await bare(t, answer, { csp: STRICT.replace("worker-src 'self'", "worker-src 'none'"), expected: /worker/i });
    const { code, message } = await errorOf(page, '/models/bert/');
    assert.equal(code, 'unsupported_platform', message);
    assert.match(message, /worker-src|worker could not be started/);
  });

  test('a worker without its script is named', async (t) => {
    const page = await bare(t, answer, { without: ['dist/worker.js'] });
    const { code, message } = await errorOf(page, '/models/bert/');
    assert.equal(code, 'unsupported_platform', message);
    assert.match(message, /worker\.js/);
  });
});

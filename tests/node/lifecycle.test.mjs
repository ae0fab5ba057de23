import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { loadModel, loadTokenizer } from 'webformer';
import { bert, llama } from '../fixtures/make_models.mjs';
import { opened, range, rejects, serve } from './support.mjs';

/** Work that lasts: thousands of tokens, which a tiny model makes in seconds. */
const long = { maxNewTokens: 4000, minNewTokens: 4000 };
const longModel = () => llama({ length: 8192 });

test('calls run in the order in which they were made', async (t) => {
  const model = await opened(t, llama());
  const ended = [];
  const calls = [
    model
      .generate('a', { maxNewTokens: 30 })
      .result()
      .then(() => ended.push('generate')),
    model.forward({ inputIds: [[1, 2]] }).then(() => ended.push('forward')),
    model.forward({ inputIds: [[1, 999]] }).catch(() => ended.push('failing')),
    model
      .generate('b', { maxNewTokens: 2 })
      .result()
      .then(() => ended.push('second')),
  ];
  await Promise.all(calls);
  assert.deepEqual(ended, ['generate', 'forward', 'failing', 'second']);
});

test('fifty embeds at once give what each gives alone', async (t) => {
  const model = await opened(t, bert());
  const words = ['the', 'fox', 'saw', 'grapes', 'mouse'];
  const texts = range(50).map((i) =>
    range((i % 7) + 1)
      .map((j) => words[(i + j) % words.length])
      .join(' '),
  );
  const together = await Promise.all(texts.map((text) => model.embed(text)));
  for (const [i, text] of texts.entries()) assert.deepEqual((await model.embed(text)).data, together[i].data);
  const batch = await model.embed(texts);
  assert.deepEqual(batch.shape, [50, 16]);
  batch.data.forEach((value, i) => assert.ok(Math.abs(value - together[Math.floor(i / 16)].data[i % 16]) < 1e-5));
});

test('embeddings are pooled as asked, by default the mean of unit length', async (t) => {
  const model = await opened(t, bert());
  const { ids } = model.tokenizer.encode('the fox saw');
  const hidden = (await model.forward({ inputIds: [ids] })).lastHiddenState.data;
  const column = (c) => ids.map((_, row) => hidden[row * 16 + c]);
  const want = {
    cls: (c) => column(c)[0],
    last: (c) => column(c).at(-1),
    max: (c) => Math.max(...column(c)),
    mean: (c) => column(c).reduce((a, b) => a + b) / ids.length,
  };
  for (const [pooling, value] of Object.entries(want)) {
    const { data } = await model.embed('the fox saw', { pooling, normalize: false });
    data.forEach((got, c) => assert.ok(Math.abs(got - value(c)) < 1e-5, `${pooling} ${c}`));
  }
  const { data } = await model.embed('the fox saw');
  assert.ok(Math.abs(Math.hypot(...data) - 1) < 1e-6);
  const [best] = await model.similarity('the fox saw', ['grapes', 'the fox saw', 'i love ai']);
  assert.equal(best.index, 1);
  assert.ok(Math.abs(best.score - 1) < 1e-6);
  assert.deepEqual(await model.similarity('the fox', []), []);
});

test('an abort before the start, while waiting, and while working', async (t) => {
  const model = await opened(t, longModel());
  const reason = new Error('enough');
  const before = await rejects(model.forward({ inputIds: [[1]] }, { signal: AbortSignal.abort(reason) }), 'aborted');
  assert.equal(before.name, 'AbortError');
  assert.equal(before.cause, reason);

  const working = new AbortController(),
    waiting = new AbortController();
  const generation = model.generate('a', { ...long, signal: working.signal });
  const queued = model.forward({ inputIds: [[1]] }, { signal: waiting.signal });
  for await (const item of generation) {
    assert.ok(item);
    break;
  }
  await rejects(generation.result(), 'aborted');
  const second = model.generate('a', { ...long, signal: working.signal });
  const stuck = model.forward({ inputIds: [[1]] }, { signal: waiting.signal });
  await queued;
  waiting.abort(reason);
  assert.equal((await rejects(stuck, 'aborted')).cause, reason);
  await sleep(20);
  const started = performance.now();
  working.abort(reason);
  assert.equal((await rejects(second.result(), 'aborted')).cause, reason);
  assert.ok(performance.now() - started < 200, `${performance.now() - started} ms`);
  await rejects(model.generate('a', { signal: working.signal }).result(), 'aborted');
  assert.ok(await model.forward({ inputIds: [[1]] }), 'the model goes on');
});

/** What node warns of while `work` runs. */
async function warningsOf(work) {
  const warnings = [], note = ({ name }) => warnings.push(name);
  process.on('warning', note);
  await work();
  await sleep(10); // node warns in a later turn
  process.off('warning', note);
  return warnings;
}

test('one signal serves any number of calls, on one model or several, in this thread and in a worker', async (t) => {
  const { signal } = new AbortController();
  const warnings = await warningsOf(async () => {
    for (const worker of [false, true]) {
      const model = await opened(t, llama(), { worker });
      await Promise.all(range(30).map(() => model.embed('a', { signal })));
      await Promise.all(range(30).map(() => model.generate('a', { maxNewTokens: 2, signal }).text()));
      await Promise.all(range(30).map(() => model.embed('a')));
    }
    await Promise.all(range(12).map(() => opened(t, llama(), { signal })));
    await Promise.all(range(12).map(() => loadTokenizer(llama(), { signal })));
  });
  assert.deepEqual(warnings, []);
});

test('an abort reaches each call of its signal, and no other', async (t) => {
  const model = await opened(t, longModel()), controller = new AbortController();
  const calls = range(15).map(() => model.generate('a', { ...long, signal: controller.signal }).result());
  const other = model.forward({ inputIds: [[1]] });
  await sleep(5);
  controller.abort('all');
  for (const call of calls) assert.equal((await rejects(call, 'aborted')).cause, 'all');
  assert.ok((await other).logits);
});

test('an abort after the end changes nothing', async (t) => {
  const model = await opened(t, llama());
  const controller = new AbortController();
  const generation = model.generate('a', { maxNewTokens: 3, signal: controller.signal });
  const { texts } = await generation.result();
  controller.abort();
  assert.equal(await generation.text(), texts[0]);
});

test('an aborted generation leaves nothing behind that changes the next', async (t) => {
  const model = await opened(t, longModel());
  const expected = await model.generate('the fox', { maxNewTokens: 20 }).text();
  for (const pause of [0, 5, 30]) {
    const controller = new AbortController();
    const generation = model.generate('a mouse', { ...long, signal: controller.signal });
    await sleep(pause);
    controller.abort();
    await rejects(generation.result(), 'aborted');
    assert.equal(await model.generate('the fox', { maxNewTokens: 20 }).text(), expected);
  }
});

test('a load is aborted while it waits for the server', async (t) => {
  const address = await serve(t, () => undefined);
  const controller = new AbortController();
  setTimeout(() => controller.abort('late'), 30);
  const error = await rejects(loadModel(address, { signal: controller.signal }), 'aborted');
  assert.equal(error.cause, 'late');
  await rejects(loadModel(llama(), { signal: AbortSignal.abort() }), 'aborted');
  await rejects(loadTokenizer(llama(), { signal: AbortSignal.abort() }), 'aborted');
});

test('a load is aborted from its own progress', async () => {
  const controller = new AbortController();
  await rejects(
    loadModel(llama(), { signal: controller.signal, onProgress: ({ phase }) => phase === 'parse' && controller.abort() }),
    'aborted',
  );
});

test('dispose may be called twice, and every call after it is refused', async () => {
  const model = await loadModel(bert());
  model.dispose();
  model.dispose();
  model[Symbol.dispose]();
  await rejects(model.forward({ inputIds: [[1]] }), 'disposed');
  await rejects(model.embed('the fox'), 'disposed');
  await rejects(model.generate('the').result(), 'disposed');
  assert.deepEqual(model.tokenizer.encode('the fox').ids, [2, 5, 6, 3], 'the tokenizer lives on');
});

test('dispose ends what runs and what waits', async () => {
  const model = await loadModel(longModel());
  const running = model.generate('a', long),
    waiting = model.forward({ inputIds: [[1]] });
  await sleep(10);
  model.dispose();
  await Promise.all([rejects(running.result(), 'disposed'), rejects(waiting, 'disposed')]);
});

test('dispose from within a loop', async () => {
  const model = await loadModel(longModel());
  await rejects(async () => {
    for await (const item of model.generate('a', long)) item && model.dispose();
  }, 'disposed');
});

test('a call from within a loop of the same model waits for its turn, and the loop does not wait for it', async (t) => {
  for (const worker of [false, true]) {
    const model = await opened(t, llama(), { worker });
    const alone = await model.generate('a', { maxNewTokens: 3, minNewTokens: 3 }).text();
    let items = 0, within = '';
    for await (const item of model.generate('the', { maxNewTokens: 12, minNewTokens: 12 }))
      if (item && ++items === 2) within = await model.generate('a', { maxNewTokens: 3, minNewTokens: 3 }).text();
    assert.equal(within, alone);
    assert.equal(items, 12);
  }
});

test('models do not share anything', async (t) => {
  const [one, other] = await Promise.all([opened(t, llama()), opened(t, llama())]);
  one.tokenizer.addTokens([{ content: 'fox' }]);
  assert.equal(other.tokenizer.idOf('fox'), undefined);
  const [a, b] = await Promise.all([one, other].map((model) => model.generate('mouse', { maxNewTokens: 8 }).text()));
  assert.equal(a, b);
});

test('loading and disposing again and again does not grow memory', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  const files = bert();
  const cycles = async (count) => {
    for (let i = 0; i < count; i++) {
      const model = await loadModel(files);
      await model.embed('the fox');
      model.dispose();
    }
    collect();
    await sleep(20);
    collect();
    return process.memoryUsage().arrayBuffers;
  };
  const before = await cycles(10);
  const grown = (await cycles(40)) - before;
  assert.ok(grown < 32 << 20, `${grown} bytes more after 40 loads`);
});

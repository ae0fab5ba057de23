// Our side of the peers' benchmarks, in the form that their runner asks for: see the README of that kit.
// In Chromium it is served from the repository's root, so that dist/ is beside it.
import { llamaIds, llamaNewTokens, loadText, minilmIds } from '/kit/works.mjs';

const DIST = new URL('../../dist/index.js', import.meta.url).href;
const round = (data) => Array.from(data.slice(0, 4), (x) => Number(x.toFixed(6)));

async function timed(run) {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

/** One forward of an encoder to its last hidden state, in milliseconds. */
async function forward(work, context, { loadModel }) {
  const model = await loadModel(context.folderUrl(work.folder), { dtype: work.dtype, device: 'wasm', threads: context.threads });
  const inputs = { inputIds: [minilmIds] };
  let last;
  return {
    sample: () => timed(async () => { last = (await model.forward(inputs)).lastHiddenState; }),
    check: () => ({ shape: last.shape, head: round(last.data) }),
    dispose: () => model.dispose(),
  };
}

/** Tokens a second of reading a prompt with an empty cache, or of the greedy tokens after it. */
async function generate(work, context, { loadModel }) {
  const model = await loadModel(context.url(work.gguf), { device: 'wasm', threads: context.threads });
  const isPrefill = work.phase === 'prefill', count = isPrefill ? 1 : llamaNewTokens;
  let usage, sequences;
  return {
    async sample() {
      const options = { doSample: false, maxNewTokens: count, minNewTokens: count };
      ({ usage, sequences } = await model.generate(llamaIds, options).result());
      // The first of the new tokens is what the prompt gives.
      return isPrefill ? usage.promptTokens / (usage.prefillMs / 1e3) : (usage.newTokens - 1) / (usage.decodeMs / 1e3);
    },
    check: () => ({ promptTokens: usage.promptTokens, newTokens: usage.newTokens, head: sequences[0].slice(llamaIds.length).slice(0, 8) }),
    dispose: () => model.dispose(),
  };
}

/** Megabytes of UTF-8 a second. */
async function encode(work, context, { loadTokenizer }) {
  const tokenizer = await loadTokenizer(context.folderUrl(work.folder)), text = await context.text(work.text);
  const megabytes = new TextEncoder().encode(text).length / 1e6;
  let ids;
  return {
    sample: async () => megabytes / (await timed(() => { ids = tokenizer.encode(text).ids; }) / 1e3),
    check: () => ({ tokens: ids.length, head: Array.from(ids.slice(0, 8)) }),
  };
}

/** From before the import to the first embedding, in milliseconds. */
function load(work, context) {
  let embedding;
  return {
    sample: () => timed(async () => {
      const { loadModel } = await import(DIST);
      const options = { dtype: 'f32', device: 'wasm', cache: 'none', threads: context.threads };
      const model = await loadModel(context.folderUrl(work.folder), options);
      embedding = await model.embed([loadText]);
    }),
    check: () => ({ shape: embedding.shape, head: round(embedding.data) }),
  };
}

export async function prepare(work, context) {
  const side = work.fresh ? load(work, context) : await start(work, context);
  return { name: 'webformer', version: 'this build', ...side };
}

async function start(work, context) {
  const library = await import(DIST);
  if (work.text) return encode(work, context, library);
  return work.phase ? generate(work, context, library) : forward(work, context, library);
}

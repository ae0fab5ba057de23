// What the benchmark measures, on every model that the page has. It knows nothing of the page.
import type { Model, Tokenizer } from 'webformer';
import { allItems, openModel, openTokenizer, type Item } from './models';

export const WORKS = ['prefill', 'decode', 'translate', 'embed', 'encode'] as const;
export type Work = typeof WORKS[number];

/** `tokens` of the work, done in `milliseconds`, one entry a run. */
export interface Measured { item: Item; work: Work; tokens: number; milliseconds: readonly number[] }

/** 64 tokens are made after a beginning of about 128, which is read first. */
const DECODED = 64;
const BEGINNING = 'Once upon a time there was a king who had three daughters, and they lived in a castle by the sea. '.repeat(6).trim();
/** In English: a model of the page that translates from another language is left out. */
const SENTENCE = 'I have never seen such a beautiful garden.';
const BEAMS = 4;
/** Long enough for the clock, which browsers make coarse, and short enough not to be noticed on the page's thread. */
const ENCODED = BEGINNING.repeat(16);

interface Run { work: Work; tokens: number; milliseconds: number }

async function generate(model: Model, signal: AbortSignal): Promise<Run[]> {
  const ids = model.tokenizer!.encode(BEGINNING).ids;
  const prompt = ids.slice(0, Math.max(1, model.info.contextLength - DECODED - 1));
  const options = { doSample: false, minNewTokens: DECODED, maxNewTokens: DECODED, signal };
  const { usage } = await model.generate(prompt, options).result();
  return [
    { work: 'prefill', tokens: usage.promptTokens, milliseconds: usage.prefillMs },
    { work: 'decode', tokens: usage.newTokens, milliseconds: usage.decodeMs },
  ];
}

async function translate(model: Model, signal: AbortSignal): Promise<Run[]> {
  const start = performance.now();
  const { sequences } = await model.translate(SENTENCE, { numBeams: BEAMS, signal }).result();
  return [{ work: 'translate', tokens: sequences[0].length - 1, milliseconds: performance.now() - start }];
}

async function embed(model: Model, signal: AbortSignal): Promise<Run[]> {
  const tokens = model.tokenizer!.encode(SENTENCE).ids.length;
  const start = performance.now();
  await model.embed(SENTENCE, { signal });
  return [{ work: 'embed', tokens, milliseconds: performance.now() - start }];
}

async function encode(tokenizer: Tokenizer): Promise<Run[]> {
  const start = performance.now();
  const { ids } = tokenizer.encode(ENCODED);
  return [{ work: 'encode', tokens: ids.length, milliseconds: performance.now() - start }];
}

type Job = { item: Item; run(signal: AbortSignal): Promise<Run[]> };

/** The embedded models, and those of the user's that are loaded. */
function jobs(): Job[] {
  const made = (item: Item, work: (model: Model, signal: AbortSignal) => Promise<Run[]>): Job =>
    ({ item, run: async (signal) => work(await openModel(item), signal) });
  return allItems().flatMap((item) => {
    const works: Job[] = [];
    if (item.uses.includes('generate')) works.push(made(item, generate));
    if (item.uses.includes('translate') && (item.languages?.from ?? 'en') === 'en') works.push(made(item, translate));
    if (item.model?.tokenizer && item.model.info.tasks.includes('feature-extraction')) works.push(made(item, embed));
    if (item.uses.includes('tokenize')) works.push({ item, run: async () => encode((await openTokenizer(item))!) });
    return works;
  });
}

/** The page stays responsive between two runs. */
const pause = () => new Promise((resolve) => { setTimeout(resolve); });

/** `done`: 0 to 1, of all runs. */
export interface Step { done: number; measured: readonly Measured[] }

/** Does each work once to warm up, then `runs` times. Each step has all that is measured until then. */
export async function* benchmark(runs: number, signal: AbortSignal): AsyncGenerator<Step, void> {
  const works = jobs();
  const total = works.length * (runs + 1);
  const results = new Map<string, Measured & { milliseconds: number[] }>();
  let finished = 0;
  for (const { item, run } of works) {
    for (let n = 0; n <= runs; n++) {
      signal.throwIfAborted();
      const made = await run(signal);
      await pause();
      signal.throwIfAborted();
      for (const { work, tokens, milliseconds } of n > 0 ? made : []) {
        const key = `${item.id} ${work}`;
        const known = results.get(key);
        if (known) known.milliseconds.push(milliseconds);
        else results.set(key, { item, work, tokens, milliseconds: [milliseconds] });
      }
      yield { done: ++finished / total, measured: [...results.values()] };
    }
  }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

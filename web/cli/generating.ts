// The options of commands that make text, and how an answer is written.
import type { GenerateOptions, Generation } from '../index.js';
import { UsageError, camelCase, type OptionSpecs, type Values } from './arguments.js';
import { writeJson, writePieces } from './output.js';

/** What every decoding has. */
export const DECODING_OPTIONS = {
  'max-new-tokens': { kind: 'whole', short: 'n', help: 'at most so many new tokens' },
  'num-beams': { kind: 'whole', help: 'beam search with so many beams' },
  'length-penalty': { kind: 'number', help: 'beam search: above 0 favours longer texts' },
  'repetition-penalty': { kind: 'number', help: 'above 1 makes tokens that came before less likely' },
  'no-repeat-ngram-size': { kind: 'whole', help: 'no run of so many tokens comes twice' },
} as const satisfies OptionSpecs;

export const SAMPLING_OPTIONS = {
  temperature: { kind: 'number', short: 't', help: 'sample: below 1 keeps to the likely, above 1 strays' },
  'top-k': { kind: 'whole', help: 'sample among the K likeliest tokens' },
  'top-p': { kind: 'number', help: 'sample among the likeliest tokens that have this share together' },
  'min-p': { kind: 'number', help: "sample among tokens with this share of the likeliest one's probability" },
  'typical-p': { kind: 'number', help: 'sample among the most typical tokens that have this share together' },
  seed: { kind: 'whole', help: 'sample: the same seed gives the same text' },
  sample: { kind: 'flag', help: 'sample, as each of the options above does, by what the model itself asks for' },
  greedy: { kind: 'flag', help: 'always the likeliest token, whatever the model asks for' },
  stop: { kind: 'texts', help: 'end with this text; may be given again' },
  ...DECODING_OPTIONS,
} as const satisfies OptionSpecs;

const SAMPLERS = [
  'temperature',
  'top-k',
  'top-p',
  'min-p',
  'typical-p',
  'seed',
  'sample',
] as const satisfies (keyof typeof SAMPLING_OPTIONS)[];

export function decodingOptions(values: Values<typeof DECODING_OPTIONS>): GenerateOptions {
  const given = Object.keys(DECODING_OPTIONS).map((name) => [camelCase(name), values[name as keyof typeof DECODING_OPTIONS]]);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined)) as GenerateOptions;
}

export function samplingOptions(values: Values<typeof SAMPLING_OPTIONS>): GenerateOptions {
  const { temperature, 'top-k': topK, 'top-p': topP, 'min-p': minP, 'typical-p': typicalP, seed, greedy, stop } = values;
  const sampler = SAMPLERS.find((name) => values[name] !== undefined);
  if (greedy && sampler) throw new UsageError(`--greedy and --${sampler} contradict each other`);
  const doSample = greedy ? false : sampler ? true : undefined;
  return { temperature, topK, topP, minP, typicalP, seed, stop, doSample, ...decodingOptions(values) };
}

/** Writes one answer: as it comes, or as JSON with `more` first. Resolves to its text. */
export async function writeAnswer(
  generation: Generation,
  json: boolean | undefined,
  signal: AbortSignal,
  more: object = {},
): Promise<string> {
  if (!json) return writePieces(generation, signal);
  const { texts, sequences, finishReason, usage } = await generation.result();
  const text = texts[0]!;
  await writeJson({ ...more, text, ids: sequences[0]!, finishReason: finishReason[0]!, usage }, signal);
  return text;
}

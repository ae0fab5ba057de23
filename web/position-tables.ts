// Positional encodings as tables, from the code that models compute them with.
import { invalidArgument } from './errors.js';
import { checkChoice, checkCount, checkNumber, checkOptions } from './options.js';
import { piecesInstance } from './pieces-instance.js';
import type { PositionalEncodingOptions, Tensor } from './types.js';
import { toJson } from './values.js';

type Kind = 'sinusoidal' | 'rope' | 'alibi' | 't5';

/** The options of each kind besides the length: a default, or null where one has to be given. */
const OPTIONS: Record<Kind, Partial<Record<keyof PositionalEncodingOptions, number | null>>> = {
  sinusoidal: { width: null },
  rope: { width: null, base: 10000 },
  alibi: { heads: null },
  t5: { buckets: 32, maxDistance: 128 },
};
const LEAST = { length: 0, width: 1, heads: 1, buckets: 4, maxDistance: 1 } as const;
const MOST = 2 ** 31 - 1; // the sizes of tensors in WebAssembly's memory are less by far

/**
 * A table of positions 0 to T - 1, T being the length.
 * - sinusoidal: [T,width], what is added to embeddings ("Attention Is All You Need", section 3.5);
 * - rope: [2,T,width/2], cosines and then sines of the angles by which the pairs of numbers of a head turn (Su et al. 2021), `base` 10000;
 * - alibi: [heads,T,T], -slope |t - s|, a `bias` for attention (Press et al. 2021);
 * - t5: [T,T], which of the `buckets` the distance s - t falls into, both ways up to `maxDistance` (Raffel et al. 2020, section 2.1).
 */
export async function positionalEncoding(kind: Kind, options: PositionalEncodingOptions): Promise<Tensor> {
  if (kind === undefined) throw invalidArgument(`kind: undefined found, one of ${Object.keys(OPTIONS).join(', ')} expected`);
  checkChoice('kind', kind, Object.keys(OPTIONS) as Kind[]);
  const { [kind]: defaults } = OPTIONS;
  const settings: Record<string, unknown> = { length: null, ...defaults };
  checkOptions(`positionalEncoding('${kind}')`, options ?? {}, Object.keys(settings));
  for (const [name, value] of Object.entries(options ?? {})) if (value !== undefined) settings[name] = value;
  for (const [name, value] of Object.entries(settings)) {
    if (value === null) throw invalidArgument(`positionalEncoding('${kind}'): ${name} is missing`, { option: name });
    if (name === 'base') checkNumber(name, value, 1);
    else checkCount(name, value, LEAST[name as keyof typeof LEAST]);
    if (Number(value) > MOST) throw invalidArgument(`${name}: ${String(value)} found, at most 2^31 - 1 expected`, { option: name });
  }
  if (kind === 'rope' && Number(settings['width']) % 2 !== 0) {
    throw invalidArgument(`width: ${String(settings['width'])} found, an even number expected, since numbers turn in pairs`, {
      option: 'width',
    });
  }
  if (kind === 't5' && Number(settings['maxDistance']) <= Math.floor(Number(settings['buckets']) / 4)) {
    throw invalidArgument(`maxDistance: ${String(settings['maxDistance'])} found, more than a quarter of the buckets expected`, {
      option: 'maxDistance',
    });
  }
  const instance = await piecesInstance();
  return instance.call((module) => module.positionTable(kind, toJson(settings)));
}

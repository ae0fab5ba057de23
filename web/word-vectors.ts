// Word vectors in word2vec's text format: read, compared, and written.
import { invalidArgument } from './errors.js';
import { extendedInstance } from './extra.js';
import { readAll } from './files.js';
import type { Instance } from './instance.js';
import { checkCount, checkOptions, checkText, describe } from './options.js';
import { cosineSimilarity } from './pieces.js';
import { bytesOf, piecesInstance } from './pieces-instance.js';
import { FileSet, toSourceData } from './source.js';
import type { ModelSource, WordVectors } from './types.js';

export class VectorTable implements WordVectors {
  readonly words: string[];
  readonly dimensions: number;
  readonly #vectors: Float32Array;
  readonly #rows: ReadonlyMap<string, number>;
  readonly #writer: Instance;

  constructor(words: string[], dimensions: number, vectors: Float32Array, writer: Instance) {
    this.words = words;
    this.dimensions = dimensions;
    this.#vectors = vectors;
    this.#rows = new Map(words.map((word, row) => [word, row]));
    this.#writer = writer;
  }

  vector(word: string): Float32Array | undefined {
    checkText('word', word);
    const row = this.#rows.get(word);
    return row === undefined ? undefined : this.#row(row).slice();
  }

  /**
   * The words whose vectors have the largest cosine with a vector, or with the sum of the positive words' vectors less the negative words':
   * king - man + woman is { positive: ['king', 'woman'], negative: ['man'] }. Words of the query are left out; zeros have the cosine 0
   * with everything.
   */
  nearest(query: Parameters<WordVectors['nearest']>[0], count = 10): { word: string; score: number }[] {
    checkCount('count', count);
    const { target, without } = this.#target(query);
    const scores = this.words.map((word, row) => ({ row, word, score: cosineSimilarity(target, this.#row(row)) }));
    return scores
      .filter(({ row }) => !without.has(row))
      .sort((a, b) => b.score - a.score)
      .slice(0, count)
      .map(({ word, score }) => ({ word, score }));
  }

  save(): string {
    const encoder = new TextEncoder();
    const words = this.words.map((word) => encoder.encode(word));
    this.#writer.stage(bytesOf(this.#vectors), ...words);
    return this.#writer.call((module) =>
      module.writeWordVectors(words.map(({ length }) => length), this.dimensions));
  }

  #row(row: number): Float32Array {
    return this.#vectors.subarray(row * this.dimensions, (row + 1) * this.dimensions);
  }

  #target(query: Parameters<WordVectors['nearest']>[0]): { target: ArrayLike<number>; without: ReadonlySet<number> } {
    if (query instanceof Float32Array) {
      if (query.length === this.dimensions) return { target: query, without: new Set() };
      throw invalidArgument(`query: ${query.length} numbers found, ${this.dimensions} expected`);
    }
    const { positive, negative = [] } = typeof query === 'string' ? { positive: [query] } : this.#checkWords(query);
    const target = new Float64Array(this.dimensions), without = new Set<number>();
    for (const [words, sign] of [[positive, 1], [negative, -1]] as const) {
      for (const word of words) {
        const row = this.#rows.get(word);
        if (row === undefined) throw invalidArgument(`query: ${describe(word)} is none of the ${this.words.length} words`, { word });
        without.add(row);
        this.#row(row).forEach((x, i) => (target[i]! += sign * x));
      }
    }
    return { target, without };
  }

  #checkWords(query: { positive: string[]; negative?: string[] }): { positive: string[]; negative?: string[] } {
    if (query === undefined) throw invalidArgument('query: undefined found; a word, { positive, negative } or a Float32Array expected');
    checkOptions('nearest', query, ['positive', 'negative']);
    for (const [name, words] of Object.entries(query)) {
      if (!Array.isArray(words)) throw invalidArgument(`${name}: ${describe(words)} found, a list of words expected`);
      words.forEach((word, i) => checkText(`${name}[${i}]`, word));
    }
    if (!query.positive) throw invalidArgument('positive: undefined found, a list of words expected');
    return query;
  }
}

/** The only file, or the only one whose name ends as such files' do. */
function nameIn(names: readonly string[] | null): string {
  if (names?.length === 1) return names[0]!;
  const likely = names?.filter((name) => /\.(txt|vec)$/.test(name)) ?? [];
  if (likely.length === 1) return likely[0]!;
  throw invalidArgument(`source: ${names ? `${likely.length} files that end in .txt or .vec` : 'a folder'} found, one file expected`);
}

/** @param source one text file of word2vec's, or a folder on disk with only one in it */
export async function loadWordVectors(source: ModelSource): Promise<WordVectors> {
  const files = await FileSet.at(toSourceData(source), { cache: 'default' });
  const name = nameIn(files.names);
  const bytes = await readAll(await files.open(name));
  const reader = await extendedInstance();
  const length = reader.stage(bytes);
  const { words, vectors } = reader.call((module) => module.readWordVectors(length, name));
  return new VectorTable(words, vectors.shape[1]!, vectors.data, await piecesInstance());
}

// The generations of the parts of long texts, joined to those of the texts.
import type { GenerationItem, GenerationResult } from '../types.js';
import type { Part } from './long-texts.js';

/** A row of the result is a sequence of a text; its parts are rows of the generation. */
interface Row {
  /** Rows of the parts, in order. */
  rows: number[];
  /** What stands between a part and the next. */
  spaces: string[];
}

export class JoinedParts {
  readonly #rows: Row[];
  /** For each row of the generation: the row of the result, and which part it is. */
  readonly #places: { row: number; part: number }[] = [];
  /** For each row of the result: the part that is shown now. */
  readonly #shown: number[];
  /** What came of later parts, by row of the generation. */
  readonly #held = new Map<number, GenerationItem[]>();

  /** @param texts the parts of each text @param copies sequences a prompt */
  constructor(texts: readonly (readonly Part[])[], copies: number) {
    let next = 0;
    this.#rows = texts.flatMap((parts) => {
      const first = next;
      next += parts.length * copies;
      return Array.from({ length: copies }, (_, copy) => ({
        rows: parts.map((_, part) => first + part * copies + copy),
        // Sentences of languages without spaces between them are translated to ones with.
        spaces: parts.map(({ space }) => space || ' '),
      }));
    });
    this.#rows.forEach(({ rows }, row) => rows.forEach((at, part) => (this.#places[at] = { row, part })));
    this.#shown = this.#rows.map(() => 0);
  }

  /** Items of the parts to items of the texts, which come in the order of the text. */
  take(items: readonly GenerationItem[]): GenerationItem[] {
    return items.flatMap((item) => {
      const { row, part } = this.#places[item.index]!;
      if (part === this.#shown[row]) return this.#show(item);
      const held = this.#held.get(item.index) ?? [];
      held.push(item);
      this.#held.set(item.index, held);
      return [];
    });
  }

  #show(item: GenerationItem): GenerationItem[] {
    const { row, part } = this.#places[item.index]!;
    const { rows, spaces } = this.#rows[row]!;
    const isLast = part === rows.length - 1;
    const { last, ...rest } = item;
    const shown: GenerationItem = { ...rest, index: row, ...(last && isLast && { last }) };
    if (!last || isLast) return [shown];
    shown.text += spaces[part]!;
    this.#shown[row] = part + 1;
    const next = rows[part + 1]!, held = this.#held.get(next) ?? [];
    this.#held.delete(next);
    return [shown, ...held.flatMap((later) => this.#show(later))];
  }

  result({ texts, sequences, finishReason, scores, usage }: GenerationResult): GenerationResult {
    const of = <T>(list: readonly T[], row: Row): T[] => row.rows.map((at) => list[at]!);
    return {
      texts: this.#rows.map((row) => of(texts, row).reduce((all, text, part) => all + row.spaces[part - 1]! + text)),
      sequences: this.#rows.map((row) => of(sequences, row).flat()),
      finishReason: this.#rows.map((row) => {
        const reasons = of(finishReason, row);
        return reasons.find((reason) => reason !== 'eos') ?? 'eos';
      }),
      ...(scores && { scores: this.#rows.map((row) => of(scores, row).reduce((a, b) => a + b, 0)) }),
      usage,
    };
  }
}

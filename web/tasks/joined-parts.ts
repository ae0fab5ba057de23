// The generations of the parts of long texts, joined to those of the texts.
import type { GenerationItem, GenerationResult } from '../types.js';
import type { Part } from './long-texts.js';

/** A row of the result is a sequence of a text; its parts are rows of the generation. A text without parts is its own result. */
interface Row {
  text: string;
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

  /** @param texts the texts @param partsOf the parts of each @param copies sequences a prompt */
  constructor(texts: readonly string[], partsOf: readonly (readonly Part[])[], copies: number) {
    let next = 0;
    this.#rows = partsOf.flatMap((parts, i) => {
      const first = next;
      next += parts.length * copies;
      return Array.from({ length: copies }, (_, copy) => ({
        text: texts[i]!,
        rows: parts.map((_, part) => first + part * copies + copy),
        // Sentences of languages without spaces between them are translated to ones with.
        spaces: parts.map(({ space }) => space || ' '),
      }));
    });
    this.#rows.forEach(({ rows }, row) => rows.forEach((at, part) => (this.#places[at] = { row, part })));
    this.#shown = this.#rows.map(() => 0);
  }

  /** The items of the texts without parts, which are there at once. */
  begin(): GenerationItem[] {
    return this.#rows.flatMap(({ text, rows }, index) => (rows.length === 0 ? [{ index, text, ids: [], last: true }] : []));
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

  /** Attentions and beams are those of texts with one part: of several they cannot be joined. */
  result({ texts, sequences, finishReason, scores, crossAttentions, beams, usage }: GenerationResult): GenerationResult {
    const of = <T>(list: readonly T[], row: Row): T[] => row.rows.map((at) => list[at]!);
    const join = (row: Row): string => of(texts, row).reduce((all, text, part) => all + row.spaces[part - 1]! + text);
    return {
      texts: this.#rows.map((row) => (row.rows.length === 0 ? row.text : join(row))),
      sequences: this.#rows.map((row) => of(sequences, row).flat()),
      finishReason: this.#rows.map((row) => of(finishReason, row).find((reason) => reason !== 'eos') ?? 'eos'),
      ...(scores && { scores: this.#rows.map((row) => of(scores, row).reduce((a, b) => a + b, 0)) }),
      ...(crossAttentions && { crossAttentions: this.#rows.map((row) => of(crossAttentions, row).flat()) }),
      ...(beams && { beams }),
      usage,
    };
  }
}

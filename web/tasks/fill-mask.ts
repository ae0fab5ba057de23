// The words that fit where a text has masks; as transformers' FillMaskPipeline.
import { invalidArgument } from '../errors.js';
import type { BoundTokenizer } from '../tokenizer.js';
import type { FillMaskOptions, FilledMask } from '../types.js';
import { softmax, topIndices } from './scores.js';
import { rowOf, type TextModel } from './text-model.js';

const DEFAULT_TOP_K = 5;

/** Tokens by their names, other texts by their first token. */
function targetIds(tokenizer: BoundTokenizer, targets: readonly string[]): number[] {
  const ids = targets.map((target) => tokenizer.idOf(target) ?? tokenizer.encode(target, { addSpecialTokens: false }).ids[0]);
  const known = [...new Set(ids.filter((id) => id !== undefined))];
  if (known.length === 0) throw invalidArgument('targets: none of them has a token in the vocabulary', { option: 'targets' });
  return known;
}

function specialId(tokenizer: BoundTokenizer, name: string): number | undefined {
  const token = tokenizer.names[name];
  return token === undefined ? undefined : tokenizer.special[token];
}

export async function fillMask(
  model: TextModel,
  text: string,
  { topK = DEFAULT_TOP_K, targets }: Omit<FillMaskOptions, 'signal'>,
): Promise<FilledMask[][]> {
  const { tokenizer } = model;
  const mask = specialId(tokenizer, 'mask_token'), padding = specialId(tokenizer, 'pad_token');
  if (mask === undefined) throw invalidArgument('fillMask: the tokenizer has no mask token');
  const chosen = targets && targetIds(tokenizer, targets);
  const encoding = tokenizer.encode(text);
  const places = encoding.ids.flatMap((id, i) => (id === mask ? [i] : []));
  if (places.length === 0) throw invalidArgument(`text: no ${tokenizer.names['mask_token']} found, at least one expected`);

  let logits = new Float32Array(0);
  await model.run([encoding], places, (output, row) => {
    logits = Float32Array.from(rowOf(output.logits!, row));
  });
  const width = logits.length / places.length;
  return places.map((place, m) => {
    const all = softmax(logits.subarray(m * width, (m + 1) * width));
    const scores = chosen ? chosen.map((id) => all[id]!) : all;
    return topIndices(scores, topK).map((at) => filled(place, chosen ? chosen[at]! : at, scores[at]!));
  });

  /** The other masks stay to be seen. */
  function filled(place: number, id: number, score: number): FilledMask {
    const ids = encoding.ids.map((other, i) => (i === place ? id : other)).filter((other) => other !== padding);
    const token = tokenizer.decode([id], { skipSpecialTokens: false });
    return { token, id, score, text: tokenizer.decode(ids, { skipSpecialTokens: places.length === 1 }) };
  }
}

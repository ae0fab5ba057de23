// What textbooks call the weights of PyTorch's modules: src/model/families/transformer.cpp has the names that they become here.
import { invalidArgument } from './errors.js';
import type { PieceKind } from './layer-options.js';

const PART = '(?:[Ww]_?)?(?:([qkvo])|(query|key|value|out(?:put)?))(?:_(?:proj|linear))?\\.(?=weight$|bias$)';
const ALONE = new RegExp(`^${PART}`);
const CROSS = new RegExp(`(^|\\.)(?:cross_att(?:n|ention)|multihead_attn|encoder_attn|src_attn)\\.${PART}`);
const SELF = new RegExp(`(^|\\.)(?:(?:self_|masked_)?att(?:n|ention)|mha)\\.${PART}`);

/** The inner layers of a feed-forward, by the name of either; a Sequential has a dropout in it or not. */
const FFN = '(^|\\.)(?:(?:ffn?|feed_?forward|mlp)\\.)?(?:net\\.)?';
const RULES: readonly (readonly [RegExp, string])[] = [
  [/(^|\.)(?:blocks|layer)\.(?=\d)/, '$1layers.'],
  [/(^|\.)(?:ln|layer_?norm)_?(?=\d\.)/, '$1norm'],
  [new RegExp(`${FFN}(?:0|(?:w_?|fc_?|linear_?)1)\\.(?=weight$|bias$)`), '$1linear1.'],
  [new RegExp(`${FFN}(?:[23]|(?:w_?|fc_?|linear_?)2)\\.(?=weight$|bias$)`), '$1linear2.'],
];

function ownName(kind: PieceKind, name: string): string {
  if (kind === 'multiHeadAttention') return name.replace(ALONE, (_, letter?: string, word?: string) => `${(letter ?? word)![0]}_proj.`);
  const isDecoder = kind.startsWith('decoder') || name.startsWith('decoder.');
  const part = (owner: string) => (_: string, before: string, letter?: string, word?: string) =>
    `${before}${owner}.W${(letter ?? word)![0]}.`;
  return RULES.reduce((text, [from, to]) => text.replace(from, to), name)
    .replace(CROSS, part('cross_attention')).replace(SELF, part(isDecoder ? 'masked_attention' : 'attention'));
}

/** The weights by the names that the module reads. `given` has the caller's name of each. */
export function withOwnNames<T>(kind: PieceKind, weights: ReadonlyMap<string, T>): { own: Map<string, T>; given: Map<string, string> } {
  const own = new Map<string, T>(), given = new Map<string, string>();
  for (const [name, tensor] of weights) {
    const read = ownName(kind, name), other = given.get(read);
    if (other !== undefined) throw invalidArgument(`weights: '${other}' and '${name}' are the same weight`);
    given.set(read, name);
    own.set(read, tensor);
  }
  return { own, given };
}

// What more than one of the texts uses: PyTorch's modules from their weights, and attention written as the texts write it, with linears.
import { attention, createLayer } from 'webformer';
import { torchBlock } from './reference.mjs';
import { below, mergeHeads, randn, splitHeads } from './tensors.mjs';

/** nn.Linear from the weights of a state_dict. */
export function linear(weights, name) {
  const own = below(weights, `${name}.`), [outputs, inputs] = own.get('weight').shape;
  return createLayer('linear', { in_features: inputs, out_features: outputs, bias: own.has('bias') }, own);
}

/** x W^T, of a matrix alone. */
export const matrix = (weight) => linear(new Map([['of.weight', weight]]), 'of');

/** q k^T: a linear whose weight is the keys. q: [T,D], k: [S,D] */
export const products = async (use, q, k) => (await use(await matrix(k)).forward({ input: q })).output;

/** nn.Embedding from its table. */
export function embedding(table) {
  const [num_embeddings, embedding_dim] = table.shape;
  return createLayer('embedding', { num_embeddings, embedding_dim }, new Map([['weight', table]]));
}

/** Weights by their shapes: of linears about n^-1/2, of norms about 1, of biases about 0, so that a missing one shows. */
export function drawn(seed, shapes) {
  return new Map(Object.entries(shapes).map(([name, shape], i) => {
    const { data } = randn(seed + i, ...shape), isNorm = /norm|ln_f/.test(name);
    const scale = shape.length === 2 ? shape[1] ** -0.5 : 0.2;
    return [name, { data: data.map((x) => x * scale + (isNorm && name.endsWith('weight') ? 1 : 0)), shape }];
  }));
}

export const linearShapes = (name, outputs, inputs, bias = true) =>
  ({ [`${name}.weight`]: [outputs, inputs], ...(bias && { [`${name}.bias`]: [outputs] }) });
const normShapes = (name, width) => ({ [`${name}.weight`]: [width], [`${name}.bias`]: [width] });

/** The shapes of a block: its attentions, the linears in each, and those of its feed-forward network, by name. */
export function blockShapes({ start = '', width, inner, attentions, linears, attentionBias = false, ffn: [up, down] }) {
  const parts = attentions.flatMap((name) => linears.map((of) => linearShapes(`${start}${name}.${of}`, width, width, attentionBias)));
  const norms = ['norm1', 'norm2', 'norm3'].slice(0, attentions.length + 1).map((name) => normShapes(start + name, width));
  return Object.assign({}, ...parts, linearShapes(start + up, inner, width), linearShapes(start + down, width, inner), ...norms);
}

/** Multi-head attention as four linears around the attention of all heads at once. */
export class MultiHeadAttention {
  /** @param names those of the four linears, of query, key, value and output */
  static async from(use, weights, names, heads) {
    const made = new MultiHeadAttention();
    [made.query, made.key, made.value, made.output] = await Promise.all(names.map(async (name) => use(await linear(weights, name))));
    made.heads = heads;
    return made;
  }

  /** @param mask what broadcasts to [B,H,T,S], 1 = visible */
  async forward(query, key, value, mask) {
    const projected = await Promise.all([
      this.query.forward({ input: query }), this.key.forward({ input: key }), this.value.forward({ input: value }),
    ]);
    const [q, k, v] = projected.map(({ output }) => splitHeads(output, this.heads));
    const { output, weights } = await attention(q, k, v, { mask });
    return { output: (await this.output.forward({ input: mergeHeads(output) })).output, weights };
  }
}

/** The weights of nn.MultiheadAttention's packed names, as four linears by the names given. */
export function unpacked(weights, names) {
  const { attentions: [linears] } = torchBlock(new Map([...weights].map(([name, weight]) => [`self_attn.${name}`, weight])));
  return new Map(names.flatMap((name, i) =>
    ['weight', 'bias'].filter((of) => linears[i][of]).map((of) => [`${name}.${of}`, linears[i][of]])));
}

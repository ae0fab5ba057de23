// The classes that more than one block of the texts uses, written with the package's layers as the texts write them with nn.Linear.
import { attention, createLayer } from 'webformer';
import { torchBlock } from './reference.mjs';
import { below, idTensor, mergeHeads, randn, splitHeads, times } from './tensors.mjs';

/** nn.Linear from the weights of a state_dict. */
export function linear(weights, name) {
  const own = below(weights, `${name}.`), [outputs, inputs] = own.get('weight').shape;
  return createLayer('linear', { in_features: inputs, out_features: outputs, bias: own.has('bias') }, own);
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

/** Embeddings times sqrt(d_model), and the positions of sines and cosines. */
export class ScaledEmbedding {
  static async from(use, table) {
    const made = new ScaledEmbedding(), [vocabulary, width] = table.shape;
    const options = { num_embeddings: vocabulary, embedding_dim: width };
    made.embedding = use(await createLayer('embedding', options, new Map([['weight', table]])));
    made.positions = use(await createLayer('positionalEncoding', { d_model: width }));
    made.scale = Math.sqrt(width);
    return made;
  }

  async forward(ids) {
    const { output } = await this.embedding.forward({ input: idTensor(ids) });
    return (await this.positions.forward({ input: times(output, this.scale) })).output;
  }
}

/** The options of a layer that is one of the second text's blocks. */
export const blockOptions = ({ d_model, n_heads, d_ff }) => ({ d_model, nhead: n_heads, dim_feedforward: d_ff, attention_bias: false });

/** One layer for each of `layers.0`, `layers.1`, … of the weights. */
async function layersOf(use, kind, weights, sizes) {
  const layers = [];
  for (let i = 0; i < sizes.n_layers; i++)
    layers.push(use(await createLayer(kind, blockOptions(sizes), below(weights, `layers.${i}.`))));
  return layers;
}

/** The second text's encoder: `weights` have its names. */
export class Encoder {
  static async from(use, weights, sizes) {
    const made = new Encoder();
    made.embed = await ScaledEmbedding.from(use, weights.get('embedding.weight'));
    made.layers = await layersOf(use, 'encoderLayer', weights, sizes);
    return made;
  }

  async forward(ids, mask) {
    let x = await this.embed.forward(ids);
    for (const layer of this.layers) x = (await layer.forward({ src: x }, { mask })).output;
    return x;
  }
}

/** The second text's decoder. */
export class Decoder {
  static async from(use, weights, sizes) {
    const made = new Decoder();
    made.embed = await ScaledEmbedding.from(use, weights.get('embedding.weight'));
    made.layers = await layersOf(use, 'decoderLayer', weights, sizes);
    return made;
  }

  async forward(ids, memory, srcMask, tgtMask) {
    let x = await this.embed.forward(ids);
    for (const layer of this.layers) x = (await layer.forward({ tgt: x, memory }, { mask: tgtMask, memoryMask: srcMask })).output;
    return x;
  }
}

/** The second text's Transformer. */
export class Transformer {
  static async from(use, weights, sizes) {
    const made = new Transformer();
    made.encoder = await Encoder.from(use, below(weights, 'encoder.'), sizes);
    made.decoder = await Decoder.from(use, below(weights, 'decoder.'), sizes);
    made.output_linear = use(await linear(weights, 'output_linear'));
    return made;
  }

  async forward(src, tgt, srcMask, tgtMask) {
    const memory = await this.encoder.forward(src, srcMask);
    return (await this.output_linear.forward({ input: await this.decoder.forward(tgt, memory, srcMask, tgtMask) })).output;
  }
}

/** config.json of the same: attention without biases, no norm at the ends, tables of their own, biases at the output. */
export const transformerConfig = ({ src_vocab, tgt_vocab, d_model = 512, n_heads = 8, d_ff = 2048, n_layers = 6, max_len = 512 }) => ({
  model_type: 'transformer', vocab_size: src_vocab, target_vocab_size: tgt_vocab, d_model, nhead: n_heads, dim_feedforward: d_ff,
  num_encoder_layers: n_layers, num_decoder_layers: n_layers, max_position_embeddings: max_len, attention_bias: false, final_norm: false,
  share_embeddings: false, tie_word_embeddings: false, output_bias: true, pad_token_id: 0, bos_token_id: 1, eos_token_id: 2,
  decoder_start_token_id: 1,
});

/** The shapes of the second text's Transformer. */
export function transformerShapes({ src_vocab, tgt_vocab, d_model, d_ff, n_layers }) {
  const block = { width: d_model, inner: d_ff, linears: ['Wq', 'Wk', 'Wv', 'Wo'], ffn: ['ffn.linear1', 'ffn.linear2'] };
  const layers = Array.from({ length: n_layers }, (_, i) => ({
    ...blockShapes({ ...block, start: `encoder.layers.${i}.`, attentions: ['attention'] }),
    ...blockShapes({ ...block, start: `decoder.layers.${i}.`, attentions: ['masked_attention', 'cross_attention'] }),
  }));
  const tables = { 'encoder.embedding.weight': [src_vocab, d_model], 'decoder.embedding.weight': [tgt_vocab, d_model] };
  return Object.assign(tables, ...layers, linearShapes('output_linear', tgt_vocab, d_model));
}

/** The weights of nn.MultiheadAttention's packed names, as four linears by the names given. */
export function unpacked(weights, names) {
  const { attentions: [linears] } = torchBlock(new Map([...weights].map(([name, weight]) => [`self_attn.${name}`, weight])));
  return new Map(names.flatMap((name, i) =>
    ['weight', 'bias'].filter((of) => linears[i][of]).map((of) => [`${name}.${of}`, linears[i][of]])));
}

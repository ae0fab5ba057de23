// The second text's Transformer and GPT: its classes, written with the package's layers, and the same in float64.
import { createLayer } from 'webformer';
import { blockShapes, embedding, linear, linearShapes, matrix } from './modules.mjs';
import * as reference from './reference.mjs';
import { below, idTensor, times } from './tensors.mjs';

const { part } = reference;
/** The names of the linears in an attention, and in a block. */
export const LINEARS = ['Wq', 'Wk', 'Wv', 'Wo'];
export const NAMES = { linears: LINEARS, ffn: ['ffn.linear1', 'ffn.linear2'] };

/** Embeddings times sqrt(d_model), and the positions of sines and cosines. */
class ScaledEmbedding {
  static async from(use, table) {
    const made = new ScaledEmbedding(), width = table.shape[1];
    made.embedding = use(await embedding(table));
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
class Decoder {
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
  const block = { ...NAMES, width: d_model, inner: d_ff };
  const layers = Array.from({ length: n_layers }, (_, i) => ({
    ...blockShapes({ ...block, start: `encoder.layers.${i}.`, attentions: ['attention'] }),
    ...blockShapes({ ...block, start: `decoder.layers.${i}.`, attentions: ['masked_attention', 'cross_attention'] }),
  }));
  const tables = { 'encoder.embedding.weight': [src_vocab, d_model], 'decoder.embedding.weight': [tgt_vocab, d_model] };
  return Object.assign(tables, ...layers, linearShapes('output_linear', tgt_vocab, d_model));
}

/** A block of the text for the reference. `attentions`: their names */
export const blockOf = (weights, ...attentions) => reference.textBlock(weights, attentions, LINEARS, NAMES.ffn);

/** What ScaledEmbedding gives, in float64. */
export function embedded(ids, table) {
  const x = reference.embed(ids, table, Math.sqrt(table.shape[1]));
  return reference.plus(x, reference.sinusoids(...x.shape.slice(1)));
}

function stack(weights, side, count, x, run) {
  const names = side === 'encoder' ? ['attention'] : ['masked_attention', 'cross_attention'];
  for (let i = 0; i < count; i++) x = reference.runBlock(blockOf(below(weights, `${side}.layers.${i}.`), ...names), x, run);
  return x;
}

/** The text's Transformer in float64. */
export const inFloat64 = {
  encode: (weights, src, { n_heads: heads, n_layers }) =>
    stack(weights, 'encoder', n_layers, embedded(src, weights.get('encoder.embedding.weight')), { heads, seen: reference.unpadded(src) }),
  decode(weights, tgt, memory, src, { n_heads: heads, n_layers }) {
    const unpadded = reference.unpadded(tgt), seen = (b, t, s) => s <= t && unpadded(b, t, s);
    const run = { heads, seen, memory, memorySeen: reference.unpadded(src) };
    return stack(weights, 'decoder', n_layers, embedded(tgt, weights.get('decoder.embedding.weight')), run);
  },
  logits: (weights, src, tgt, sizes) =>
    reference.linear(
      inFloat64.decode(weights, tgt, inFloat64.encode(weights, src, sizes), src, sizes), part(weights, 'output_linear'),
    ),
};

/** The options of createLayer('gpt') for it. */
export const gptOptions = ({ d_model, n_heads, d_ff, n_layers, vocab_size }) => ({
  d_model, nhead: n_heads, dim_feedforward: d_ff, num_layers: n_layers, vocab_size, norm_first: true, attention_bias: false,
  positions: 'sinusoidal', activation: 'relu',
});
export function gptShapes({ d_model, d_ff, n_layers, vocab_size }) {
  const block = { ...NAMES, width: d_model, inner: d_ff, attentions: ['attention'] };
  const blocks = Array.from({ length: n_layers }, (_, i) => blockShapes({ ...block, start: `blocks.${i}.` }));
  return Object.assign({ 'embedding.weight': [vocab_size, d_model], 'norm.weight': [d_model], 'norm.bias': [d_model] }, ...blocks);
}

/** The second text's GPT: blocks with norms before their parts, and the table of tokens at both ends. */
export class Gpt {
  static async from(use, weights, sizes) {
    const made = new Gpt(), table = weights.get('embedding.weight');
    made.embed = await ScaledEmbedding.from(use, table);
    made.blocks = [];
    const options = { ...blockOptions(sizes), norm_first: true };
    for (let i = 0; i < sizes.n_layers; i++)
      made.blocks.push(use(await createLayer('encoderLayer', options, below(weights, `blocks.${i}.`))));
    made.norm = use(await createLayer('layerNorm', { normalized_shape: sizes.d_model }, below(weights, 'norm.')));
    made.output = use(await matrix(table));
    return made;
  }

  async forward(ids, mask) {
    let x = await this.embed.forward(ids);
    for (const block of this.blocks) x = (await block.forward({ src: x }, { mask })).output;
    const { output } = await this.norm.forward({ input: x });
    return (await this.output.forward({ input: output })).output;
  }
}

// Options and first weights of layers, as PyTorch's modules have them.
import { invalidArgument } from './errors.js';
import { checkBoolean, checkChoice, checkCount, checkNumber, checkOptions, checkText, describe } from './options.js';
import { zeros } from './pieces-instance.js';
import type { LayerKind, Tensor } from './types.js';

/** `gpt` and `bert` are whole models: see model-layer.ts. */
export type PieceKind = Exclude<LayerKind, 'gpt' | 'bert'>;
export type Settings = Record<string, number | boolean | string | null | undefined>;

const BLOCK = {
  d_model: null, nhead: null, dim_feedforward: 2048, dropout: 0.1, activation: 'relu', layer_norm_eps: 1e-5, norm_first: false, bias: true,
  attention_bias: undefined, batch_first: true,
};
const MODEL = {
  vocab_size: null, d_model: null, nhead: null, num_layers: null, dim_feedforward: null, max_position_embeddings: 512, positions: 'learned',
  activation: 'gelu', layer_norm_eps: 1e-5, norm_first: false, bias: true, attention_bias: true, dropout: 0.1,
};
const STACK = { ...BLOCK, num_layers: null, norm: false };

/** Each with its default: null where it has to be given, undefined where it follows from others. */
const OPTIONS: Record<LayerKind, Settings> = {
  linear: { in_features: null, out_features: null, bias: true },
  layerNorm: { normalized_shape: null, eps: 1e-5, bias: true },
  rmsNorm: { normalized_shape: null, eps: 2 ** -23 },
  embedding: { num_embeddings: null, embedding_dim: null },
  positionalEncoding: { d_model: null, max_len: 5000, dropout: 0.1 },
  feedForward: { d_model: null, dim_feedforward: 2048, activation: 'relu', bias: true, gated: false, dropout: 0.1 },
  multiHeadAttention: {
    embed_dim: null, num_heads: null, bias: true, kdim: undefined, vdim: undefined, num_kv_heads: undefined, dropout: 0, batch_first: true,
  },
  encoderLayer: BLOCK,
  decoderLayer: BLOCK,
  encoder: STACK,
  decoder: STACK,
  transformer: { ...BLOCK, d_model: 512, nhead: 8, num_encoder_layers: 6, num_decoder_layers: 6 },
  gpt: MODEL,
  bert: { ...MODEL, type_vocab_size: 2, next_sentence: false },
};
const MOST = 2 ** 31 - 1;

export function checkKind(kind: LayerKind): void {
  const kinds = Object.keys(OPTIONS) as LayerKind[];
  if (kind === undefined) throw invalidArgument(`kind: undefined found, one of ${kinds.join(', ')} expected`);
  checkChoice('kind', kind, kinds);
}

function checkOption(name: string, value: unknown, otherwise: Settings[string]): void {
  if (typeof otherwise === 'boolean' || name === 'attention_bias') return checkBoolean(name, value);
  if (typeof otherwise === 'string') return checkText(name, value);
  if (/eps$|dropout/.test(name)) return checkNumber(name, value, 0);
  checkCount(name, value, 1);
  if (Number(value) > MOST) throw invalidArgument(`${name}: ${String(value)} found, at most 2^31 - 1 expected`, { option: name });
}

/** All options of a layer, with their defaults. */
export function readOptions(kind: LayerKind, options: Readonly<Record<string, unknown>>): Settings {
  const defaults = OPTIONS[kind], settings = { ...defaults };
  if (options === undefined) throw invalidArgument(`createLayer('${kind}'): no options found`);
  checkOptions(`createLayer('${kind}')`, options, Object.keys(defaults));
  for (const [name, given] of Object.entries(options)) {
    if (given === undefined) continue;
    const value: unknown = name === 'normalized_shape' && Array.isArray(given) && given.length === 1 ? given[0] : given;
    checkOption(name, value, defaults[name]);
    settings[name] = value as Settings[string];
  }
  for (const [name, value] of Object.entries(settings))
    if (value === null) throw invalidArgument(`createLayer('${kind}'): ${name} is missing`, { option: name });
  if (settings['batch_first'] === false)
    throw invalidArgument('batch_first: false found, true expected: tensors are [B, T, C] here', { option: 'batch_first' });
  for (const name of ['kdim', 'vdim']) settings[name] ??= settings['embed_dim'];
  settings['num_kv_heads'] ??= settings['num_heads'];
  settings['attention_bias'] ??= settings['bias'];
  return settings;
}

/** The options as wasm/layer_piece.cpp reads them. */
export function toCoreOptions(kind: PieceKind, settings: Settings): Settings {
  const { in_features, normalized_shape, embedding_dim, d_model, embed_dim, num_heads, num_layers, norm, ...rest } = settings;
  switch (kind) {
    case 'linear': return { ...rest, width: in_features };
    case 'layerNorm':
    case 'rmsNorm': return { ...rest, width: normalized_shape };
    case 'embedding': return { ...rest, width: embedding_dim };
    case 'positionalEncoding': return { ...rest, width: d_model };
    case 'feedForward': return { ...rest, d_model, nhead: 1 };
    case 'multiHeadAttention': return { ...rest, d_model: embed_dim, nhead: num_heads };
    case 'transformer': return { ...rest, d_model, final_norm: true };
    case 'encoderLayer':
    case 'encoder': return { ...rest, d_model, num_encoder_layers: num_layers ?? 1, num_decoder_layers: 0, final_norm: norm ?? false };
    case 'decoderLayer':
    case 'decoder': return { ...rest, d_model, num_encoder_layers: 0, num_decoder_layers: num_layers ?? 1, final_norm: norm ?? false };
  }
}

/** Weights as PyTorch's modules start with: names, shapes, and the bounds of what is drawn. */
export class FirstWeights {
  readonly all = new Map<string, Tensor>();

  /** @param attentionBias default: as `bias` */
  constructor(
    private readonly bias: boolean,
    private readonly attentionBias = bias,
  ) {}

  uniform(name: string, shape: number[], bound: number): void {
    const tensor = zeros(name, shape);
    tensor.data.forEach((_, i) => (tensor.data[i] = bound * (2 * Math.random() - 1)));
    this.all.set(name, tensor);
  }

  /** Box & Muller 1958. */
  normal(name: string, shape: number[]): void {
    const tensor = zeros(name, shape);
    const draw = (): number => Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
    tensor.data.forEach((_, i) => (tensor.data[i] = draw()));
    this.all.set(name, tensor);
  }

  fill(name: string, shape: number[], value: number): void {
    const tensor = zeros(name, shape);
    tensor.data.fill(value);
    this.all.set(name, tensor);
  }

  linear(name: string, inputs: number, outputs: number): void {
    const bound = 1 / Math.sqrt(inputs);
    this.uniform(`${name}weight`, [outputs, inputs], bound);
    if (this.bias) this.uniform(`${name}bias`, [outputs], bound);
  }

  norm(name: string, width: number, bias = this.bias): void {
    this.fill(`${name}weight`, [width], 1);
    if (bias) this.fill(`${name}bias`, [width], 0);
  }

  /** Glorot & Bengio 2010. */
  glorot(name: string, outputs: number, inputs: number): void {
    this.uniform(name, [outputs, inputs], Math.sqrt(6 / (inputs + outputs)));
  }

  attention(name: string, width: number, kdim = width, vdim = width): void {
    const parts = kdim === width && vdim === width ? [] : ([['q', width], ['k', kdim], ['v', vdim]] as const);
    if (parts.length === 0) this.glorot(`${name}in_proj_weight`, 3 * width, width);
    for (const [part, inputs] of parts) this.glorot(`${name}${part}_proj_weight`, width, inputs);
    this.uniform(`${name}out_proj.weight`, [width, width], 1 / Math.sqrt(width));
    if (!this.attentionBias) return;
    this.fill(`${name}in_proj_bias`, [3 * width], 0);
    this.fill(`${name}out_proj.bias`, [width], 0);
  }

  block(name: string, width: number, inner: number, cross: boolean): void {
    this.attention(`${name}self_attn.`, width);
    if (cross) this.attention(`${name}multihead_attn.`, width);
    this.linear(`${name}linear1.`, width, inner);
    this.linear(`${name}linear2.`, inner, width);
    for (let i = 1; i <= (cross ? 3 : 2); i++) this.norm(`${name}norm${i}.`, width);
  }
}

export function firstWeights(kind: PieceKind, settings: Settings): Map<string, Tensor> {
  const size = (name: string): number => settings[name] as number;
  const first = new FirstWeights(settings['bias'] !== false, settings['attention_bias'] !== false);
  const width = size('d_model'), inner = size('dim_feedforward');
  const blocks = (name: string, count: number, cross: boolean): void => {
    for (let i = 0; i < count; i++) first.block(`${name}layers.${i}.`, width, inner, cross);
  };
  switch (kind) {
    case 'linear':
      first.linear('', size('in_features'), size('out_features'));
      break;
    case 'layerNorm':
    case 'rmsNorm':
      first.norm('', size('normalized_shape'), kind === 'layerNorm' && settings['bias'] !== false);
      break;
    case 'embedding':
      first.normal('weight', [size('num_embeddings'), size('embedding_dim')]);
      break;
    case 'positionalEncoding':
      break;
    case 'feedForward':
      for (const name of settings['gated'] ? ['gate_proj.', 'up_proj.'] : ['linear1.']) first.linear(name, width, inner);
      first.linear(settings['gated'] ? 'down_proj.' : 'linear2.', inner, width);
      break;
    case 'multiHeadAttention': {
      const heads = size('num_heads'), kvHeads = size('num_kv_heads'), whole = size('embed_dim');
      if (kvHeads === heads) {
        first.attention('', whole, size('kdim'), size('vdim'));
        break;
      }
      const shared = (whole / heads) * kvHeads;
      first.linear('q_proj.', whole, whole);
      first.linear('k_proj.', size('kdim'), shared);
      first.linear('v_proj.', size('vdim'), shared);
      first.linear('o_proj.', whole, whole);
      break;
    }
    case 'encoderLayer':
    case 'decoderLayer':
      first.block('', width, inner, kind === 'decoderLayer');
      break;
    case 'encoder':
    case 'decoder':
      blocks('', size('num_layers'), kind === 'decoder');
      if (settings['norm']) first.norm('norm.', width);
      break;
    case 'transformer':
      blocks('encoder.', size('num_encoder_layers'), false);
      first.norm('encoder.norm.', width);
      blocks('decoder.', size('num_decoder_layers'), true);
      first.norm('decoder.norm.', width);
      for (const [name, { shape }] of first.all) if (shape.length === 2) first.glorot(name, shape[0]!, shape[1]!);
      break;
  }
  return first.all;
}

/** Weights that a caller gave, copied. */
export function copyWeights(weights: ReadonlyMap<string, Tensor>, check: (name: string, tensor: unknown) => void): Map<string, Tensor> {
  if (!(weights instanceof Map)) throw invalidArgument(`weights: ${describe(weights)} found, a Map of tensors by name expected`);
  return new Map(
    [...(weights as ReadonlyMap<string, Tensor>)].map(([name, tensor]) => {
      checkText('weights: a name', name);
      check(`weights '${name}'`, tensor);
      return [name, { data: tensor.data.slice(), shape: [...tensor.shape] }];
    }),
  );
}

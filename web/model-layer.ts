// createLayer('gpt') and ('bert'): whole models as textbooks write them, in this thread.
import { text } from './broadcast.js';
import { invalidArgument } from './errors.js';
import { FirstWeights, type Settings } from './layer-options.js';
import { loadModel } from './load.js';
import { checkOptions } from './options.js';
import { toSafetensors } from './safetensors.js';
import type { ForwardInputs, Layer, Model, Tensor } from './types.js';
import { checkTensor, toJson } from './values.js';

type ModelKind = 'gpt' | 'bert';

const INPUTS = { input_ids: 'inputIds', attention_mask: 'attentionMask', token_type_ids: 'tokenTypeIds' } as const;
const OUTPUTS = ['logits', 'lastHiddenState', 'nextSentenceLogits'] as const;

/** config.json of nn.Transformer's family, one side of which is there: see src/model/families/transformer.cpp. */
function toConfig(kind: ModelKind, settings: Settings): Record<string, unknown> {
  const { num_layers, next_sentence, ...rest } = settings, isBert = kind === 'bert';
  const layers = { num_encoder_layers: isBert ? num_layers : 0, num_decoder_layers: isBert ? 0 : num_layers };
  return { ...rest, ...layers, model_type: 'transformer', ...(next_sentence && { architectures: ['TransformerForPreTraining'] }) };
}

/** Weights by textbooks' names, as PyTorch's modules start. */
function firstWeights(kind: ModelKind, settings: Settings): Map<string, Tensor> {
  const size = (name: string): number => settings[name] as number;
  const width = size('d_model'), inner = size('dim_feedforward'), bias = settings['bias'] as boolean;
  const first = new FirstWeights(bias), attention = new FirstWeights(bias && (settings['attention_bias'] as boolean));
  first.normal('token_embedding.weight', [size('vocab_size'), width]);
  if (settings['positions'] === 'learned') first.normal('position_embedding.weight', [size('max_position_embeddings'), width]);
  if (kind === 'bert') first.normal('segment_embedding.weight', [size('type_vocab_size'), width]);
  for (let i = 0; i < size('num_layers'); i++) {
    const block = `blocks.${i}.`, inside = kind === 'gpt' ? 'self_attn.attention.' : 'self_attn.';
    for (const part of ['q', 'k', 'v', 'o']) attention.linear(`${block}${inside}W_${part}.`, width, width);
    first.linear(`${block}ffn.0.`, width, inner);
    first.linear(`${block}ffn.2.`, inner, width);
    for (const norm of ['norm1.', 'norm2.']) first.norm(block + norm, width);
  }
  first.norm('ln_f.', width);
  if (kind === 'bert') first.fill('mlm_bias', [size('vocab_size')], 0);
  const head = new FirstWeights(true);
  if (settings['next_sentence']) head.linear('nsp.', width, 2);
  return new Map([...first.all, ...attention.all, ...head.all]);
}

function toRows(name: string, tensor: Tensor | undefined): number[][] {
  checkTensor(name, tensor);
  const { data, shape } = tensor;
  if (shape.length !== 1 && shape.length !== 2) throw invalidArgument(`${name}: shape ${text(shape)} found, [T] or [B, T] expected`);
  const cols = shape.at(-1)!, rows = shape.length === 2 ? shape[0]! : 1;
  return Array.from({ length: rows }, (_, b) => Array.from(data.subarray(b * cols, (b + 1) * cols)));
}

class ModelLayer implements Layer {
  readonly #model: Model;
  readonly #kind: ModelKind;

  constructor(kind: ModelKind, model: Model, readonly weights: ReadonlyMap<string, Tensor>) {
    this.#kind = kind;
    this.#model = model;
  }

  async forward(inputs: Readonly<Record<string, Tensor>>, options?: object): Promise<Record<string, Tensor>> {
    const names = (Object.keys(INPUTS) as (keyof typeof INPUTS)[]).filter((name) => this.#kind === 'bert' || name !== 'token_type_ids');
    checkOptions(`${this.#kind}: inputs`, inputs ?? {}, names);
    checkOptions(`${this.#kind}.forward`, options, []);
    const given = names.filter((name) => name === 'input_ids' || inputs[name] !== undefined);
    const rows = Object.fromEntries(given.map((name) => [INPUTS[name], toRows(`${this.#kind}: ${name}`, inputs?.[name])]));
    const output = await this.#model.forward(rows as ForwardInputs);
    const isBatch = inputs['input_ids']!.shape.length === 2;
    return Object.fromEntries(OUTPUTS.flatMap((name) => {
      const tensor = output[name];
      return tensor ? [[name, isBatch ? tensor : { data: tensor.data, shape: tensor.shape.slice(1) }]] : [];
    }));
  }

  dispose(): void {
    this.#model.dispose();
  }
}

/** @param weights default: random ones by textbooks' names */
export async function createModelLayer(kind: ModelKind, settings: Settings, weights?: Map<string, Tensor>): Promise<Layer> {
  const own = weights ?? firstWeights(kind, settings);
  const files = new Map<string, Blob | Uint8Array>([
    ['config.json', new TextEncoder().encode(toJson(toConfig(kind, settings)))],
    ['model.safetensors', new Blob(toSafetensors(own) as Uint8Array<ArrayBuffer>[])],
  ]);
  return new ModelLayer(kind, await loadModel(files, { worker: false, dtype: 'f32' }), own);
}

// createLayer: PyTorch's modules one by one, on the calling thread.
import { broadcast, text } from './broadcast.js';
import { finish } from './engine/jobs.js';
import { TransformerError, invalidArgument } from './errors.js';
import type { Instance } from './instance.js';
import { withOwnNames } from './layer-names.js';
import { checkKind, copyWeights, firstWeights, readOptions, toCoreOptions, type PieceKind, type Settings } from './layer-options.js';
import { createModelLayer } from './model-layer.js';
import type { WasmLayer } from './module.js';
import { checkBoolean, checkOptions } from './options.js';
import { toSafetensors } from './safetensors.js';
import { bytesOf, piecesInstance, zeros } from './pieces-instance.js';
import type { Layer, LayerKind, Tensor } from './types.js';
import { checkTensor, toJson } from './values.js';

type ForwardOptions = NonNullable<Parameters<Layer['forward']>[1]>;

/** What each kind reads: the tensor that its output is like first. Those with ? may be left out. */
const INPUTS: Record<PieceKind, readonly string[]> = {
  linear: ['input'],
  layerNorm: ['input'],
  rmsNorm: ['input'],
  embedding: ['input'],
  positionalEncoding: ['input'],
  feedForward: ['input'],
  multiHeadAttention: ['query', 'key?', 'value?'],
  encoderLayer: ['src'],
  encoder: ['src'],
  decoderLayer: ['tgt', 'memory'],
  decoder: ['tgt', 'memory'],
  transformer: ['tgt', 'src', 'tgt_mask?'],
};
const ROW_BY_ROW: readonly PieceKind[] = ['linear', 'layerNorm', 'rmsNorm', 'embedding', 'feedForward'];
const LOOKS_AROUND: readonly PieceKind[] = ['multiHeadAttention', 'encoderLayer', 'encoder'];

/** [B,N,C] of what a kind reads. */
function threeSizes(kind: PieceKind, name: string, { shape }: Tensor): [number, number, number] {
  const width = kind === 'embedding' ? 1 : shape.at(-1) ?? 0;
  const axes = kind === 'embedding' ? shape : shape.slice(0, -1);
  if (ROW_BY_ROW.includes(kind)) {
    if (kind === 'embedding' || shape.length > 0) return [1, axes.reduce((product, size) => product * size, 1), width];
  } else if (shape.length === 2 || shape.length === 3) {
    return [axes.length > 1 ? axes[0]! : 1, axes.at(-1)!, width];
  }
  throw invalidArgument(`${name}: shape ${text(shape)} found, ${ROW_BY_ROW.includes(kind) ? '[…, C]' : '[T, C] or [B, T, C]'} expected`);
}

class PieceLayer implements Layer {
  readonly weights: ReadonlyMap<string, Tensor>;
  readonly #kind: PieceKind;
  readonly #instance: Instance;
  #layer: WasmLayer | null;

  constructor(kind: PieceKind, instance: Instance, layer: WasmLayer, weights: ReadonlyMap<string, Tensor>) {
    this.weights = weights;
    this.#kind = kind;
    this.#instance = instance;
    this.#layer = layer;
  }

  async forward(inputs: Readonly<Record<string, Tensor>>, options: ForwardOptions = {}): Promise<Record<string, Tensor>> {
    const layer = this.#layer, instance = this.#instance;
    if (!layer) throw new TransformerError('disposed', 'The layer was disposed.');
    const [call, parts] = this.#prepare(inputs, options);
    instance.stage(...parts.map(({ data }) => bytesOf(data)));
    const job = instance.call(() => layer.forward(toJson(call)));
    const outputs = await finish(instance, null, job, { signal: new AbortController().signal, emit: () => undefined });
    const first = inputs[INPUTS[this.#kind][0]!]!, output = outputs['output']!;
    output.shape = [...(this.#kind === 'embedding' ? first.shape : first.shape.slice(0, -1)), output.shape.at(-1)!];
    // Without a batch going in, none comes out.
    for (const name of ['weights', 'memory']) if (outputs[name] && first.shape.length === 2) outputs[name].shape.shift();
    return outputs;
  }

  dispose(): void {
    this.#layer?.delete();
    this.#layer = null;
  }

  /** The call for WebAssembly, and the tensors to stage for it. */
  #prepare(inputs: Readonly<Record<string, Tensor>>, options: ForwardOptions): [object, Tensor[]] {
    const kind = this.#kind, names = INPUTS[kind].map((name) => name.replace('?', ''));
    checkOptions(`${kind}: inputs`, inputs ?? {}, names);
    INPUTS[kind].forEach((name, i) => {
      const given: unknown = inputs?.[names[i]!];
      if (given !== undefined || !name.endsWith('?')) checkTensor(`${kind}: ${names[i]!}`, given);
    });
    const isRowWise = ROW_BY_ROW.includes(kind) || kind === 'positionalEncoding';
    const known = isRowWise ? [] : LOOKS_AROUND.includes(kind) ? ['mask', 'causal'] : ['mask', 'memoryMask', 'causal'];
    checkOptions(`${kind}.forward`, options, known);
    checkBoolean('causal', options.causal);

    const [x, key, value] = names.filter((name) => name !== 'tgt_mask').map((name) => inputs[name]);
    if (value && !key) throw invalidArgument('key: undefined found, a tensor expected where there is a value');
    const [batch, length, width] = threeSizes(kind, names[0]!, x!);
    const parts = [x!, key, value].filter((part) => part !== undefined);
    const shapes = [key, value].map((tensor, i) => tensor && this.#besides(names[i + 1]!, tensor, x!, batch));
    const sources = shapes[0]?.[1] ?? length;
    if (shapes[1] && shapes[1][1] !== sources)
      throw invalidArgument(`value: shape ${text(value!.shape)} found, as many rows as the key's expected, ${sources}`);

    const stage = (name: string, mask: Tensor | undefined, rows: number, cols: number, causal = false): number => {
      if (!mask && !causal) return 0;
      parts.push(spread(name, mask, [batch, 1, rows, cols], causal));
      return batch * rows * cols;
    };
    const isTransformer = kind === 'transformer', crosses = kind === 'multiHeadAttention' && key !== undefined;
    const selfMask = isTransformer ? inputs['tgt_mask'] : options.mask;
    // Cross-attention has no order of its own; where it is asked for, it is part of the mask.
    const mask = stage('mask', selfMask, length, crosses ? sources : length, crosses && options.causal);
    const memoryMask = stage('memoryMask', options.memoryMask, length, sources);
    const sourceMask = isTransformer ? stage('mask', options.mask, sources, sources) : 0;
    const [keyShape, valueShape] = shapes, { causal = false } = options;
    return [{ x: [batch, length, width], key: keyShape, value: valueShape, mask, memoryMask, sourceMask, causal }, parts];
  }

  /** The sizes of a tensor that goes with x. */
  #besides(name: string, tensor: Tensor, x: Tensor, batch: number): [number, number, number] {
    const sizes = threeSizes(this.#kind, name, tensor);
    if (tensor.shape.length === x.shape.length && sizes[0] === batch) return sizes;
    throw invalidArgument(`${name}: shape ${text(tensor.shape)} found, as many axes and items as in ${text(x.shape)} expected`);
  }
}

/** A mask as [B,T,S]. */
function spread(name: string, mask: Tensor | undefined, full: readonly [number, number, number, number], causal: boolean): Tensor {
  const [batch, , rows, cols] = full, result = zeros(name, [batch, rows, cols]);
  const part = mask && broadcast(name, mask, full);
  for (let b = 0; b < batch; b++) {
    const seen = result.data.subarray(b * rows * cols, (b + 1) * rows * cols);
    if (part) seen.set(part(b, 0));
    else seen.fill(1);
    // The last query stands at the last key.
    if (causal) for (let t = 0; t < rows; t++) seen.fill(0, t * cols + Math.max(t + cols - rows + 1, 0), (t + 1) * cols);
  }
  return result;
}

/**
 * One of PyTorch's modules, with its options and the names of its weights; in evaluation, so that dropout does nothing. Tensors are [B,T,C]
 * or [T,C]; masks broadcast to [B,1,T,S], 1 = visible. A query that sees nothing attends to nothing. What `forward` reads and gives:
 * - linear, layerNorm, rmsNorm, feedForward (linear1, linear2; gated: gate_proj, up_proj, down_proj): input [...,C]; embedding: ids [...];
 * - positionalEncoding (sinusoidal): input, to which the positions are added;
 * - multiHeadAttention: query, key (default: the query), value (default: the key); also gives weights [B,H,T,S];
 * - encoderLayer, encoder: src; decoderLayer, decoder: tgt and memory, which memoryMask is for;
 *   attention_bias (default: as bias) is for textbooks' blocks, whose attention has no biases while the other parts have them;
 * - transformer: src (`mask` is for it), tgt (`causal` and the input tgt_mask are for it); also gives memory, the encoder's output;
 * - gpt, bert, whole models as textbooks write them: input_ids [B,T] or [T], attention_mask and (bert) token_type_ids of the same shape;
 *   give logits and lastHiddenState, and a bert with next_sentence nextSentenceLogits.
 * @param weights default: random, as PyTorch's modules start. Names that textbooks have in PyTorch's place are known: W_q, Wq, q_proj or
 *   query for four linears, ffn.0 and ffn.2, fc1 and fc2, ln1, blocks.0; and for a gpt those of transformers' GPT-2
 */
export async function createLayer(
  kind: LayerKind, options: Readonly<Record<string, unknown>>, weights?: ReadonlyMap<string, Tensor>,
): Promise<Layer> {
  checkKind(kind);
  const settings = readOptions(kind, options), given = weights && copyWeights(weights, checkTensor);
  try {
    if (kind === 'gpt' || kind === 'bert') return await createModelLayer(kind, settings, given);
    return await createPiece(kind, settings, given ?? firstWeights(kind, settings));
  } catch (error) {
    throw error instanceof TransformerError ? ofOptions(error) : error;
  }
}

async function createPiece(kind: PieceKind, settings: Settings, weights: ReadonlyMap<string, Tensor>): Promise<Layer> {
  const instance = await piecesInstance();
  const { own, given } = withOwnNames(kind, weights);
  const length = instance.stage(...toSafetensors(own));
  try {
    const layer = instance.call((module) => module.createLayer(kind, toJson(toCoreOptions(kind, settings)), length));
    return new PieceLayer(kind, instance, layer, weights);
  } catch (error) {
    if (!(error instanceof TransformerError)) throw error;
    const message = error.message.replace(/^(\S+)(?=: )/, (name) => given.get(name) ?? name);
    throw new TransformerError(error.code, message, { details: error.details, cause: error });
  }
}

/** Options and weights are read as those of files are; here they are the caller's. */
function ofOptions({ code, message, details, cause }: TransformerError): TransformerError {
  const isArgument = code === 'invalid_file' || code === 'unsupported_model';
  const text = message
    .replace('config.json asks for are not in the file', 'the options ask for are not among the weights')
    .replace(' in the file,', ' found,').replace('config.json', 'the options');
  return new TransformerError(isArgument ? 'invalid_argument' : code, text, { details, cause });
}

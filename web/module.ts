// The WebAssembly module as TypeScript sees it: the functions and classes of wasm/bindings.cpp.
import type { Outcome } from './errors.js';
import type { GenerationItem, GenerationResult, ModelInfo, ModelOutput, Tensor, Tokenizer, TrainingStep } from './types.js';
import type { IdMatrix } from './values.js';

/** Objects of C++ live until they are deleted, or until the whole instance is forgotten. */
interface Deletable {
  delete(): void;
}

export interface TokenizerInfo {
  kind: Tokenizer['kind'];
  vocabSize: number;
  special: Record<string, number>;
  /** bos_token, eos_token, …: what chat templates know them by. */
  names: Record<string, string>;
  chatTemplate: string;
  modelMaxLength?: number;
}

/** Encodings, one after the other: see write_encoding in wasm/tokenizer_handle.cpp. */
export interface FlatEncodings {
  ints: Int32Array;
  surfaces: Uint8Array;
}

export interface WasmTokenizer extends Deletable {
  info(): Outcome<TokenizerInfo>;
  encode(lengths: readonly number[], addSpecialTokens: boolean, options: string): Outcome<FlatEncodings>;
  decode(ids: Int32Array, skipSpecialTokens: boolean): Outcome<string>;
  decodeTokens(tokens: readonly string[]): Outcome<string>;
  decodeStream(skipSpecialTokens: boolean): Outcome<WasmDecodeStream>;
  idOf(length: number): Outcome<number>;
  tokenOf(id: number): Outcome<string | null>;
  addTokens(tokens: string): Outcome<number>;
  trace(length: number): Outcome<ReturnType<Tokenizer['trace']>>;
  save(): Outcome<string>;
  pack(): Outcome<Uint8Array>;
}

export interface WasmDecodeStream extends Deletable {
  push(ids: Int32Array): Outcome<string>;
  end(): Outcome<string>;
}

export interface WasmTokenizerTrainer extends Deletable {
  feed(lengths: readonly number[]): Outcome<undefined>;
  train(): Outcome<WasmJob<WasmTokenizer>>;
}

export interface WasmLayer extends Deletable {
  forward(call: string): Outcome<WasmJob<Record<string, Tensor>>>;
}

export interface WasmGgufHeader extends Deletable {
  push(length: number): Outcome<boolean>;
  tokenizer(): Outcome<WasmTokenizer>;
}

export interface WasmLoader extends Deletable {
  config(length: number): Outcome<undefined>;
  newHead(length: number): Outcome<undefined>;
  generationConfig(length: number): Outcome<undefined>;
  shards(length: number): Outcome<string[]>;
  open(name: string, size: number): Outcome<undefined>;
  push(length: number): Outcome<undefined>;
  close(): Outcome<undefined>;
  randomize(seed: number): Outcome<undefined>;
  configJson(): Outcome<string>;
  tokenizer(): Outcome<WasmTokenizer | null>;
  finish(maxLength: number): Outcome<WasmModel>;
}

/** Names are those of ForwardInputs in src/model/forward.h. */
export interface WasmInputs {
  input_ids?: IdMatrix;
  attention_mask?: IdMatrix;
  token_type_ids?: IdMatrix;
  position_ids?: IdMatrix;
  decoder_input_ids?: IdMatrix;
  decoder_attention_mask?: IdMatrix;
  labels?: IdMatrix;
  float_labels?: Float32Array;
  next_sentence_label?: Int32Array;
  start_positions?: Int32Array;
  end_positions?: Int32Array;
}

export interface WasmForwardOptions {
  attentions: boolean;
  hidden_states: boolean;
  logits: 'all' | 'last' | 'none' | number[];
  trace: string[];
}

export interface WasmModel extends Deletable {
  info(): Outcome<Omit<ModelInfo, 'config' | 'device'>>;
  setTokenizer(target: WasmTokenizer): void;
  forward(inputs: WasmInputs, options: WasmForwardOptions): Outcome<WasmJob<ModelOutput>>;
  generate(
    prompts: readonly Int32Array[], decoderPrompts: readonly Int32Array[], settings: string, options: string, entropy: number,
  ): Outcome<WasmJob<GenerationResult>>;
  attentionProbe(length: number, everything: boolean): Outcome<WasmAttentionProbe>;
}

export type WasmTrainerStep = Pick<TrainingStep, 'step' | 'epoch' | 'loss' | 'learningRate' | 'gradientNorm'>;

export interface WasmEvaluated {
  loss: number;
  accuracy?: number;
}

/** See wasm/trainer_handle.h. */
export interface WasmTrainer extends Deletable {
  addRows(length: number, first: number, validation: boolean): Outcome<undefined>;
  addBatches(inputs: readonly WasmInputs[], validation: boolean): Outcome<undefined>;
  close(): Outcome<undefined>;
  begin(length: number): Outcome<{ steps: number; total?: number }>;
  state(): Outcome<{ needsRows: boolean; done: boolean }>;
  step(): Outcome<WasmJob<WasmTrainerStep & { tokens: number; epochEnds: boolean }>>;
  evaluate(): Outcome<WasmJob<WasmEvaluated | undefined>>;
  checkpoint(): Outcome<Uint8Array>;
}

export interface WasmWordVectorTrainer extends Deletable {
  feed(lengths: readonly number[]): Outcome<undefined>;
  begin(): Outcome<number>;
  done(): boolean;
  step(): Outcome<WasmJob<WasmTrainerStep & { words: number }>>;
  vectors(): Outcome<{ words: string[]; vectors: Tensor }>;
  checkpoint(): Outcome<Uint8Array>;
}

/** model.safetensors: its start, then a tensor at a time up to null. */
export interface WasmModelSaver extends Deletable {
  size(): number;
  header(): Outcome<Uint8Array>;
  next(): Outcome<Uint8Array | null>;
}

/** What came in a step: what generation made, how far a training is, attentions that the GPU may do. */
export interface WasmNews {
  done: boolean;
  items?: GenerationItem[];
  progress?: { done: number; total: number };
  attentions?: WasmAttention[];
}

export interface WasmJob<R> extends Deletable {
  useGpu(threshold: number): void;
  step(milliseconds: number): Outcome<WasmNews>;
  accept(index: number): Outcome<undefined>;
  result(): Outcome<R>;
}

/** AttentionArgs of src/kernels/attention.h by addresses, 0 being null: see wasm/attention_offers.cpp. */
export interface WasmAttention {
  query: number;
  queryRows: number;
  queryStride: number;
  keys: number[];
  values: number[];
  length: number;
  block: number;
  stride: number;
  output: number;
  weights: number;
  heads: number;
  kvHeads: number;
  headSize: number;
  scale: number;
  softcap: number;
  offset: number;
  causal: boolean;
  window: number;
  mask: number;
  alibiSlopes: number;
  relativeBias: number;
  relativeOrigin: number;
  relativeCount: number;
  bias: number;
  biasHeads: number;
}

export interface WasmAttentionProbe extends Deletable {
  args(): Outcome<WasmAttention>;
  run(): Outcome<undefined>;
  difference(): number;
}

export interface WasmModule {
  /** Renewed when the memory grows: to be read anew after each call. */
  readonly HEAPU8: Uint8Array;
  build(): 'simd' | 'relaxed-simd';
  selfTest(): boolean;
  maxMemory(): number;
  stage(size: number): Outcome<number>;
  /** The second is null where the target side has the same. */
  readTokenizers(names: readonly string[], lengths: readonly number[]): Outcome<[WasmTokenizer, WasmTokenizer | null]>;
  unpackTokenizer(length: number): Outcome<WasmTokenizer>;
  trainTokenizer(kind: string, options: string): Outcome<WasmTokenizerTrainer>;
  attention(options: string): Outcome<[output: Tensor, weights: Tensor]>;
  /** See wasm/layer_handle.h. */
  createLayer(kind: string, options: string, length: number): Outcome<WasmLayer>;
  createWordVectorTrainer(options: string): Outcome<WasmWordVectorTrainer>;
  createTrainer(
    model: WasmModel, options: string, source: WasmTokenizer | null, target: WasmTokenizer | null,
  ): Outcome<WasmTrainer>;
  loadAdapter(model: WasmModel, configLength: number, weightsLength: number): Outcome<undefined>;
  mergeAdapter(model: WasmModel): Outcome<undefined>;
  saveAdapter(model: WasmModel): Outcome<{ config: Uint8Array; weights: Uint8Array }>;
  saveModel(model: WasmModel, dtype: 'f32' | 'f16'): Outcome<WasmModelSaver>;
  positionTable(kind: string, options: string): Outcome<Tensor>;
  readWordVectors(length: number, file: string): Outcome<{ words: string[]; vectors: Tensor }>;
  writeWordVectors(lengths: readonly number[], dimensions: number): Outcome<string>;
  GgufHeader: new (name: string, size: number) => WasmGgufHeader;
  Loader: new (dtype: string) => WasmLoader;
}

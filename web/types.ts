/// <reference lib="esnext.disposable" preserve="true" />
// The types of the public API.
// Shapes: B batch, T query length, S key length, H heads, C model width, V vocabulary, L layers.

/** An array of numbers, row-major: the last axis is contiguous. */
export interface Tensor {
  data: Float32Array;
  shape: number[];
}

/** Token ids: whole numbers from 0 to 2^31 - 1. */
export type Ids = number[] | Int32Array;

// ---- loading ----------------------------------------------------------------------------------------------------------------------

/**
 * Where a model or tokenizer is:
 * - a folder: a URL that ends in '/', or in node the path of one,
 * - one file: .gguf, .safetensors, tokenizer.json, a SentencePiece .model,
 * - `hf:org/name` or `hf:org/name@revision`: a repository on huggingface.co,
 * - the files themselves, from a file input or a Map of names. Bytes handed in are only read, never detached.
 */
export type ModelSource = string | URL | readonly File[] | FileList | Blob | ReadonlyMap<string, Uint8Array | Blob>;

export interface LoadOptions {
  /** How weights are kept in memory. Default 'auto': as they are stored. */
  dtype?: 'auto' | 'f32' | 'f16' | 'int8' | 'int4';
  device?: 'auto' | 'wasm' | 'webgpu';
  /** At most so many. The builds of this version have one; ModelInfo.threadsReason says so where more were asked for. */
  threads?: number | 'auto';
  /** Whether the model lives in a worker. Default: true in browsers, false in node. */
  worker?: boolean;
  /** The longest sequence that the key-value cache will hold, in tokens. Default: the model's context. */
  maxLength?: number;
  /** A new head, with random weights, in the place of the one that the files have or lack: fine-tuning for other labels begins with it. */
  head?: { task: 'text-classification' | 'token-classification' | 'question-answering'; labels?: readonly string[]; seed?: number };
  /** 'default': files are kept in the browser's Cache Storage. 'none': neither read nor kept. 'only': offline, nothing is fetched. */
  cache?: 'default' | 'none' | 'only';
  /** SHA-256 of files by name, in hex. A file that differs is refused. */
  integrity?: Readonly<Record<string, string>>;
  /** Headers of the requests, for private models. */
  headers?: Readonly<Record<string, string>>;
  onProgress?(event: Progress): void;
  signal?: AbortSignal;
  /** Where the WebAssembly files are, if not beside the package's own. */
  wasmUrl?: string | URL | { baseline?: string | URL; relaxed?: string | URL; threads?: string | URL };
  /** The bytes of the WebAssembly file, instead of a URL. */
  wasmBinary?: BufferSource;
  /** Where the worker's script is, if not beside the package's own. */
  workerUrl?: string | URL;
}

export type TokenizerLoadOptions = Pick<
  LoadOptions,
  'cache' | 'headers' | 'integrity' | 'onProgress' | 'signal' | 'wasmUrl' | 'wasmBinary' | 'worker'
>;

/** `loaded` and `total` are bytes, of `file` where one is named. */
export interface Progress {
  phase: 'runtime' | 'download' | 'cache' | 'parse' | 'quantize' | 'calibrate' | 'ready';
  file?: string;
  loaded: number;
  total?: number;
  /** Of the whole operation, 0 to 1; it never goes back. Undefined while the total is unknown. */
  fraction?: number;
}

/** What this machine and this page offer, and which path was chosen. */
export interface Capabilities {
  build: 'simd' | 'relaxed-simd' | 'relaxed-simd-threads';
  threads: number;
  crossOriginIsolated: boolean;
  /** Bytes that one model can take at most. */
  maxMemory: number;
  version: string;
  /** `limits` are in bytes. `threshold`: of the model that was loaded last, see ModelInfo. */
  webgpu: {
    available: boolean;
    adapter?: string;
    features?: string[];
    limits?: { maxBufferSize: number; maxStorageBufferBindingSize: number };
    threshold?: number;
    reason?: string;
  };
  /** Why a faster path was not chosen, one sentence each. */
  reasons: string[];
}

// ---- a model ----------------------------------------------------------------------------------------------------------------------

export interface ModelInfo {
  modelType: string;
  kind: 'encoder' | 'decoder' | 'encoder-decoder';
  tasks: Task[];
  parameters: number;
  /** Of all weights, as kept in memory. */
  bytes: number;
  dtype: string;
  /** 'webgpu' while long attentions are computed on the GPU, else 'wasm'. */
  device: string;
  /** Why the GPU is not used, unless it was not asked for. */
  deviceReason?: string;
  /** The length in tokens from which on an attention is computed on the GPU. */
  gpuThreshold?: number;
  /** Why it runs on fewer threads than were asked for. */
  threadsReason?: string;
  contextLength: number;
  vocabSize: number;
  /** Of an encoder-decoder, the decoder's: as many as the attentions of an answer. */
  layers: number;
  /** Of an encoder-decoder only, as decoderLayers. */
  encoderLayers?: number;
  decoderLayers?: number;
  heads: number;
  width: number;
  labels: string[];
  /** Of models that translate between many, as M2M100, NLLB and mBART: what `from` and `to` of translate() may be. */
  languages?: string[];
  /** config.json, parsed. */
  config: Readonly<Record<string, unknown>>;
  /** Names of tensors in the file that the model does not have. */
  unusedWeights: string[];
}

export type Task =
  | 'text-classification'
  | 'token-classification'
  | 'question-answering'
  | 'fill-mask'
  | 'next-sentence'
  | 'feature-extraction'
  | 'zero-shot-classification'
  | 'text-generation'
  | 'translation'
  | 'summarization'
  | 'text2text-generation';

/** The arguments of transformers' `model(**inputs)`, in camelCase. Lists of ids are [B][T]; masks are 1 where a token is seen. */
export interface ForwardInputs {
  inputIds?: readonly Ids[];
  inputsEmbeds?: Tensor;
  attentionMask?: readonly Ids[];
  tokenTypeIds?: readonly Ids[];
  positionIds?: readonly Ids[];
  decoderInputIds?: readonly Ids[];
  decoderAttentionMask?: readonly Ids[];
  /** For `loss`; -100 is ignored. */
  labels?: readonly Ids[] | Ids;
  nextSentenceLabel?: Ids;
  startPositions?: Ids;
  endPositions?: Ids;
}

export interface ForwardOptions {
  attentions?: boolean;
  hiddenStates?: boolean;
  /** Of which positions. Default 'all'. Their size is computed first, and refused with 'out_of_memory'. */
  logits?: 'all' | 'last' | 'none' | readonly number[];
  /** Names of intermediate tensors to return: 'encoder.0.self_attention.{query,key,weights}', 'decoder.*.ffn.activation', … */
  trace?: readonly string[];
  signal?: AbortSignal;
}

/** What the model has. attentions: one a layer, [B,H,T,S]. hiddenStates: L+1, the embeddings first, the last after the final norm. */
export interface ModelOutput {
  logits?: Tensor;
  loss?: number;
  lastHiddenState?: Tensor;
  pooled?: Tensor;
  startLogits?: Tensor;
  endLogits?: Tensor;
  nextSentenceLogits?: Tensor;
  attentions?: Tensor[];
  encoderAttentions?: Tensor[];
  decoderAttentions?: Tensor[];
  crossAttentions?: Tensor[];
  hiddenStates?: Tensor[];
  encoderHiddenStates?: Tensor[];
  decoderHiddenStates?: Tensor[];
  encoderLastHiddenState?: Tensor;
  trace?: Record<string, Tensor>;
  gpuDispatches: number;
}

/** Calls on one model run in the order in which they were made, and never at the same time. */
export interface Model {
  readonly info: ModelInfo;
  readonly tokenizer: Tokenizer | null;
  /** Of a Marian model with two vocabularies; else the same as `tokenizer`. */
  readonly targetTokenizer: Tokenizer | null;
  forward(inputs: ForwardInputs, options?: ForwardOptions): Promise<ModelOutput>;
  generate(prompt: string | readonly string[] | Ids | readonly Ids[] | ForwardInputs, options?: GenerateOptions): Generation;
  /** Writes the messages by the model's chat template, and generates the answer. */
  chat(messages: readonly ChatMessage[], options?: GenerateOptions): Generation;
  /**
   * `from` and `to` choose the prefix of T5, and the language codes of M2M100, NLLB and mBART. Paragraphs, which empty lines part, are
   * translated one by one, and a text that is longer than the model takes sentence by sentence; the white space between them is kept, and
   * the text's sequence is theirs, one after the other. A blank text stays as it is, and has an empty sequence.
   */
  translate(text: string | readonly string[], options?: { from?: string; to?: string } & GenerateOptions): Generation;
  /** A blank text stays as it is, and has an empty sequence. */
  summarize(text: string | readonly string[], options?: GenerateOptions): Generation;
  classify(texts: TextInput | readonly TextInput[], options?: ClassifyOptions): Promise<LabelScore[][]>;
  /** Labels that the model was not trained for, the likeliest first. */
  zeroShot(text: string, labels: readonly string[], options?: ZeroShotOptions): Promise<LabelScore[]>;
  tagTokens(texts: string | readonly string[], options?: TagOptions): Promise<Tag[][]>;
  /** The likeliest parts of the context that answer the question, the best first. */
  answer(input: { question: string; context: string }, options?: AnswerOptions): Promise<Answer[]>;
  /** One list for each mask in the text. */
  fillMask(text: string, options?: FillMaskOptions): Promise<FilledMask[][]>;
  nextSentence(first: string, second: string, options?: { signal?: AbortSignal }): Promise<{ isNext: number }>;
  /** [B,C]. Defaults: as the folder's modules.json says, else the mean, normalized. */
  embed(texts: string | readonly string[], options?: EmbedOptions): Promise<Tensor>;
  /** Cosine of the embeddings, the most similar text first. */
  similarity(query: string, texts: readonly string[], options?: { signal?: AbortSignal }): Promise<{ index: number; score: number }[]>;
  train(data: TrainingData, options: TrainOptions): TrainingRun;
  /** config.json, model.safetensors, tokenizer.json, …: a folder that transformers loads. dtype: f32 by default, quantized weights too. */
  save(options?: SaveOptions): Promise<Map<string, Uint8Array>>;
  loadAdapter(source: ModelSource): Promise<void>;
  mergeAdapter(): Promise<void>;
  saveAdapter(): Promise<Map<string, Uint8Array>>;
  /** Ends what runs, and gives the memory back. Later calls reject with 'disposed'. */
  dispose(): void;
  [Symbol.dispose](): void;
}

export interface SaveOptions {
  /** How numbers are written; quantized weights are dequantized. Default 'f32'. */
  dtype?: 'f32' | 'f16' | 'int8';
}

export type TextInput = string | { text: string; pair?: string };
export interface ClassifyOptions {
  /** How many labels. Default 1; null: all. */
  topK?: number | null;
  /** Whether several labels may hold at once (a sigmoid of each) or one of them (a softmax). Default: as the model was trained. */
  multiLabel?: boolean;
  signal?: AbortSignal;
}
export interface ZeroShotOptions {
  /** What is said of the text, {} being the label. Default 'This example is {}.' */
  template?: string;
  /** Whether several labels may hold at once. Default: false. */
  multiLabel?: boolean;
  signal?: AbortSignal;
}
export interface TagOptions {
  /**
   * 'none': a tag for each token. Else neighbours of one entity are joined: 'simple' by their tokens' labels, the others once the tokens
   * of a word agree, on the label of the 'first', on that with the greatest score ('max'), or on the 'average' of their scores.
   */
  aggregation?: 'none' | 'simple' | 'first' | 'max' | 'average';
  /** Default: ['O']. */
  ignoreLabels?: string[];
  signal?: AbortSignal;
}
export interface AnswerOptions {
  /** How many answers. Default 1. */
  topK?: number;
  /** Tokens of a window, question included: a longer context is read in several. Default: 384, or what the model takes. */
  maxLength?: number;
  /** Tokens that a window repeats of the one before. Default: 128, or half a window. */
  stride?: number;
  /** Whether '' may be an answer: that there is none in the context. */
  handleImpossible?: boolean;
  signal?: AbortSignal;
}
export interface FillMaskOptions {
  /** Words for each mask. Default 5. */
  topK?: number;
  /** Only these words, each with its probability among all. */
  targets?: string[];
  signal?: AbortSignal;
}
/** `text`: the whole text, with the token in place of the mask. */
export interface FilledMask {
  token: string;
  id: number;
  score: number;
  text: string;
}
export interface EmbedOptions {
  pooling?: 'mean' | 'cls' | 'max' | 'last';
  normalize?: boolean;
  signal?: AbortSignal;
}
export interface LabelScore {
  label: string;
  score: number;
}
/** start, end: UTF-16 offsets. */
export interface Tag {
  label: string;
  score: number;
  text: string;
  start: number;
  end: number;
}
export interface Answer {
  text: string;
  score: number;
  start: number;
  end: number;
}
export interface ChatMessage {
  role: 'system' | 'user' | 'assistant' | (string & {});
  content: string;
}

// ---- generation -------------------------------------------------------------------------------------------------------------------

/** Meaning and defaults are those of transformers' GenerationConfig; the model's generation_config.json is honoured. */
export interface GenerateOptions {
  maxNewTokens?: number;
  maxLength?: number;
  minNewTokens?: number;
  minLength?: number;
  doSample?: boolean;
  temperature?: number;
  topK?: number;
  topP?: number;
  minP?: number;
  typicalP?: number;
  seed?: number;
  repetitionPenalty?: number;
  noRepeatNgramSize?: number;
  badWordsIds?: readonly Ids[];
  renormalizeLogits?: boolean;
  numBeams?: number;
  lengthPenalty?: number;
  earlyStopping?: boolean | 'never';
  numReturnSequences?: number;
  bosTokenId?: number;
  eosTokenId?: number | readonly number[];
  padTokenId?: number;
  decoderStartTokenId?: number;
  forcedBosTokenId?: number;
  forcedEosTokenId?: number;
  /** Generation ends with the token that completes one of these; they stay in the text. */
  stop?: readonly string[];
  attentions?: boolean;
  returnScores?: boolean;
  returnBeams?: boolean;
  /** How many of the likeliest tokens come with each item. */
  topCandidates?: number;
  signal?: AbortSignal;
}

/**
 * Work starts at the call. One consumer may iterate, result() may be awaited beside it, and leaving the loop stops the work. With beams,
 * items carry what all live beams agree on, and `draft` the rest of the best one.
 */
export interface Generation extends AsyncIterable<GenerationItem> {
  result(): Promise<GenerationResult>;
  /** The new text only. */
  text(): Promise<string>;
  toReadableStream(): ReadableStream<string>;
}

/** News of one sequence. `text` holds whole characters; joined, the texts are the result's. */
export interface GenerationItem {
  index: number;
  text: string;
  ids: number[];
  draft?: string;
  candidates?: { id: number; token: string; probability: number }[];
  /** Set in the last item of a sequence. */
  last?: boolean;
}

/** One entry a sequence in each list: numReturnSequences of each prompt. */
export interface GenerationResult {
  texts: string[];
  /** Decoder: the prompt and what was made. Encoder-decoder: from the start token. Cut after the first end-of-sequence token. */
  sequences: number[][];
  scores?: number[];
  finishReason: ('eos' | 'length' | 'stop')[];
  crossAttentions?: Tensor[][];
  beams?: { step: number; parent: number; id: number; score: number }[];
  usage: { promptTokens: number; newTokens: number; prefillMs: number; decodeMs: number; gpuDispatches: number };
}

// ---- tokenizers -------------------------------------------------------------------------------------------------------------------

/** Methods are synchronous, on the thread that holds it. */
export interface Tokenizer {
  readonly kind: 'word' | 'char' | 'bpe' | 'wordpiece' | 'unigram';
  readonly vocabSize: number;
  readonly special: Readonly<Record<string, number>>;
  encode(text: string, options?: EncodeOptions): Encoding;
  encodeBatch(texts: readonly (string | { text: string; pair?: string })[], options?: EncodeOptions): Encoding[];
  /** Without the spaces that clean_up_tokenization_spaces of tokenizer_config.json takes out, as transformers decodes. */
  decode(ids: Ids, options?: { skipSpecialTokens?: boolean }): string;
  /** Text of ids as they come, never half a character. */
  decodeStream(options?: { skipSpecialTokens?: boolean }): { push(ids: Ids): string; end(): string };
  idOf(token: string): number | undefined;
  tokenOf(id: number): string | undefined;
  /** Returns how many of them are new. */
  addTokens(tokens: readonly AddedToken[]): number;
  applyChatTemplate(messages: readonly ChatMessage[], options?: { addGenerationPrompt?: boolean }): string;
  /** What happens to a text on its way to tokens. */
  trace(text: string): {
    normalized: string;
    words: string[];
    steps: { word: string; pieces: string[]; merge?: [string, string]; score?: number }[];
  };
  /** As tokenizer.json. */
  save(): string;
}

export interface EncodeOptions {
  pair?: string;
  addSpecialTokens?: boolean;
  truncation?: {
    maxLength: number;
    stride?: number;
    strategy?: 'longest_first' | 'only_first' | 'only_second';
    direction?: 'right' | 'left';
  };
  padding?: {
    length?: number;
    longest?: boolean;
    multipleOf?: number;
    direction?: 'right' | 'left';
    padId?: number;
    padToken?: string;
    padTypeId?: number;
  };
}

export interface Encoding {
  ids: number[];
  tokens: string[];
  /** UTF-16 offsets in the text, [start, end). */
  offsets: [number, number][];
  typeIds: number[];
  attentionMask: number[];
  specialMask: number[];
  wordIds: (number | null)[];
  overflow: Encoding[];
}

export interface AddedToken {
  content: string;
  special?: boolean;
  lstrip?: boolean;
  rstrip?: boolean;
  singleWord?: boolean;
  normalized?: boolean;
}

/**
 * Defaults where options do not say otherwise. word: Whitespace (`\w+|[^\w\s]+`). char: every code point. bpe: Whitespace. byte-bpe:
 * ByteLevel with GPT-2's pattern and all 256 bytes. wordpiece: BertNormalizer, BertPreTokenizer, prefix '##'. unigram: Metaspace.
 * sentencepiece-*: as SentencePiece's trainer.
 */
export type TokenizerKind =
  'word' | 'char' | 'bpe' | 'byte-bpe' | 'wordpiece' | 'unigram' | 'sentencepiece-bpe' | 'sentencepiece-unigram';

export interface TrainTokenizerOptions {
  vocabSize: number;
  minFrequency?: number;
  specialTokens?: string[];
  unknownToken?: string;
  limitAlphabet?: number;
  initialAlphabet?: string[];
  maxTokenLength?: number;
  endOfWordSuffix?: string;
  continuingPrefix?: string;
  /** As in tokenizer.json. */
  normalizer?: object;
  /** As in tokenizer.json. */
  preTokenizer?: object;
  onProgress?(event: { done: number; total: number }): void;
  signal?: AbortSignal;
}

// ---- training ---------------------------------------------------------------------------------------------------------------------

export type TrainingData =
  | { task: 'text-classification'; rows: Rows<{ text: string; pair?: string; label: string }> }
  | { task: 'token-classification'; rows: Rows<{ words: string[]; labels: string[] }> }
  | { task: 'question-answering'; rows: Rows<{ question: string; context: string; answer: string; start: number }> }
  /** `from` and `to`: of models of several languages. */
  | { task: 'translation'; rows: Rows<{ source: string; target: string }>; from?: string; to?: string }
  | { task: 'text-generation' | 'masked-lm' | 'denoising' | 'span-corruption'; rows: Rows<string> }
  | { task: 'masked-lm-next-sentence'; rows: Rows<{ first: string; second: string }> }
  | { task: 'batches'; rows: Rows<ForwardInputs> };

export type Rows<R> = readonly R[] | AsyncIterable<R>;

export interface TrainOptions {
  steps?: number;
  epochs?: number;
  batchTokens?: number;
  batchSize?: number;
  accumulate?: number;
  seed?: number;
  dropout?: number;
  labelSmoothing?: number;
  shuffle?: boolean;
  /** Masked LM: all tokens of a word are masked, or none. */
  wholeWords?: boolean;
  optimizer?: {
    kind?: 'adamw' | 'adam' | 'sgd';
    learningRate: number;
    beta1?: number;
    beta2?: number;
    epsilon?: number;
    weightDecay?: number;
    momentum?: number;
    clip?: number;
  };
  schedule?: { kind?: 'constant' | 'linear' | 'cosine' | 'noam'; warmup?: number };
  lora?: { rank: number; alpha?: number; targets?: string[] };
  freeze?: string[];
  validation?: TrainingData;
  validateEvery?: number;
  checkpointEvery?: number;
  resume?: Uint8Array;
  onCheckpoint?(bytes: Uint8Array): void | Promise<void>;
  signal?: AbortSignal;
}

/** Inference on the same model runs between steps, on the weights as they are then. */
export interface TrainingRun extends AsyncIterable<TrainingStep> {
  result(): Promise<{ steps: number; loss: number; validationLoss?: number }>;
  checkpoint(): Promise<Uint8Array>;
}

export interface TrainingStep {
  step: number;
  epoch: number;
  loss: number;
  learningRate: number;
  gradientNorm: number;
  tokensPerSecond: number;
  remainingMs?: number;
  validationLoss?: number;
  accuracy?: number;
}

// ---- pieces -----------------------------------------------------------------------------------------------------------------------

export interface AttentionOptions {
  /** True or not 0 where a key is seen; anything that broadcasts to [B,H,T,S]. */
  mask?: Tensor | boolean[];
  causal?: boolean;
  /** Default: 1 / sqrt(D). */
  scale?: number;
  bias?: Tensor;
  window?: number;
  softcap?: number;
  device?: 'wasm' | 'webgpu';
}

export type LayerKind =
  | 'linear'
  | 'multiHeadAttention'
  | 'feedForward'
  | 'layerNorm'
  | 'rmsNorm'
  | 'embedding'
  | 'positionalEncoding'
  | 'encoderLayer'
  | 'decoderLayer'
  | 'encoder'
  | 'decoder'
  | 'transformer'
  | 'gpt'
  | 'bert';

export interface Layer {
  forward(
    inputs: Readonly<Record<string, Tensor>>,
    options?: { mask?: Tensor; memoryMask?: Tensor; causal?: boolean },
  ): Promise<Record<string, Tensor>>;
  readonly weights: ReadonlyMap<string, Tensor>;
  dispose(): void;
}

export interface PositionalEncodingOptions {
  length: number;
  width?: number;
  heads?: number;
  buckets?: number;
  maxDistance?: number;
  base?: number;
}

export interface WordVectorOptions {
  kind?: 'skip-gram' | 'cbow';
  dimensions?: number;
  window?: number;
  negatives?: number;
  epochs?: number;
  minCount?: number;
  subsample?: number;
  learningRate?: number;
  seed?: number;
  signal?: AbortSignal;
}

export interface WordVectors {
  readonly words: string[];
  readonly dimensions: number;
  vector(word: string): Float32Array | undefined;
  nearest(query: string | { positive: string[]; negative?: string[] } | Float32Array, count?: number): { word: string; score: number }[];
  save(): string;
}

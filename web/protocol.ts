// What the calling thread asks of the engine that holds a model, and what the engine answers: the same in one thread and between two.
import type { ErrorData } from './errors.js';
import type { WasmEvaluated, WasmForwardOptions, WasmInputs, WasmTrainerStep } from './module.js';
import type { SourceData } from './source.js';
import type {
  AddedToken, Answer, AnswerOptions, ClassifyOptions, EmbedOptions, FilledMask, FillMaskOptions, GenerationItem, GenerationResult,
  LabelScore, LoadOptions, ModelInfo, ModelOutput, Progress, Tag, TagOptions, Tensor, TextInput, ZeroShotOptions,
} from './types.js';

/** How files are got. */
export interface AccessSettings {
  cache: NonNullable<LoadOptions['cache']>;
  headers?: Readonly<Record<string, string>>;
  integrity?: Readonly<Record<string, string>>;
}

export interface LoadSettings extends AccessSettings {
  dtype: NonNullable<LoadOptions['dtype']>;
  device: NonNullable<LoadOptions['device']>;
  threads: number;
  maxLength: number;
  /** LoadOptions' head as JSON. */
  head?: string;
}

export interface GenerationSettings {
  /** GenerateOptions as JSON, without the signal. */
  options: string;
  /** Settings that config.json has for the task, as JSON; "" for none. */
  task: string;
}

export interface TextPrompt {
  kind: 'texts';
  texts: string[];
  addSpecialTokens: boolean;
  /** What becomes of texts that are longer than the model takes; 'split': sentence by sentence, joined again. */
  long: 'refuse' | 'cut' | 'split';
  /** Put before each text, or part of one. */
  prefix?: string;
  /** Ids before and after each text, or part of one. */
  around?: [number[], number[]];
}

export type GenerationPrompt = TextPrompt | { kind: 'ids'; ids: Int32Array[]; decoderIds: Int32Array[] };

/** Options without the signal, which stays with the caller. */
export type Settings<O> = Omit<O, 'signal'>;

/** `module` is the compiled WebAssembly, which the calling thread has chosen and proven. */
export type Request =
  | { kind: 'load-model'; module: WebAssembly.Module; source: SourceData; settings: LoadSettings }
  | { kind: 'create-model'; module: WebAssembly.Module; config: string; seed: number; tokenizer: Uint8Array | null; settings: LoadSettings }
  | { kind: 'load-tokenizer'; module: WebAssembly.Module; source: SourceData; settings: AccessSettings }
  | { kind: 'forward'; inputs: WasmInputs; options: WasmForwardOptions }
  | { kind: 'generate'; prompt: GenerationPrompt; settings: GenerationSettings }
  | { kind: 'classify'; texts: TextInput[]; options: Settings<ClassifyOptions> }
  | { kind: 'zero-shot'; text: string; labels: string[]; options: Settings<ZeroShotOptions> }
  | { kind: 'tag-tokens'; texts: string[]; options: Settings<TagOptions> }
  | { kind: 'answer'; question: string; context: string; options: Settings<AnswerOptions> }
  | { kind: 'fill-mask'; text: string; options: Settings<FillMaskOptions> }
  | { kind: 'next-sentence'; first: string; second: string }
  | { kind: 'embed'; texts: string[]; options: Settings<EmbedOptions> }
  | { kind: 'train-open'; options: string }
  | { kind: 'train-rows'; validation: boolean; rows: string; first: number }
  | { kind: 'train-rows'; validation: boolean; batches: WasmInputs[] }
  | { kind: 'train-close' }
  | { kind: 'train-begin'; resume?: Uint8Array }
  | { kind: 'train-step' }
  | { kind: 'train-evaluate' }
  | { kind: 'train-checkpoint' }
  | { kind: 'load-adapter'; source: SourceData }
  | { kind: 'merge-adapter' }
  | { kind: 'save-adapter' }
  | { kind: 'save'; dtype: 'f32' | 'f16' }
  | { kind: 'add-tokens'; tokens: readonly AddedToken[] };

export interface LoadedModel {
  info: ModelInfo;
  /** The tables of the tokenizers, for another instance. */
  tokenizer: Uint8Array | null;
  targetTokenizer: Uint8Array | null;
}

/** What a training waits for. */
export interface TrainingState {
  needsRows: boolean;
  done: boolean;
}

export interface Results {
  'load-model': LoadedModel;
  'create-model': LoadedModel;
  'load-tokenizer': Uint8Array;
  forward: ModelOutput;
  generate: GenerationResult;
  classify: LabelScore[][];
  'zero-shot': LabelScore[];
  'tag-tokens': Tag[][];
  answer: Answer[];
  'fill-mask': FilledMask[][];
  'next-sentence': { isNext: number };
  embed: Tensor;
  'train-open': undefined;
  'train-rows': TrainingState;
  'train-close': TrainingState;
  /** `steps` are behind; of `total`, unless that depends on rows to come. */
  'train-begin': TrainingState & { info: ModelInfo; steps: number; total?: number };
  'train-step': { step: WasmTrainerStep; tokens: number; epochEnds: boolean; state: TrainingState };
  /** A batch at a time: null before the last. */
  'train-evaluate': WasmEvaluated | null;
  'train-checkpoint': Uint8Array;
  'load-adapter': undefined;
  'merge-adapter': ModelInfo;
  'save-adapter': Map<string, Uint8Array>;
  save: Map<string, Uint8Array>;
  'add-tokens': number;
}

export type RequestOf<K extends Request['kind']> = Extract<Request, { kind: K }>;

/** News of a request that is under way. */
export type EngineEvent =
  | { kind: 'progress'; progress: Progress }
  | { kind: 'items'; items: GenerationItem[] }
  /** Some work was not done by the GPU; where `lost`, none will be from now on. */
  | { kind: 'gpu'; reason: string; lost: boolean };

export interface RequestContext {
  signal: AbortSignal;
  emit(event: EngineEvent): void;
}

/** Runs one request at a time; whoever asks waits for the end of one before the next. */
export interface Engine {
  run<K extends Request['kind']>(request: RequestOf<K>, context: RequestContext): Promise<Results[K]>;
  close(): void;
}

/** To the worker. `id` is the request's number. A ping is answered by 'ready'. */
export type ToWorker = { type: 'run'; id: number; request: Request } | { type: 'abort'; id: number } | { type: 'ping' };

/** From the worker; 'ready' with the id of its build once its script runs, and again once it holds `lock`. */
export type FromWorker =
  | { type: 'ready'; build: string; lock?: string }
  | { type: 'event'; id: number; event: EngineEvent }
  | { type: 'done'; id: number; result: unknown }
  | { type: 'failed'; id: number; error: ErrorData };

// What the calling thread asks of the engine that holds a model, and what the engine answers: the same in one thread and between two.
import type { ErrorData } from './errors.js';
import type { WasmForwardOptions, WasmInputs } from './module.js';
import type { SourceData } from './source.js';
import type { AddedToken, GenerationItem, GenerationResult, LoadOptions, ModelInfo, ModelOutput, Progress, Tensor } from './types.js';

/** How files are got. */
export interface AccessSettings {
  cache: NonNullable<LoadOptions['cache']>;
  headers?: Readonly<Record<string, string>>;
  integrity?: Readonly<Record<string, string>>;
}

export interface LoadSettings extends AccessSettings {
  dtype: NonNullable<LoadOptions['dtype']>;
  maxLength: number;
}

export interface GenerationSettings {
  /** GenerateOptions as JSON, without the signal. */
  options: string;
  /** Settings that config.json has for the task, as JSON; "" for none. */
  task: string;
}

/** `cut`: texts that are longer than the model takes are cut; else they are refused. */
export type GenerationPrompt =
  | { kind: 'texts'; texts: string[]; addSpecialTokens: boolean; cut: boolean }
  | { kind: 'ids'; ids: Int32Array[]; decoderIds: Int32Array[] };

export type EmbedOptions = { pooling?: 'mean' | 'cls' | 'max' | 'last'; normalize?: boolean };

/** `module` is the compiled WebAssembly, which the calling thread has chosen and proven. */
export type Request =
  | { kind: 'load-model'; module: WebAssembly.Module; source: SourceData; settings: LoadSettings }
  | { kind: 'create-model'; module: WebAssembly.Module; config: string; seed: number; tokenizer: Uint8Array | null; settings: LoadSettings }
  | { kind: 'load-tokenizer'; module: WebAssembly.Module; source: SourceData; settings: AccessSettings }
  | { kind: 'forward'; inputs: WasmInputs; options: WasmForwardOptions }
  | { kind: 'generate'; prompt: GenerationPrompt; settings: GenerationSettings }
  | { kind: 'embed'; texts: string[]; options: EmbedOptions }
  | { kind: 'add-tokens'; tokens: readonly AddedToken[] };

export interface LoadedModel {
  info: ModelInfo;
  /** The tables of the tokenizers, for another instance. */
  tokenizer: Uint8Array | null;
  targetTokenizer: Uint8Array | null;
}

export interface Results {
  'load-model': LoadedModel;
  'create-model': LoadedModel;
  'load-tokenizer': Uint8Array;
  forward: ModelOutput;
  generate: GenerationResult;
  embed: Tensor;
  'add-tokens': number;
}

export type RequestOf<K extends Request['kind']> = Extract<Request, { kind: K }>;

/** News of a request that is under way. */
export type EngineEvent = { kind: 'progress'; progress: Progress } | { kind: 'items'; items: GenerationItem[] };

export interface RequestContext {
  signal: AbortSignal;
  emit(event: EngineEvent): void;
}

/** Runs one request at a time; whoever asks waits for the end of one before the next. */
export interface Engine {
  run<K extends Request['kind']>(request: RequestOf<K>, context: RequestContext): Promise<Results[K]>;
  close(): void;
}

/** To the worker. `id` is the request's number. */
export type ToWorker = { type: 'run'; id: number; request: Request } | { type: 'abort'; id: number };

/** From the worker; 'ready' once its script runs. */
export type FromWorker =
  | { type: 'ready' }
  | { type: 'event'; id: number; event: EngineEvent }
  | { type: 'done'; id: number; result: unknown }
  | { type: 'failed'; id: number; error: ErrorData };

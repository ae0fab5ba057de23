// A model on the calling thread: checks what it is given, waits for its turn, and asks the engine.
import { TransformerError, invalidArgument, linked, sentence } from './errors.js';
import { checkTraced, toWasmInputs, toWasmOptions } from './forward-inputs.js';
import { toGenerationJson, toPrompt, toTexts } from './generate-options.js';
import { startGeneration } from './generation.js';
import { lacking } from './later.js';
import { checkChoice, checkOptions, checkSignal } from './options.js';
import type { Engine, EngineEvent, GenerationPrompt, Request, RequestOf, Results } from './protocol.js';
import { CallQueue } from './queue.js';
import { toSourceData } from './source.js';
import {
  answerRequest, classifyRequest, embedRequest, fillMaskRequest, nextSentenceRequest, similarityTexts, tagTokensRequest, zeroShotRequest,
} from './task-inputs.js';
import { rankBySimilarity } from './tasks/embed.js';
import { checkTask } from './tasks/text-model.js';
import { summarizationPrompt, translationPrompt, type TaskPrompt } from './tasks/translate.js';
import type { BoundTokenizer } from './tokenizer.js';
import { startTraining, type TrainingHost } from './train/run.js';
import type {
  Answer,
  AnswerOptions,
  ChatMessage,
  ClassifyOptions,
  EmbedOptions,
  FilledMask,
  FillMaskOptions,
  ForwardInputs,
  ForwardOptions,
  GenerateOptions,
  Generation,
  Ids,
  LabelScore,
  Model,
  ModelInfo,
  ModelOutput,
  ModelSource,
  SaveOptions,
  Tag,
  TagOptions,
  Task,
  Tensor,
  TextInput,
  Tokenizer,
  TrainingData,
  TrainingRun,
  TrainOptions,
  ZeroShotOptions,
} from './types.js';

/** The text that a chat's prompt is; one whose last message is the assistant's goes on with it. */
function renderChat(tokenizer: BoundTokenizer, messages: readonly ChatMessage[]): string {
  const last = Array.isArray(messages) ? messages.at(-1) : undefined;
  if (last?.role !== 'assistant') return tokenizer.applyChatTemplate(messages, { addGenerationPrompt: true });
  const text = tokenizer.applyChatTemplate(messages);
  const begun = last.content.trim(),
    at = text.lastIndexOf(begun);
  if (at < 0) throw invalidArgument('messages: the chat template changes the last message, so that it cannot be continued');
  const kept = last.content.trimStart();
  return text.startsWith(kept, at) ? text.slice(0, at + kept.length) : text.slice(0, at + begun.length);
}

export class ModelOnEngine implements Model {
  #info: ModelInfo;
  readonly tokenizer: Tokenizer | null;
  readonly targetTokenizer: Tokenizer | null;
  readonly #engine: Engine;
  readonly #queue = new CallQueue();
  readonly #bound: BoundTokenizer | null;
  readonly #target: BoundTokenizer | null;
  #training = false;

  constructor(engine: Engine, info: ModelInfo, tokenizer: BoundTokenizer | null, targetTokenizer: BoundTokenizer | null) {
    this.#engine = engine;
    this.#bound = tokenizer;
    this.#target = targetTokenizer;
    this.#info = Object.freeze(info);
    this.tokenizer = tokenizer;
    this.targetTokenizer = targetTokenizer;
    // The engine's own tokenizer learns what the caller's was taught; after dispose() there is none.
    if (tokenizer) tokenizer.onAdded = (tokens) => void this.#ask('add-tokens', { kind: 'add-tokens', tokens }).catch(() => undefined);
  }

  get info(): ModelInfo {
    return this.#info;
  }

  /** What the GPU did not do, the CPU does in the same call: worth a word, and no more. */
  #noteGpu({ reason, lost }: Extract<EngineEvent, { kind: 'gpu' }>): void {
    console.warn(`webformer: ${reason}; the CPU does it instead.`);
    if (lost) this.#info = Object.freeze({ ...this.#info, device: 'wasm', deviceReason: sentence(reason), gpuThreshold: undefined });
  }

  /** Asks the engine in turn. The promise is rejected with 'disposed' once the model is gone. */
  #ask<K extends Request['kind']>(
    kind: K,
    request: RequestOf<K>,
    signal?: AbortSignal,
    emit: (event: EngineEvent) => void = () => undefined,
  ): Promise<Results[K]> {
    const onEvent = (event: EngineEvent): void => (event.kind === 'gpu' ? this.#noteGpu(event) : emit(event));
    return this.#queue.run(signal, (turn) => this.#engine.run<K>({ ...request, kind } as RequestOf<K>, { signal: turn, emit: onEvent }));
  }

  async forward(inputs: ForwardInputs, options: ForwardOptions = {}): Promise<ModelOutput> {
    const wasmOptions = toWasmOptions(options);
    checkSignal('signal', options.signal);
    const given = toWasmInputs(inputs, this.info);
    const output = await this.#ask('forward', { kind: 'forward', inputs: given, options: wasmOptions }, options.signal);
    checkTraced(options.trace, output.trace);
    return output;
  }

  generate(prompt: string | readonly string[] | Ids | readonly Ids[] | ForwardInputs, options: GenerateOptions = {}): Generation {
    return this.#generate('generate', options, [], () => ({ prompt: toPrompt(prompt), task: '' }));
  }

  chat(messages: readonly ChatMessage[], options: GenerateOptions = {}): Generation {
    return this.#generate('chat', options, [], () => {
      if (!this.#bound) throw invalidArgument('chat: this model has no tokenizer');
      const texts = [renderChat(this.#bound, messages)];
      const prompt: GenerationPrompt = { kind: 'texts', texts, addSpecialTokens: false, long: 'refuse' };
      return { prompt, task: '' };
    });
  }

  translate(text: string | readonly string[], options: { from?: string; to?: string } & GenerateOptions = {}): Generation {
    return this.#generate('translate', options, ['from', 'to'], () =>
      translationPrompt(this.info, this.#bound, toTexts('text', text), options),
    );
  }

  summarize(text: string | readonly string[], options: GenerateOptions = {}): Generation {
    return this.#generate('summarize', options, [], () => summarizationPrompt(this.info, toTexts('text', text)));
  }

  #generate(owner: string, options: GenerateOptions, others: readonly string[], prepare: () => TaskPrompt): Generation {
    return startGeneration(async (emit, left) => {
      const given = toGenerationJson(owner, options, others);
      const { prompt, task, forcedBosTokenId } = prepare();
      const json = forcedBosTokenId === undefined ? given : JSON.stringify({ forcedBosTokenId, ...(JSON.parse(given) as object) });
      const onEvent = (event: EngineEvent): void => {
        if (event.kind === 'items') emit(event.items);
      };
      const request: RequestOf<'generate'> = { kind: 'generate', prompt, settings: { options: json, task } };
      return linked(options.signal, left, () => this.#ask('generate', request, left.signal, onEvent));
    });
  }

  async classify(texts: TextInput | readonly TextInput[], options: ClassifyOptions = {}): Promise<LabelScore[][]> {
    return this.#task('classify', 'text-classification', classifyRequest(texts, options), options.signal);
  }

  async zeroShot(text: string, labels: readonly string[], options: ZeroShotOptions = {}): Promise<LabelScore[]> {
    return this.#task('zeroShot', 'zero-shot-classification', zeroShotRequest(text, labels, options), options.signal);
  }

  async tagTokens(texts: string | readonly string[], options: TagOptions = {}): Promise<Tag[][]> {
    return this.#task('tagTokens', 'token-classification', tagTokensRequest(texts, options), options.signal);
  }

  async answer(input: { question: string; context: string }, options: AnswerOptions = {}): Promise<Answer[]> {
    return this.#task('answer', 'question-answering', answerRequest(input, options), options.signal);
  }

  async fillMask(text: string, options: FillMaskOptions = {}): Promise<FilledMask[][]> {
    return this.#task('fillMask', 'fill-mask', fillMaskRequest(text, options), options.signal);
  }

  async nextSentence(first: string, second: string, options: { signal?: AbortSignal } = {}): Promise<{ isNext: number }> {
    return this.#task('nextSentence', 'next-sentence', nextSentenceRequest(first, second, options), options.signal);
  }

  async embed(texts: string | readonly string[], options: EmbedOptions = {}): Promise<Tensor> {
    return this.#ask('embed', embedRequest(texts, options), options.signal);
  }

  async similarity(
    query: string,
    texts: readonly string[],
    options: { signal?: AbortSignal } = {},
  ): Promise<{ index: number; score: number }[]> {
    const all = similarityTexts(query, texts, options);
    return rankBySimilarity(await this.embed(all, { normalize: true, signal: options.signal }));
  }

  /** @param owner the method that is asked for the task */
  #task<K extends Request['kind']>(owner: string, task: Task, request: RequestOf<K>, signal: AbortSignal | undefined): Promise<Results[K]> {
    checkTask(owner, this.info, task);
    return this.#ask(request.kind as K, request, signal);
  }

  /** Needs to be followed by nobody: steps go on until the end, an abort, or dispose(). */
  train(data: TrainingData, options: TrainOptions): TrainingRun {
    this.#refuseWhileTraining('train');
    this.#training = true;
    const host: TrainingHost = {
      info: this.info,
      source: this.#bound,
      target: this.#target,
      ask: (kind, request, signal) => this.#ask(kind, request, signal),
      update: ({ dtype, bytes }) => (this.#info = Object.freeze({ ...this.info, dtype, bytes })),
    };
    const run = startTraining(host, data, options);
    const ended = (): boolean => (this.#training = false);
    run.result().then(ended, ended);
    return run;
  }

  async save(options: SaveOptions = {}): Promise<Map<string, Uint8Array>> {
    checkOptions('save', options, ['dtype']);
    checkChoice('dtype', options.dtype, ['f32', 'f16', 'int8']);
    const { dtype = 'f32' } = options;
    if (dtype === 'int8') throw lacking("save with dtype 'int8'");
    return this.#ask('save', { kind: 'save', dtype });
  }

  async loadAdapter(source: ModelSource): Promise<void> {
    this.#refuseWhileTraining('loadAdapter');
    await this.#ask('load-adapter', { kind: 'load-adapter', source: toSourceData(source) });
  }

  async mergeAdapter(): Promise<void> {
    this.#refuseWhileTraining('mergeAdapter');
    this.#info = Object.freeze(await this.#ask('merge-adapter', { kind: 'merge-adapter' }));
  }

  async saveAdapter(): Promise<Map<string, Uint8Array>> {
    return this.#ask('save-adapter', { kind: 'save-adapter' });
  }

  /** The trainer's weights are those that these would exchange. */
  #refuseWhileTraining(method: string): void {
    if (this.#training) throw new TransformerError('busy', `${method}: a training of this model is running`);
  }

  dispose(): void {
    this.#queue.close(new TransformerError('disposed', 'The model was disposed.'));
    this.#engine.close();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}

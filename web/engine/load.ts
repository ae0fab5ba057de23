// A checkpoint, from its files to a model in WebAssembly's memory.
import { TransformerError, throwIfAborted } from '../errors.js';
import type { GpuOffload } from '../gpu/offload.js';
import type { Instance } from '../instance.js';
import type { WasmLoader, WasmModel, WasmTrainer } from '../module.js';
import type { OpenFile } from '../files.js';
import type { AccessSettings, LoadSettings, RequestContext } from '../protocol.js';
import { FileSet, type SourceData } from '../source.js';
import type { EmbedSettings } from '../tasks/embed.js';
import { languageNames } from '../tasks/translate.js';
import { BoundTokenizer } from '../tokenizer.js';
import type { ModelInfo } from '../types.js';
import { readEmbedSettings } from './embed-settings.js';
import { attachGpu } from './gpu.js';
import { missingConfig, missingTokenizer } from './missing.js';
import { ProgressMeter } from './progress.js';
import { filesToSave } from './save.js';
import { compileTokenizers, isComplete, readTokenizerFiles, readWhole, type Tokenizers } from './tokenizers.js';
import { WeightReader, findWeights, readGgufTokenizer } from './weights.js';

export interface Checkpoint {
  model: WasmModel;
  info: ModelInfo;
  tokenizers: Tokenizers | null;
  embed: EmbedSettings;
  gpu: GpuOffload | null;
  /** Of the last training. */
  trainer: WasmTrainer | null;
  /** Small files to be saved with the model: config.json, and what of the others its source had. */
  files: ReadonlyMap<string, Uint8Array>;
}

/** Damage that a file in the cache would explain. */
const DAMAGE = new Set(['invalid_file', 'integrity_error', 'weight_missing', 'weight_mismatch', 'numeric_error']);

/**
 * Runs a load; again, if it failed on files from the cache, without them: each of them is left out once. `complete` comes last, once
 * nothing of the files can fail.
 */
async function withFiles<R>(
  source: SourceData,
  settings: AccessSettings,
  { signal, emit }: RequestContext,
  load: (files: FileSet, progress: ProgressMeter) => Promise<R>,
  complete: (result: R, progress: ProgressMeter) => Promise<void> = async () => undefined,
): Promise<R> {
  const access = { cache: settings.cache, headers: settings.headers, signal };
  const progress = new ProgressMeter((event) => emit({ kind: 'progress', progress: event }));
  const forgotten = new Set<string>();
  for (;;) {
    const files = await FileSet.at(source, access, settings.integrity);
    try {
      const result = await load(files, progress);
      throwIfAborted(signal);
      files.checkIntegrityUsed();
      await complete(result, progress);
      progress.ready();
      return result;
    } catch (error) {
      const damaged = error instanceof TransformerError && DAMAGE.has(error.code);
      if (!damaged || settings.cache === 'only' || !(await files.forgetCached(forgotten))) throw error;
    } finally {
      files.close();
    }
  }
}

export const loadCheckpoint = (
  instance: Instance,
  source: SourceData,
  settings: LoadSettings,
  context: RequestContext,
): Promise<Checkpoint> =>
  withFiles(source, settings, context, async (files, progress) => {
    const loader = new instance.module.Loader(settings.dtype);
    const reader = new WeightReader(instance, loader, progress, context.signal, settings.dtype);
    try {
      const gguf = ggufFile(files);
      if (gguf && settings.head !== undefined) throw new TransformerError('unsupported_model', 'head: a GGUF file has no class to change');
      const { config, ...parts } = gguf
        ? await readGguf(instance, loader, reader, await files.open(gguf))
        : await readFolder(instance, loader, reader, files, progress, settings.head);
      const model = instance.call(() => loader.finish(settings.maxLength));
      return attach(instance, model, config, parts, settings);
    } finally {
      loader.delete();
    }
  }, (checkpoint, progress) => attachGpu(instance, checkpoint, settings.device, context.signal, () => progress.calibrate()));

type Parts = Pick<Checkpoint, 'tokenizers' | 'embed' | 'files'>;
type ReadParts = Parts & { config: Record<string, unknown> };

/** The GGUF file that is a whole checkpoint, where there is no config.json. */
function ggufFile(files: FileSet): string | undefined {
  const names = files.names?.includes('config.json') ? [] : (files.names?.filter((name) => name.endsWith('.gguf')) ?? []);
  if (names.length > 1) throw new TransformerError('invalid_file', `one GGUF file expected, found ${names.join(', ')}`);
  return names[0];
}

async function readGguf(instance: Instance, loader: WasmLoader, reader: WeightReader, file: OpenFile): Promise<ReadParts> {
  await reader.readSingle(file);
  const config = JSON.parse(instance.call(() => loader.configJson())) as Record<string, unknown>;
  const tokenizer = instance.call(() => loader.tokenizer());
  return { config, tokenizers: tokenizer && single(new BoundTokenizer(instance, tokenizer)), embed: {}, files: new Map() };
}

const single = (tokenizer: BoundTokenizer): Tokenizers => ({ source: tokenizer, target: tokenizer });

async function readFolder(
  instance: Instance,
  loader: WasmLoader,
  reader: WeightReader,
  files: FileSet,
  progress: ProgressMeter,
  head: string | undefined,
): Promise<ReadParts> {
  const opened = await files.open('config.json', files.names !== null);
  if (!opened) throw await missingConfig(files);
  let configFile = await readWhole(opened, progress);
  const configLength = instance.stage(configFile);
  instance.call(() => loader.config(configLength));
  if (head !== undefined) {
    const [length] = instance.stageTexts([head]);
    instance.call(() => loader.newHead(length!));
    configFile = new TextEncoder().encode(instance.call(() => loader.configJson()));
  }
  const config = JSON.parse(instance.call(() => loader.configJson())) as Record<string, unknown>;
  const [generation, tokenizerFiles, embed, weights] = await Promise.all([
    files.open('generation_config.json', true).then((file) => file && readWhole(file, progress)),
    readTokenizerFiles(files, progress, /CausalLM/.test(JSON.stringify(config['architectures'] ?? ''))),
    readEmbedSettings(files, progress),
    findWeights(files),
  ]);
  if (generation) {
    const length = instance.stage(generation);
    instance.call(() => loader.generationConfig(length));
  }
  const tokenizers = isComplete(tokenizerFiles) ? compile(instance, tokenizerFiles, progress) : null;
  await reader.read(weights, files);
  const kept = filesToSave(configFile, generation, tokenizerFiles);
  return { config, tokenizers, embed, files: kept };
}

function compile(instance: Instance, files: Awaited<ReturnType<typeof readTokenizerFiles>>, progress: ProgressMeter): Tokenizers {
  progress.parse([...files.keys()].find((name) => /^(tokenizer\.json|.*\.(txt|model|spm))$/.test(name)) ?? 'vocab.json');
  return compileTokenizers(instance, files);
}

/** A new model with random weights. */
export function createCheckpoint(instance: Instance, config: string, seed: number, settings: LoadSettings): Checkpoint {
  const loader = new instance.module.Loader(settings.dtype);
  try {
    const [length] = instance.stageTexts([config]);
    instance.call(() => loader.config(length!));
    instance.call(() => loader.randomize(seed));
    const model = instance.call(() => loader.finish(settings.maxLength));
    const files = new Map([['config.json', new TextEncoder().encode(config)]]);
    return attach(instance, model, JSON.parse(config) as Record<string, unknown>, { tokenizers: null, embed: {}, files }, settings);
  } finally {
    loader.delete();
  }
}

function attach(
  instance: Instance,
  model: WasmModel,
  config: Record<string, unknown>,
  parts: Parts,
  { threads: asked }: LoadSettings,
): Checkpoint {
  const { tokenizers } = parts;
  const threadsReason = `${asked} threads were asked for; models run on one thread.`;
  const info: ModelInfo = { ...instance.call(() => model.info()), config, device: 'wasm', ...(asked > 1 && { threadsReason }) };
  const checkpoint: Checkpoint = { model, info, ...parts, gpu: null, trainer: null };
  if (tokenizers) setTokenizers(checkpoint, tokenizers);
  return checkpoint;
}

/** Gives the model its tokenizers, and says what they tell of it. */
export function setTokenizers(checkpoint: Checkpoint, tokenizers: Tokenizers): void {
  const { model, info } = checkpoint;
  checkVocabulary(tokenizers, info);
  model.setTokenizer(tokenizers.target.handle);
  checkpoint.tokenizers = tokenizers;
  const languages = languageNames(info, tokenizers.source);
  if (languages) checkpoint.info = { ...info, languages };
}

/** A model may have more rows than tokens, never fewer. */
function checkVocabulary({ source }: Tokenizers, { vocabSize }: ModelInfo): void {
  if (source.vocabSize <= vocabSize) return;
  throw new TransformerError(
    'vocab_mismatch',
    `the tokenizer has ${source.vocabSize} tokens, the model has embeddings for ${vocabSize}`,
    {
      details: { tokenizer: source.vocabSize, model: vocabSize },
    },
  );
}

export const loadTokenizerFiles = (
  instance: Instance,
  source: SourceData,
  settings: AccessSettings,
  context: RequestContext,
): Promise<Tokenizers> =>
  withFiles(source, settings, context, async (files, progress) => {
    const gguf = ggufFile(files);
    if (gguf) return single(await readGgufTokenizer(instance, await files.open(gguf)));
    const found = await readTokenizerFiles(files, progress, true);
    if (!isComplete(found)) throw await missingTokenizer(files);
    return compile(instance, found, progress);
  });

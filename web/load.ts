// loadModel, loadTokenizer, createModel: the runtime, an engine, what is loaded into it, and its tokenizers on the calling thread.
import { noteLoaded, noteWithoutWorker } from './capabilities.js';
import { checkCount, describe } from './options.js';
import { TransformerError, abortedBy, invalidArgument, linked, untilAborted } from './errors.js';
import { checkLoadOptions, checkTokenizerOptions, wantsWorker } from './load-options.js';
import { ModelOnEngine } from './model.js';
import type { Engine, EngineEvent, LoadedModel, RequestContext } from './protocol.js';
import { RemoteEngine } from './remote.js';
import { compileRuntime, type Runtime } from './runtime.js';
import { toSourceData, type SourceData } from './source.js';
import { BoundTokenizer } from './tokenizer.js';
import type { LoadOptions, Model, ModelSource, Tokenizer, TokenizerLoadOptions } from './types.js';
import { toJson } from './values.js';
import { WORKER_IS_OPTIONAL, workerReads } from './worker-script.js';

/** A worker that the page allows, and that can read what is to be loaded, or null. */
async function startedWorker(source: SourceData | null): Promise<Engine | null> {
  let reason = 'it allows no worker from the single file (worker-src blob:)';
  try {
    const engine = new RemoteEngine();
    const started = await engine.started;
    if (started && (await workersRead(source))) return engine;
    engine.close();
    if (started) reason = 'workers cannot read the files that were chosen here';
  } catch (error) {
    if (!(error instanceof TransformerError && error.code === 'unsupported_platform')) throw error;
  }
  noteWithoutWorker(reason);
  return null;
}

/** Whether workers can read the chosen files: WebKit's cannot in a page of the disk, which is no one's origin. */
async function workersRead(source: SourceData | null): Promise<boolean> {
  const file = globalThis.origin === 'null' && source?.kind === 'files' && source.files.find(([, content]) => content instanceof Blob);
  return !file || workerReads(file[1] as Blob);
}

async function openEngine(options: Pick<LoadOptions, 'worker' | 'workerUrl'>, source: SourceData | null): Promise<Engine> {
  if (wantsWorker(options)) {
    if (options.workerUrl !== undefined || !WORKER_IS_OPTIONAL) return new RemoteEngine(options.workerUrl);
    const engine = await startedWorker(source);
    if (engine) return engine;
  }
  const { LocalEngine } = await import('./engine/engine.js').catch((cause: unknown) => {
    throw new TransformerError('network_error', `A script of the package could not be loaded (${(cause as Error).message})`, { cause });
  });
  return new LocalEngine();
}

/** Runs a load with its news going to onProgress. What that throws ends the load, and is thrown as it is. */
async function withProgress<R>(
  { onProgress, signal }: Pick<LoadOptions, 'onProgress' | 'signal'>,
  load: (context: RequestContext) => Promise<R>,
): Promise<R> {
  const stop = new AbortController();
  let thrown: { error: unknown } | undefined;
  const emit = (event: EngineEvent): void => {
    if (event.kind !== 'progress' || thrown) return;
    try {
      onProgress?.(event.progress);
    } catch (error) {
      thrown = { error };
      stop.abort();
    }
  };
  try {
    const result = await linked(signal, stop, () => load({ signal: stop.signal, emit }));
    if (!thrown) return result;
  } catch (error) {
    if (!thrown) throw signal?.aborted ? abortedBy(signal) : error;
  }
  throw thrown.error;
}

/** A fresh engine for a load; closed again where the load fails. */
async function withEngine<R>(
  options: LoadOptions,
  source: SourceData | null,
  context: RequestContext,
  load: (engine: Engine, runtime: Runtime) => Promise<R>,
): Promise<R> {
  context.emit({ kind: 'progress', progress: { phase: 'runtime', loaded: 0 } });
  const runtime = await compileRuntime({ ...options, signal: context.signal });
  const engine = await openEngine(options, source);
  try {
    return await untilAborted(context.signal, load(engine, runtime));
  } catch (error) {
    engine.close();
    throw error;
  }
}

async function openModel(engine: Engine, { module }: Runtime, { info, tokenizer, targetTokenizer }: LoadedModel): Promise<Model> {
  const [source, target] = await Promise.all(
    [tokenizer, targetTokenizer].map((packed) => packed && BoundTokenizer.unpack(module, packed)),
  );
  noteLoaded(info);
  return new ModelOnEngine(engine, info, source ?? null, target ?? source ?? null);
}

/** Loads a model. Nothing stays loaded where this rejects. */
export async function loadModel(source: ModelSource, options: LoadOptions = {}): Promise<Model> {
  const settings = checkLoadOptions('loadModel', options);
  const files = toSourceData(source);
  return withProgress(options, (context) =>
    withEngine(options, files, context, async (engine, runtime) =>
      openModel(
        engine,
        runtime,
        await engine.run<'load-model'>({ kind: 'load-model', module: runtime.module, source: files, settings }, context),
      ),
    ),
  );
}

/** Loads a tokenizer alone: of a folder, or of one file. */
export async function loadTokenizer(source: ModelSource, options: TokenizerLoadOptions = {}): Promise<Tokenizer> {
  const settings = checkTokenizerOptions('loadTokenizer', options);
  const files = toSourceData(source);
  return withProgress(options, (context) =>
    withEngine(options, files, context, async (engine, { module }) => {
      const packed = await engine.run<'load-tokenizer'>({ kind: 'load-tokenizer', module, source: files, settings }, context);
      engine.close();
      return BoundTokenizer.unpack(module, packed);
    }),
  );
}

/**
 * A model with random weights, ready to train.
 * @param config config.json's own keys, or those of PyTorch's modules: model_type 'transformer', d_model, nhead, …
 */
export async function createModel(
  config: Readonly<Record<string, unknown>>,
  options: { tokenizer?: Tokenizer; seed?: number } & LoadOptions = {},
): Promise<Model> {
  const settings = checkLoadOptions('createModel', options, ['tokenizer', 'seed']);
  if (options.head !== undefined)
    throw invalidArgument('head: a new model has the class and the labels that config says: architectures, id2label', { option: 'head' });
  if (typeof config !== 'object' || config === null || Array.isArray(config))
    throw invalidArgument(`config: ${describe(config)} found, an object expected`);
  checkCount('seed', options.seed);
  const { tokenizer, seed = Math.floor(Math.random() * 2 ** 32) } = options;
  if (tokenizer !== undefined && !(tokenizer instanceof BoundTokenizer)) {
    throw invalidArgument(`tokenizer: ${describe(tokenizer)} found, what loadTokenizer or trainTokenizer gave expected`);
  }
  const packed = tokenizer ? tokenizer.pack() : null;
  return withProgress(options, (context) =>
    withEngine(options, null, context, async (engine, runtime) =>
      openModel(
        engine,
        runtime,
        await engine.run<'create-model'>(
          { kind: 'create-model', module: runtime.module, config: toJson(config), seed, tokenizer: packed, settings },
          context,
        ),
      ),
    ),
  );
}

// The files of weights, streamed into a loader.
import { readAll, fromBytes, type OpenFile } from '../files.js';
import type { Instance } from '../instance.js';
import type { WasmLoader } from '../module.js';
import type { FileSet } from '../source.js';
import { BoundTokenizer } from '../tokenizer.js';
import { breather } from './breather.js';
import { missingWeights } from './missing.js';
import type { ProgressMeter } from './progress.js';
import { readWhole } from './tokenizers.js';

const SINGLE = 'model.safetensors',
  INDEX = 'model.safetensors.index.json';

/** Where the weights are: one file, or the index of several. */
export type Weights = { kind: 'single'; file: OpenFile } | { kind: 'sharded'; index: OpenFile };

export async function findWeights(files: FileSet): Promise<Weights> {
  const single = await files.open(SINGLE, true);
  if (single) return { kind: 'single', file: single };
  const index = await files.open(INDEX, true);
  if (index) return { kind: 'sharded', index };
  const candidates = files.names?.filter((name) => /\.(safetensors|gguf)$/.test(name)) ?? [];
  if (candidates.length === 1) return { kind: 'single', file: await files.open(candidates[0]!) };
  throw missingWeights(files, candidates);
}

export class WeightReader {
  constructor(
    private readonly instance: Instance,
    private readonly loader: WasmLoader,
    private readonly progress: ProgressMeter,
    private readonly signal: AbortSignal,
  ) {}

  async read(weights: Weights, files: FileSet): Promise<void> {
    if (weights.kind === 'single') return this.readSingle(weights.file);
    const index = await readWhole(weights.index, this.progress);
    const length = this.instance.stage(index);
    const names = this.instance.call(() => this.loader.shards(length));
    this.progress.remaining(totalSize(index));
    for (const name of names) {
      const file = await withSize(await files.open(name));
      this.progress.expect(name, file.size);
      await this.#stream(file);
    }
  }

  async readSingle(opened: OpenFile): Promise<void> {
    const file = await withSize(opened);
    this.progress.expect(file.name, file.size);
    this.progress.remaining(file.size);
    await this.#stream(file);
  }

  async #stream(file: OpenFile): Promise<void> {
    const breathe = breather(this.signal);
    this.instance.call(() => this.loader.open(file.name, file.size!));
    for await (const piece of file.chunks()) {
      const length = this.instance.stage(piece);
      this.instance.call(() => this.loader.push(length));
      this.progress.read(file.cached ? 'cache' : 'download', file.name, piece.length);
      await breathe();
    }
    this.instance.call(() => this.loader.close());
  }
}

/** The tokenizer in a GGUF file, of which no more is read than the header. */
export async function readGgufTokenizer(instance: Instance, opened: OpenFile): Promise<BoundTokenizer> {
  const file = await withSize(opened);
  const header = new instance.module.GgufHeader(file.name, file.size!);
  try {
    for await (const piece of file.chunks()) {
      const length = instance.stage(piece);
      if (instance.call(() => header.push(length))) break;
    }
    return new BoundTokenizer(
      instance,
      instance.call(() => header.tokenizer()),
    );
  } finally {
    header.delete();
  }
}

/** Bytes of all tensors, if the index tells. */
function totalSize(index: Uint8Array): number | undefined {
  const { metadata } = JSON.parse(new TextDecoder().decode(index)) as { metadata?: { total_size?: unknown } };
  return typeof metadata?.total_size === 'number' ? metadata.total_size : undefined;
}

/** The reader of weights must know the size first; a server that hides it costs a copy of the file. */
async function withSize(file: OpenFile): Promise<OpenFile> {
  return file.size === undefined ? { ...fromBytes(file.name, await readAll(file)), cached: file.cached } : file;
}

// The files of weights, streamed into a loader.
import { TransformerError } from '../errors.js';
import { fromBlob, refuseEmpty, type OpenFile } from '../files.js';
import type { Instance } from '../instance.js';
import type { WasmLoader } from '../module.js';
import type { LoadSettings } from '../protocol.js';
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
  throw await missingWeights(files, candidates);
}

export class WeightReader {
  constructor(
    private readonly instance: Instance,
    private readonly loader: WasmLoader,
    private readonly progress: ProgressMeter,
    private readonly signal: AbortSignal,
    private readonly dtype: LoadSettings['dtype'],
  ) {}

  async read(weights: Weights, files: FileSet): Promise<void> {
    if (weights.kind === 'single') return this.readSingle(weights.file);
    const index = await readWhole(weights.index, this.progress);
    const length = this.instance.stage(index);
    const names = this.instance.call(() => this.loader.shards(length));
    const total = totalSize(index);
    if (total !== undefined) checkFits(total, this.dtype, this.instance.module.maxMemory());
    this.progress.remaining(total);
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
    let known = false;
    for await (const piece of file.chunks()) {
      if (!known) {
        const length = instance.stage(piece);
        known = instance.call(() => header.push(length));
      }
      if (known && !file.checked) break;
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

/** What is left of a byte in the file, at least: of f32, the widest that checkpoints have. */
const LEAST = { auto: 1, f32: 1, f16: 1 / 2, int8: 1 / 4, int4: 1 / 8 };

/** Refuses before the first of several files what cannot fit for certain; what it takes to the byte, their headers tell. */
function checkFits(total: number, dtype: LoadSettings['dtype'], limit: number): void {
  const needed = Math.ceil(total * LEAST[dtype]);
  if (needed <= limit) return;
  throw new TransformerError('out_of_memory', `the weights take ${needed} bytes or more in memory, ${limit} are available`, {
    details: { needed: String(needed), limit: String(limit) },  // as the module's own
  });
}

/** The reader of weights must know the size first; what a server that hides it sends is gathered outside of the heap. */
async function withSize(file: OpenFile): Promise<OpenFile> {
  refuseEmpty(file.name, file.size);
  if (file.size !== undefined) return file;
  const parts: Blob[] = [];
  for await (const piece of file.chunks()) parts.push(new Blob([piece as Uint8Array<ArrayBuffer>]));
  return withSize(fromBlob(file.name, new Blob(parts), file.cached));
}

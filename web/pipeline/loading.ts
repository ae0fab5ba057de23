// The options of pipeline(), and the news of loading, as transformers.js has them.
import type { LoadOptions, ModelSource, Progress } from '../index.js';
import { checkNames, invalid } from './options.js';

const DTYPES = {
  auto: 'auto', fp32: 'f32', fp16: 'f16', q8: 'int8', int8: 'int8', uint8: 'int8', q4: 'int4', q4f16: 'int4', bnb4: 'int4',
} as const satisfies Record<string, LoadOptions['dtype']>;

const DEVICES = { auto: 'auto', cpu: 'wasm', wasm: 'wasm', gpu: 'webgpu', webgpu: 'webgpu' } as const satisfies Record<
  string,
  LoadOptions['device']
>;

/** `name` is the model's. `progress`: of the file, in percent. */
export type ProgressInfo =
  | { status: 'initiate' | 'download' | 'done'; name: string; file: string }
  | { status: 'progress'; name: string; file: string; progress: number; loaded: number; total: number }
  | { status: 'ready'; task: string; model: string };

const OWN = [
  'threads', 'worker', 'maxLength', 'cache', 'integrity', 'headers', 'signal', 'wasmUrl', 'wasmBinary', 'workerUrl',
] as const satisfies (keyof LoadOptions)[];

/** transformers.js' options, and those of loadModel that it has no names for. */
export interface PipelineOptions extends Pick<LoadOptions, (typeof OWN)[number]> {
  progress_callback?: ((info: ProgressInfo) => void) | null;
  /** Default 'auto': as the weights are stored. */
  dtype?: keyof typeof DTYPES | null;
  device?: keyof typeof DEVICES | null;
  /** Of a model 'hf:org/name': a branch, tag or commit. Without effect on others. */
  revision?: string | null;
  /** Whether nothing may be fetched. */
  local_files_only?: boolean | null;
}
const NAMES = ['progress_callback', 'dtype', 'device', 'revision', 'local_files_only', ...OWN];

function translated<T>(name: string, value: string | null | undefined, table: Readonly<Record<string, T>>): T | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string' && Object.hasOwn(table, value)) return table[value];
  throw invalid(`${name}: ${JSON.stringify(value)} found, one of ${Object.keys(table).join(', ')} expected`, { option: name });
}

/** transformers.js' events, from those of loadModel. */
function fileEvents(name: string, report: (info: ProgressInfo) => void): (event: Progress) => void {
  const begun = new Set<string>();
  return ({ phase, file, loaded, total = loaded }) => {
    if (file === undefined || (phase !== 'download' && phase !== 'cache')) return;
    if (!begun.has(file)) {
      begun.add(file);
      report({ status: 'initiate', name, file });
      report({ status: 'download', name, file });
    }
    report({ status: 'progress', name, file, progress: total === 0 ? 100 : (100 * loaded) / total, loaded, total });
    if (loaded === total) report({ status: 'done', name, file });
  };
}

export const nameOf = (source: ModelSource): string => (typeof source === 'string' || source instanceof URL ? String(source) : 'files');

export function loadOptions(source: ModelSource, options: PipelineOptions): LoadOptions {
  checkNames('pipeline', options, NAMES);
  const { progress_callback, dtype, device, revision: _, local_files_only, ...own } = options;
  return {
    ...own,
    ...(local_files_only ? { cache: 'only' } : {}),
    dtype: translated('dtype', dtype, DTYPES),
    device: translated('device', device, DEVICES),
    onProgress: progress_callback ? fileEvents(nameOf(source), progress_callback) : undefined,
  };
}

/** A source that names its revision itself keeps it. */
export const revised = (source: ModelSource, { revision }: PipelineOptions): ModelSource =>
  revision && typeof source === 'string' && /^hf:[^@]*$/.test(source) ? `${source}@${revision}` : source;

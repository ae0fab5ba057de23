// How a sentence-transformers folder wants its texts turned into vectors.
import { TransformerError } from '../errors.js';
import type { FileSet } from '../source.js';
import type { EmbedSettings } from '../tasks/embed.js';
import type { ProgressMeter } from './progress.js';
import { readWhole } from './tokenizers.js';

async function readJson(files: FileSet, name: string, progress: ProgressMeter): Promise<unknown> {
  const file = await files.open(name, true);
  if (!file) return undefined;
  const text = new TextDecoder().decode(await readWhole(file, progress));
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new TransformerError('invalid_file', `${name}: ${(error as Error).message}`, { details: { file: name }, cause: error });
  }
}

interface Module {
  path: string;
  type: string;
}

function toModules(json: unknown): Module[] {
  const isModule = (item: unknown): item is Module =>
    typeof (item as Module | null)?.path === 'string' && typeof (item as Module).type === 'string';
  if (Array.isArray(json) && json.every(isModule)) return json;
  throw new TransformerError('invalid_file', 'modules.json: a list of modules with path and type expected', {
    details: { file: 'modules.json' },
  });
}

const KINDS = [
  ['cls_token', 'cls'],
  ['max_tokens', 'max'],
  ['lasttoken', 'last'],
  ['mean_tokens', 'mean'],
] as const;

function poolingOf(config: Record<string, unknown>, name: string): NonNullable<EmbedSettings['pooling']> {
  const chosen = KINDS.filter(([key]) => config[`pooling_mode_${key}`] === true);
  if (chosen.length === 1) return chosen[0]![1];
  const named = KINDS.find(([, kind]) => kind === config['pooling_mode'] || `${kind}token` === config['pooling_mode']);
  if (chosen.length === 0 && named) return named[1];
  throw new TransformerError(
    'unsupported_model',
    `${name}: one of the poolings mean, cls, max and last expected, found ${JSON.stringify(config)}`,
  );
}

/** Empty for a folder without modules.json. */
export async function readEmbedSettings(files: FileSet, progress: ProgressMeter): Promise<EmbedSettings> {
  const json = await readJson(files, 'modules.json', progress);
  if (json === undefined) return {};
  const modules = toModules(json);
  const settings: EmbedSettings = { normalize: modules.some(({ type }) => type.endsWith('.Normalize')) };
  const pooling = modules.find(({ type }) => type.endsWith('.Pooling'));
  if (pooling) {
    const name = `${pooling.path}/config.json`;
    const config = await readJson(files, name, progress);
    if (config) settings.pooling = poolingOf(config as Record<string, unknown>, name);
  }
  const limits = (await readJson(files, 'sentence_bert_config.json', progress)) as { max_seq_length?: unknown } | undefined;
  if (typeof limits?.max_seq_length === 'number') settings.maxLength = limits.max_seq_length;
  return settings;
}

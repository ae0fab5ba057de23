// A model as the folder that it is saved to.
import { throwIfAborted } from '../errors.js';
import { extend } from '../extra.js';
import type { Instance } from '../instance.js';
import type { ModelInfo } from '../types.js';
import { nextTask } from '../yield.js';
import type { Checkpoint } from './load.js';
import type { TokenizerFiles, Tokenizers } from './tokenizers.js';

/** Beside tokenizer.json, what transformers reads of a tokenizer: its class, its special tokens, its chat template. */
const COMPANIONS = ['tokenizer_config.json', 'special_tokens_map.json', 'chat_template.jinja'];
/** Marian's tokenizer has no tokenizer.json: two SentencePiece models and a vocabulary, or two. */
const MARIAN = ['source.spm', 'target.spm', 'vocab.json', 'target_vocab.json'];

/** Those of a checkpoint's small files that are written as they were read. */
export function filesToSave(config: Uint8Array, generation: Uint8Array | null, tokenizer: TokenizerFiles): Map<string, Uint8Array> {
  const files = new Map([['config.json', config]]);
  if (generation) files.set('generation_config.json', generation);
  const names = tokenizer.has('target.spm') ? [...COMPANIONS, ...MARIAN] : COMPANIONS;
  for (const name of names) if (tokenizer.has(name)) files.set(name, tokenizer.get(name)!);
  return files;
}

const TYPES = { f32: 'float32', f16: 'float16' } as const;

/** The file's own text but for the type of the weights: parsed and written again, 1.0 would become 1. */
function withType(config: Uint8Array, dtype: keyof typeof TYPES): Uint8Array {
  const text = new TextDecoder().decode(config);
  return new TextEncoder().encode(text.replace(/("(?:torch_)?dtype"\s*:\s*)"\w+"/, `$1"${TYPES[dtype]}"`));
}

const ROLES = ['bos', 'eos', 'unk', 'sep', 'pad', 'cls', 'mask'] as const;

/** What a tokenizer without files of its own needs beside tokenizer.json, so that transformers reads just that. */
function tokenizerConfig({ source }: Tokenizers, config: ModelInfo['config']): Uint8Array {
  const settings: Record<string, unknown> = { tokenizer_class: 'PreTrainedTokenizerFast' };
  for (const role of ROLES) {
    const id: unknown = config[`${role}_token_id`];
    const token = source.names[`${role}_token`] ?? (typeof id === 'number' && id >= 0 ? source.tokenOf(id) : undefined);
    if (token !== undefined) settings[`${role}_token`] = token;
  }
  return new TextEncoder().encode(`${JSON.stringify(settings, null, 2)}\n`);
}

async function weights(instance: Instance, checkpoint: Checkpoint, dtype: keyof typeof TYPES, signal: AbortSignal): Promise<Uint8Array> {
  await extend(instance);
  const saver = instance.call((entries) => entries.saveModel(checkpoint.model, dtype));
  try {
    const file = new Uint8Array(saver.size());
    let at = 0;
    for (let part: Uint8Array | null = instance.call(() => saver.header()); part; part = instance.call(() => saver.next())) {
      file.set(part, at);
      at += part.length;
      await nextTask();
      throwIfAborted(signal);
    }
    return file;
  } finally {
    saver.delete();
  }
}

export async function save(
  instance: Instance, checkpoint: Checkpoint, dtype: keyof typeof TYPES, signal: AbortSignal,
): Promise<Map<string, Uint8Array>> {
  const { files, tokenizers } = checkpoint;
  const folder = new Map(files);
  // A copy of each: they may move to another thread.
  for (const [name, bytes] of files) folder.set(name, name === 'config.json' ? withType(bytes, dtype) : bytes.slice());
  folder.set('model.safetensors', await weights(instance, checkpoint, dtype, signal));
  if (tokenizers && !files.has('target.spm')) {
    folder.set('tokenizer.json', new TextEncoder().encode(tokenizers.source.save()));
    if (!folder.has('tokenizer_config.json')) folder.set('tokenizer_config.json', tokenizerConfig(tokenizers, checkpoint.info.config));
  }
  return folder;
}

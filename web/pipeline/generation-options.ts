// The options that all tasks have that make text.
import type { GenerateOptions, Generation, GenerationResult } from '../index.js';
import { invalid, renamed, type Renamed } from './options.js';
import { streamed, type Streamer } from './streamer.js';

const NAMES = {
  max_new_tokens: 'maxNewTokens',
  max_length: 'maxLength',
  min_new_tokens: 'minNewTokens',
  min_length: 'minLength',
  do_sample: 'doSample',
  temperature: 'temperature',
  top_k: 'topK',
  top_p: 'topP',
  min_p: 'minP',
  typical_p: 'typicalP',
  seed: 'seed',
  repetition_penalty: 'repetitionPenalty',
  no_repeat_ngram_size: 'noRepeatNgramSize',
  bad_words_ids: 'badWordsIds',
  renormalize_logits: 'renormalizeLogits',
  num_beams: 'numBeams',
  length_penalty: 'lengthPenalty',
  early_stopping: 'earlyStopping',
  num_return_sequences: 'numReturnSequences',
  bos_token_id: 'bosTokenId',
  eos_token_id: 'eosTokenId',
  pad_token_id: 'padTokenId',
  decoder_start_token_id: 'decoderStartTokenId',
  forced_bos_token_id: 'forcedBosTokenId',
  forced_eos_token_id: 'forcedEosTokenId',
  stop_strings: 'stop',
  signal: 'signal',
} as const;

/** As transformers' GenerationConfig has them; the model's generation_config.json is honoured. */
export interface GenerationOptions extends Renamed<typeof NAMES, GenerateOptions> {
  /** For one text and one sequence. */
  streamer?: Streamer | null;
}

/** @param others names of options that the task reads itself */
export const generateOptions = (task: string, options: GenerationOptions, others: readonly string[] = []): GenerateOptions =>
  renamed<GenerateOptions>(task, options, NAMES, ['streamer', ...others]);

/** @param prompts their ids, of a decoder; else an empty list for each text */
export async function finished(
  generate: () => Generation,
  prompts: readonly (readonly number[])[],
  { streamer, num_return_sequences }: GenerationOptions,
): Promise<GenerationResult> {
  if (!streamer) return generate().result();
  const count = prompts.length * (num_return_sequences ?? 1);
  if (count !== 1) throw invalid(`streamer: ${count} sequences found, 1 expected`, { option: 'streamer' });
  return streamed(generate(), streamer, prompts[0]!);
}

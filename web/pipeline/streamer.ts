// Text while it is made: transformers.js' streamers, and how a generation feeds one.
import type { Generation, GenerationResult, Tokenizer } from '../index.js';
import { checkNames, invalid } from './options.js';

/** Gets the ids of the prompt, and then those that are made, [1, count] each time. Of an encoder-decoder, the first list is empty. */
export interface Streamer {
  put(value: bigint[][]): void;
  end(): void;
}

export interface TextStreamerOptions {
  /** Default: false. */
  skip_prompt?: boolean;
  /** Default: true. */
  skip_special_tokens?: boolean;
  /** Default: writes to standard output, in a page to the console. */
  callback_function?: ((text: string) => void) | null;
  token_callback_function?: ((tokens: bigint[]) => void) | null;
}
const OPTIONS = [
  'skip_prompt',
  'skip_special_tokens',
  'callback_function',
  'token_callback_function',
] as const satisfies (keyof TextStreamerOptions)[];

const output = (globalThis as { process?: { stdout?: { write(text: string): void } } }).process?.stdout;
const print = (text: string): void => (output ? output.write(text) : console.log(text));

/** Calls back with text as it comes, in whole characters. */
export class TextStreamer implements Streamer {
  readonly #tokenizer: Tokenizer;
  readonly #options: TextStreamerOptions;
  /** Of the text that is being made; it has read the prompt also where that is not shown, so that a space after it is not lost. */
  #text: ReturnType<Tokenizer['decodeStream']> | undefined;

  constructor(tokenizer: Tokenizer, options: TextStreamerOptions = {}) {
    checkNames('TextStreamer', options, OPTIONS);
    this.#tokenizer = tokenizer;
    this.#options = options;
  }

  put(value: bigint[][]): void {
    const { skip_prompt, skip_special_tokens = true, token_callback_function } = this.#options;
    if (value.length !== 1) throw invalid(`TextStreamer: ${value.length} sequences found, 1 expected`);
    const [tokens] = value as [bigint[]];
    const isShown = this.#text !== undefined || !skip_prompt;
    if (isShown) token_callback_function?.(tokens);
    this.#text ??= this.#tokenizer.decodeStream({ skipSpecialTokens: skip_special_tokens });
    const text = this.#text.push(tokens.map(Number));
    if (isShown) this.on_finalized_text(text, false);
  }

  end(): void {
    const text = this.#text?.end() ?? '';
    this.#text = undefined;
    this.on_finalized_text(text, true);
  }

  /** May be overridden, to do something else with the text. */
  on_finalized_text(text: string, stream_end: boolean): void {
    const { callback_function } = this.#options;
    if (text !== '') (callback_function ?? print)(text);
    if (stream_end && !callback_function && output) print('\n');
  }
}

/**
 * Waits for the end of a generation of one sequence, whose ids go to `streamer`.
 * @param prompt of a decoder, its ids
 */
export async function streamed(generation: Generation, streamer: Streamer, prompt: readonly number[]): Promise<GenerationResult> {
  const put = (ids: readonly number[]): void => streamer.put([ids.map(BigInt)]);
  put(prompt);
  for await (const { ids } of generation) if (ids.length > 0) put(ids);
  streamer.end();
  return generation.result();
}

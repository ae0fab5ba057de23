// Text to text: text-generation, text2text-generation, summarization, translation.
import type { ChatMessage, GenerateOptions, Generation } from '../index.js';
import { listOf, type Context } from './context.js';
import { finished, generateOptions, type GenerationOptions } from './generation-options.js';
import { invalid } from './options.js';

// ---- encoder-decoders -------------------------------------------------------------------------------------------------------------

/** One a text, or `num_return_sequences` of them; a list for a single text too. */
type TextToText<K extends string, O = GenerationOptions> = (
  texts: string | readonly string[],
  options?: O,
) => Promise<{ [name in K]: string }[]>;

export type TextToTextGeneration = TextToText<'generated_text'>;
export type Summarization = TextToText<'summary_text'>;
export type Translation = TextToText<'translation_text', TranslationOptions>;

/** The languages' codes, as the model has them: 'fra_Latn', 'fr_XX', 'fr'. */
export interface TranslationOptions extends GenerationOptions {
  src_lang?: string | null;
  tgt_lang?: string | null;
}

/** @param others names of options that `start` reads itself */
const textToText = <K extends string, O extends GenerationOptions = GenerationOptions>(
  { task }: Context,
  key: K,
  start: (texts: readonly string[], settings: GenerateOptions, options: O) => Generation,
  others: readonly string[] = [],
): TextToText<K, O> =>
  async function convert(texts, options) {
    const given = options ?? ({} as O), inputs = listOf<string>(texts);
    const settings = generateOptions(task, given, others);
    const result = await finished(() => start(inputs, settings, given), inputs.map(() => []), given);
    return result.texts.map((text) => ({ [key]: text }) as { [name in K]: string });
  };

/** What config.json says that texts begin with. */
function prefixOf({ task, model }: Context): string {
  interface WithPrefix {
    prefix?: string | null;
    task_specific_params?: Readonly<Record<string, WithPrefix>> | null;
  }
  const config: WithPrefix = model.info.config;
  return (config.prefix ?? '') + (config.task_specific_params?.[task]?.prefix ?? '');
}

export const textToTextGeneration = (context: Context): TextToTextGeneration =>
  textToText(context, 'generated_text', (texts, settings) => {
    const prefix = prefixOf(context);
    return context.model.generate(prefix ? texts.map((text) => prefix + text) : texts, settings);
  });

export const summarization = (context: Context): Summarization =>
  textToText(context, 'summary_text', (texts, settings) => context.model.summarize(texts, settings));

/** The languages of 'translation_en_to_fr'. */
const languagesOf = (task: string): [from?: string, to?: string] => {
  const [, from, to] = /^translation_(.+)_to_(.+)$/.exec(task) ?? [];
  return [from, to];
};

export const translation = (context: Context): Translation => {
  const [from, to] = languagesOf(context.task);
  return textToText<'translation_text', TranslationOptions>(
    context,
    'translation_text',
    (texts, settings, { src_lang, tgt_lang }) =>
      context.model.translate(texts, { from: src_lang ?? from, to: tgt_lang ?? to, ...settings }),
    ['src_lang', 'tgt_lang'],
  );
};

// ---- decoders ---------------------------------------------------------------------------------------------------------------------

export type Chat = readonly ChatMessage[];

export interface TextGenerationOptions extends GenerationOptions {
  /** Whether the prompt is part of the text. Default: true. A chat always has all its messages. */
  return_full_text?: boolean | null;
  /** Whether the tokenizer puts its special tokens around the prompt. Default: true; a chat's template has its own. */
  add_special_tokens?: boolean | null;
}

type Generated<T> = { generated_text: T }[];
/** `num_return_sequences` results a prompt. */
export type GeneratedTexts<I> = I extends string
  ? Generated<string>
  : I extends readonly string[]
    ? Generated<string>[]
    : I extends Chat
      ? Generated<ChatMessage[]>
      : Generated<ChatMessage[]>[];

export type TextGeneration = <I extends string | readonly string[] | Chat | readonly Chat[]>(
  texts: I,
  options?: TextGenerationOptions,
) => Promise<GeneratedTexts<I>>;

/** A prompt, and how its results look. */
interface Prompt {
  ids: number[];
  show(text: string): string | ChatMessage[];
}

const isText = (input: unknown): input is string => typeof input === 'string';
const isMessage = (item: unknown): item is ChatMessage => typeof item === 'object' && item !== null && 'role' in item;
const isChat = (input: unknown): input is Chat => Array.isArray(input) && input.length > 0 && input.every(isMessage);

function textPrompt({ tokenizer }: Context, text: string, { return_full_text, add_special_tokens }: TextGenerationOptions): Prompt {
  const { ids } = tokenizer.encode(text, { addSpecialTokens: add_special_tokens ?? true });
  return { ids, show: (made) => (return_full_text === false ? made : text + made) };
}

function chatPrompt({ tokenizer }: Context, chat: Chat): Prompt {
  const { ids } = tokenizer.encode(tokenizer.applyChatTemplate(chat, { addGenerationPrompt: true }), { addSpecialTokens: false });
  return { ids, show: (content) => [...chat, { role: 'assistant', content }] };
}

function promptsOf(context: Context, inputs: readonly unknown[], options: TextGenerationOptions): Prompt[] {
  if (inputs.length > 0 && inputs.every(isText)) return inputs.map((text) => textPrompt(context, text, options));
  if (inputs.length > 0 && inputs.every(isChat)) return inputs.map((chat) => chatPrompt(context, chat));
  throw invalid(`${context.task}: a text, a chat (a list of messages with role and content), or a list of either expected`);
}

export const textGeneration = (context: Context): TextGeneration =>
  async function generate(texts, options = {}) {
    const settings = generateOptions(context.task, options, ['return_full_text', 'add_special_tokens']);
    const isSingle = isText(texts) || isChat(texts);
    const prompts = promptsOf(context, isSingle ? [texts] : listOf<unknown>(texts), options);
    const ids = prompts.map((prompt) => prompt.ids);
    const result = await finished(() => context.model.generate(ids, settings), ids, options);
    const copies = result.texts.length / prompts.length;
    const lists = prompts.map(({ show }, i) =>
      result.texts.slice(i * copies, (i + 1) * copies).map((text) => ({ generated_text: show(text) })),
    );
    return (isSingle ? lists[0] : lists) as GeneratedTexts<typeof texts>;
  };

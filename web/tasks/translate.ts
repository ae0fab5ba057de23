// How the models that translate are told from which language to which, and those of several tasks what to do.
import { invalidArgument } from '../errors.js';
import { checkText } from '../options.js';
import type { GenerationPrompt, TextPrompt } from '../protocol.js';
import { checkTask } from './text-model.js';
import type { BoundTokenizer } from '../tokenizer.js';
import type { ModelInfo } from '../types.js';

export interface Languages {
  from?: string;
  to?: string;
}

/** What a task makes of texts. */
export interface TaskPrompt {
  prompt: GenerationPrompt;
  /** Settings of the task in config.json, as JSON. */
  task: string;
  /** The language that the answer begins with. */
  forcedBosTokenId?: number;
}

type TaskParams = Readonly<Record<string, Record<string, unknown>>>;

const taskParams = (info: ModelInfo): TaskParams => (info.config['task_specific_params'] ?? {}) as TaskParams;

/** A text that is too long to be translated at once is translated sentence by sentence. */
const plain = (texts: string[]): TextPrompt => ({ kind: 'texts', texts, addSpecialTokens: true, long: 'split' });

/** T5's way: a prefix in words before the text, and settings of the task. */
function withTask(info: ModelInfo, prompt: TextPrompt, name: string | undefined): TaskPrompt {
  const { prefix = '', ...settings } = (name && taskParams(info)[name]) || {};
  return { prompt: { ...prompt, prefix: String(prefix) }, task: JSON.stringify(settings) };
}

export function summarizationPrompt(info: ModelInfo, texts: string[]): TaskPrompt {
  checkTask('summarize', info, 'summarization');
  return withTask(info, { kind: 'texts', texts, addSpecialTokens: true, long: 'cut' }, 'summarization');
}

function translationTask(info: ModelInfo, { from, to }: Languages): string | undefined {
  const names = Object.keys(taskParams(info)).filter((name) => name.startsWith('translation_'));
  const found = names.find((name) => {
    const [, source, target] = /^translation_(.+)_to_(.+)$/.exec(name) ?? [];
    return (from === undefined || source === from) && (to === undefined || target === to);
  });
  if (found || (from === undefined && to === undefined)) return found;
  const known = names.map((name) => name.replace('translation_', '').replace('_to_', ' to ')).join(', ');
  throw invalidArgument(`translate: from ${from ?? 'any'} to ${to ?? 'any'} is not a task of this model; there are: ${known || 'none'}`);
}

/** The special tokens that are languages: 'fra_Latn' and 'fr_XX', or M2M100's `__fr__` for 'fr'. */
const languagesOf = (tokenizer: BoundTokenizer): string[] =>
  Object.keys(tokenizer.special).filter((token) => /^(__\w+__|[a-z]{2,3}_[A-Z]\w+)$/.test(token));

const nameOfLanguage = (token: string): string => token.replace(/^__|__$/g, '');

/** What `from` and `to` may be; undefined where no codes choose the languages. */
export const languageNames = (info: ModelInfo, tokenizer: BoundTokenizer): string[] | undefined =>
  hasCodes(info) ? languagesOf(tokenizer).map(nameOfLanguage) : undefined;

/** The id of a language, with or without the underscores around its name. */
function languageId(tokenizer: BoundTokenizer, option: string, code: string): number {
  const languages = languagesOf(tokenizer);
  const found = languages.find((token) => token === code || token === `__${code}__`);
  if (found !== undefined) return tokenizer.special[found]!;
  const known = languages.map(nameOfLanguage).join(', ') || 'none';
  throw invalidArgument(`${option}: '${code}' is no language of this model; there are: ${known}`, { option });
}

/**
 * What the tokenizer puts before and after a text, with the code of its language: before it, for most models; after the end token, for the
 * first mBART and the first NLLB.
 */
function surroundings(tokenizer: BoundTokenizer, language: number): [number[], number[]] {
  const languages = new Set(languagesOf(tokenizer).map((token) => tokenizer.special[token]));
  const { ids, specialMask } = tokenizer.encode('a');
  const around = ids.map((id) => (languages.has(id) ? language : id));
  const before = around.slice(0, specialMask.indexOf(0)), after = around.slice(specialMask.lastIndexOf(0) + 1);
  return before.includes(language) || after.includes(language) ? [before, after] : [[language, ...before], after];
}

/** M2M100, NLLB, mBART: the source's code beside the text; the answer begins with the target's code. */
function withCodes(tokenizer: BoundTokenizer, texts: string[], { from, to }: Languages): TaskPrompt {
  const forcedBosTokenId = to === undefined ? undefined : languageId(tokenizer, 'to', to);
  if (from === undefined) return { prompt: plain(texts), task: '', forcedBosTokenId };
  const source = languageId(tokenizer, 'from', from);
  const around = surroundings(tokenizer, source);
  const prompt: TextPrompt = { kind: 'texts', texts, addSpecialTokens: false, long: 'split', around };
  return { prompt, task: '', forcedBosTokenId };
}

const hasCodes = ({ modelType }: ModelInfo): boolean => ['m2m_100', 'mbart', 'nllb'].includes(modelType);
const hasTasks = ({ modelType }: ModelInfo): boolean => /^u?m?t5$/.test(modelType);

function checkLanguages(info: ModelInfo, languages: Languages): void {
  for (const option of ['from', 'to'] as const) {
    if (languages[option] === undefined) continue;
    checkText(option, languages[option]);
    if (hasCodes(info) || hasTasks(info)) continue;
    throw invalidArgument(`translate: ${option} is for models of several languages; ${info.modelType} translates one pair`);
  }
}

export function translationPrompt(info: ModelInfo, tokenizer: BoundTokenizer | null, texts: string[], languages: Languages): TaskPrompt {
  checkTask('translate', info, 'translation');
  checkLanguages(info, languages);
  if (hasCodes(info)) {
    if (!tokenizer) throw invalidArgument('translate: this model has no tokenizer, so that it takes ids only: use generate');
    return withCodes(tokenizer, texts, languages);
  }
  if (hasTasks(info)) return withTask(info, plain(texts), translationTask(info, languages));
  return { prompt: plain(texts), task: '' };
}

/** What a training puts around the texts of a translation: ids before and after each side, or words before the source. */
export interface TranslationFrame {
  prefix?: string;
  sourceAround?: [number[], number[]];
  targetAround?: [number[], number[]];
}

export function translationFrame(
  info: ModelInfo, source: BoundTokenizer | null, target: BoundTokenizer | null, languages: Languages,
): TranslationFrame {
  checkLanguages(info, languages);
  if (hasTasks(info)) return { prefix: String(taskParams(info)[translationTask(info, languages) ?? '']?.['prefix'] ?? '') };
  if (!hasCodes(info) || !source || !target) return {};
  const { from, to } = languages;
  if (from === undefined || to === undefined) {
    const missing = from === undefined ? 'from' : 'to';
    throw invalidArgument(`${missing}: missing; a ${info.modelType} model translates from one of its languages to another`, {
      option: missing,
    });
  }
  return {
    sourceAround: surroundings(source, languageId(source, 'from', from)),
    targetAround: surroundings(target, languageId(target, 'to', to)),
  };
}

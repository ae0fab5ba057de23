// A tokenizer in an instance of its own, on the thread that calls it.
import { applyTemplate } from './chat-template.js';
import { readEncodings } from './encoding.js';
import { invalidArgument } from './errors.js';
import { Instance } from './instance.js';
import type { TokenizerInfo, WasmTokenizer } from './module.js';
import { checkBoolean, checkChoice, checkCount, checkOptions, checkText, describe } from './options.js';
import type { AddedToken, ChatMessage, EncodeOptions, Encoding, Ids, Tokenizer } from './types.js';
import { toInt32, toJson } from './values.js';

const ENCODE_OPTIONS = ['pair', 'addSpecialTokens', 'truncation', 'padding'] as const;
const TRUNCATION = ['maxLength', 'stride', 'strategy', 'direction'] as const;
const PADDING = ['length', 'longest', 'multipleOf', 'direction', 'padId', 'padToken', 'padTypeId'] as const;
const ADDED_TOKEN = ['content', 'special', 'lstrip', 'rstrip', 'singleWord', 'normalized'] as const;

function checkEncodeOptions(owner: string, options: EncodeOptions): void {
  checkOptions(owner, options, ENCODE_OPTIONS);
  checkBoolean('addSpecialTokens', options.addSpecialTokens);
  if (options.pair !== undefined) checkText('pair', options.pair);
  if (options.truncation !== undefined) {
    checkOptions('truncation', options.truncation, TRUNCATION);
    const { maxLength, stride, strategy, direction } = options.truncation;
    if (maxLength === undefined) throw invalidArgument('truncation.maxLength: undefined found, a whole number expected');
    checkCount('truncation.maxLength', maxLength);
    checkCount('truncation.stride', stride);
    checkChoice('truncation.strategy', strategy, ['longest_first', 'only_first', 'only_second']);
    checkChoice('truncation.direction', direction, ['right', 'left']);
  }
  if (options.padding !== undefined) {
    checkOptions('padding', options.padding, PADDING);
    const { length, longest, multipleOf, direction, padId, padToken, padTypeId } = options.padding;
    checkCount('padding.length', length);
    checkBoolean('padding.longest', longest);
    if (length !== undefined && longest === true) throw invalidArgument('padding: length and longest found, one of them expected');
    checkCount('padding.multipleOf', multipleOf);
    checkChoice('padding.direction', direction, ['right', 'left']);
    checkCount('padding.padId', padId);
    if (padToken !== undefined) checkText('padding.padToken', padToken);
    checkCount('padding.padTypeId', padTypeId);
  }
}

/** What WebAssembly reads as JSON: truncation and padding; "" where there is neither, which is quicker. */
function encodeOptionsJson({ truncation, padding }: EncodeOptions): string {
  return truncation || padding ? toJson({ truncation, padding }) : '';
}

export class BoundTokenizer implements Tokenizer {
  readonly #instance: Instance;
  readonly #handle: WasmTokenizer;
  readonly #tokens = new Map<number, string | null>();
  #info: TokenizerInfo;
  #special: Readonly<Record<string, number>>;
  /** Told of tokens that were added, so that others who hold the same tokenizer can follow. */
  onAdded: ((tokens: readonly AddedToken[]) => void) | undefined;

  constructor(instance: Instance, handle: WasmTokenizer) {
    this.#instance = instance;
    this.#handle = handle;
    this.#info = instance.call(() => handle.info());
    this.#special = Object.freeze(this.#info.special);
  }

  /** @param packed the tables that another instance wrote */
  static async unpack(compiled: WebAssembly.Module, packed: Uint8Array): Promise<BoundTokenizer> {
    const instance = await Instance.of(compiled);
    const length = instance.stage(packed);
    return new BoundTokenizer(
      instance,
      instance.call((module) => module.unpackTokenizer(length)),
    );
  }

  get kind(): Tokenizer['kind'] {
    return this.#info.kind;
  }

  get vocabSize(): number {
    return this.#info.vocabSize;
  }

  get special(): Readonly<Record<string, number>> {
    return this.#special;
  }

  /** @internal Of a text that the model can take, where the files tell; else undefined. */
  get modelMaxLength(): number | undefined {
    return this.#info.modelMaxLength;
  }

  /** @internal bos_token, eos_token, …, where the files name them. */
  get names(): Readonly<Record<string, string>> {
    return this.#info.names;
  }

  /** @internal */
  get handle(): WasmTokenizer {
    return this.#handle;
  }

  /** @internal */
  get hasChatTemplate(): boolean {
    return this.#info.chatTemplate !== '';
  }

  encode(text: string, options: EncodeOptions = {}): Encoding {
    checkText('text', text);
    checkEncodeOptions('encode', options);
    return this.#encode([text, options.pair], options)[0]!;
  }

  encodeBatch(texts: readonly (string | { text: string; pair?: string })[], options: EncodeOptions = {}): Encoding[] {
    if (!Array.isArray(texts)) throw invalidArgument(`texts: ${describe(texts)} found, a list expected`);
    checkEncodeOptions('encodeBatch', options);
    if (options.pair !== undefined)
      throw invalidArgument('encodeBatch: the option pair is for encode; here each text may have its own: { text, pair }');
    return this.#encode(
      texts.flatMap((item, i) => textAndPair(item, `texts[${i}]`)),
      options,
    );
  }

  /** @param texts text, pair, text, pair, … */
  #encode(texts: readonly (string | undefined)[], options: EncodeOptions): Encoding[] {
    const staged = this.#instance.stageTexts(texts.filter((text) => text !== undefined));
    let next = 0;
    const lengths = texts.map((text) => (text === undefined ? -1 : staged[next++]!));
    const flat = this.#instance.call(() => this.#handle.encode(lengths, options.addSpecialTokens ?? true, encodeOptionsJson(options)));
    return readEncodings(flat, (id) => this.#tokenOf(id) ?? '');
  }

  decode(ids: Ids, options: { skipSpecialTokens?: boolean } = {}): string {
    const list = toInt32('ids', ids);
    checkDecodeOptions('decode', options);
    return this.#instance.call(() => this.#handle.decode(list, options.skipSpecialTokens ?? true));
  }

  /** @internal As decode(), for tokens by their texts, some of which the vocabulary may not have. */
  decodeTokens(tokens: readonly string[]): string {
    return this.#instance.call(() => this.#handle.decodeTokens(tokens));
  }

  decodeStream(options: { skipSpecialTokens?: boolean } = {}): { push(ids: Ids): string; end(): string } {
    checkDecodeOptions('decodeStream', options);
    const stream = this.#instance.call(() => this.#handle.decodeStream(options.skipSpecialTokens ?? true));
    return {
      push: (ids) => {
        const list = toInt32('ids', ids);
        return this.#instance.call(() => stream.push(list));
      },
      end: () => this.#instance.call(() => stream.end()),
    };
  }

  idOf(token: string): number | undefined {
    checkText('token', token);
    const [length] = this.#instance.stageTexts([token]);
    const id = this.#instance.call(() => this.#handle.idOf(length!));
    return id < 0 ? undefined : id;
  }

  tokenOf(id: number): string | undefined {
    const [whole] = toInt32('id', [id]);
    return this.#tokenOf(whole!) ?? undefined;
  }

  #tokenOf(id: number): string | null {
    let token = this.#tokens.get(id);
    if (token === undefined) {
      token = this.#instance.call(() => this.#handle.tokenOf(id));
      this.#tokens.set(id, token);
    }
    return token;
  }

  addTokens(tokens: readonly AddedToken[]): number {
    if (!Array.isArray(tokens)) throw invalidArgument(`tokens: ${describe(tokens)} found, a list expected`);
    for (const [i, token] of tokens.entries()) {
      checkOptions(`tokens[${i}]`, token, ADDED_TOKEN);
      checkText(`tokens[${i}].content`, token.content);
      if (token.content === '') throw invalidArgument(`tokens[${i}].content: an empty text found, which no text could contain`);
      for (const name of ADDED_TOKEN.slice(1) as Exclude<keyof AddedToken, 'content'>[])
        checkBoolean(`tokens[${i}].${name}`, token[name]);
    }
    const added = this.#instance.call(() => this.#handle.addTokens(toJson(tokens)));
    this.#tokens.clear();
    this.#info = this.#instance.call(() => this.#handle.info());
    this.#special = Object.freeze(this.#info.special);
    this.onAdded?.(tokens);
    return added;
  }

  applyChatTemplate(messages: readonly ChatMessage[], options: { addGenerationPrompt?: boolean } = {}): string {
    checkOptions('applyChatTemplate', options, ['addGenerationPrompt']);
    checkBoolean('addGenerationPrompt', options.addGenerationPrompt);
    if (!this.hasChatTemplate) throw invalidArgument('applyChatTemplate: this tokenizer has no chat template');
    return applyTemplate(this.#info.chatTemplate, messages, {
      ...this.#info.names,
      add_generation_prompt: options.addGenerationPrompt ?? false,
    });
  }

  trace(text: string): ReturnType<Tokenizer['trace']> {
    checkText('text', text);
    const [length] = this.#instance.stageTexts([text]);
    return this.#instance.call(() => this.#handle.trace(length!));
  }

  save(): string {
    return this.#instance.call(() => this.#handle.save());
  }

  /** @internal The tables as one block, for unpack() in another instance. */
  pack(): Uint8Array {
    return this.#instance.call(() => this.#handle.pack());
  }
}

/** A text and its pair, from either form of a TextInput. */
export function textAndPair(item: unknown, name: string): [string, string | undefined] {
  if (typeof item === 'string') return [item, undefined];
  if (item === undefined || item === null) checkText(name, item);
  checkOptions(name, item as object, ['text', 'pair']);
  const { text, pair } = item as { text: unknown; pair?: unknown };
  checkText(`${name}.text`, text);
  if (pair !== undefined) checkText(`${name}.pair`, pair);
  return [text, pair];
}

function checkDecodeOptions(owner: string, options: { skipSpecialTokens?: boolean }): void {
  checkOptions(owner, options, ['skipSpecialTokens']);
  checkBoolean('skipSpecialTokens', options.skipSpecialTokens);
}

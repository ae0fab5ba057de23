// The same sentence cut by six kinds of tokenizers, each trained here on the same text.
import { trainTokenizer, type Tokenizer, type TokenizerKind } from 'webformer';
import { h } from '../dom';
import { createNotices } from '../notices';
import { controls, createRange } from './controls';
import { figureOf, type Part } from './lesson';
import { said, say } from './messages';

export const KINDS: readonly TokenizerKind[] = ['word', 'char', 'bpe', 'byte-bpe', 'wordpiece', 'unigram'];
const UNKNOWN = '[UNK]';
export const LEARNED_FROM = [
  'The old man has a beautiful garden. He is in the garden every day.', 'Where is the old station? The new station is near the river.',
  'I love the river, the garden and the old house.', 'She loves her new house and the lowest, newest and widest rooms in it.',
  'Nobody loves the lower rooms, they are older and colder.',
].join('\n');

/** Byte-level BPE knows every byte, so nothing is unknown to it. */
export const trained = (kind: TokenizerKind, text: string, vocabSize: number, signal: AbortSignal): Promise<Tokenizer> =>
  trainTokenizer(kind, text.split('\n'), {
    vocabSize, signal, ...kind !== 'byte-bpe' && { specialTokens: [UNKNOWN], unknownToken: UNKNOWN },
  });

export function createTokenFigure(): Part {
  let sentence = '';
  let running: AbortController | null = null;
  const redraw = () => void draw();
  const text = h('textarea', {
    id: 'tokens-text', class: 'lesson-text', rows: 4, spellcheck: 'false', dir: 'auto', maxlength: 20000, input: redraw,
  });
  text.value = LEARNED_FROM;
  const size = createRange('tokens.size', { min: 40, max: 400, step: 20, value: 80 }, String, redraw);
  const noticePlace = h('div', { class: 'notices', role: 'alert' });
  const notices = createNotices(noticePlace);
  const rows = h('tbody');

  async function draw(): Promise<void> {
    running?.abort();
    const { signal } = running = new AbortController();
    try {
      const made = [];
      for (const kind of KINDS) {
        const tokenizer = await trained(kind, text.value, kind === 'byte-bpe' ? size.value() + 256 : size.value(), signal);
        made.push({ kind, vocabulary: tokenizer.vocabSize, tokens: tokenizer.encode(sentence).tokens });
      }
      signal.throwIfAborted();
      notices.clear();
      rows.replaceChildren(...made.map(({ kind, vocabulary, tokens }) => h('tr', {}, h('th', { scope: 'row' }, kind),
        h('td', {}, h('span', { class: 'token-pieces', lang: 'en' }, ...tokens.map((token, i) =>
          h('bdi', { class: token === UNKNOWN ? 'token-unknown' : `tone-${i % 5}` }, token)))),
        h('td', { class: 'number' }, String(tokens.length)), h('td', { class: 'number' }, String(vocabulary)))));
    } catch (error) {
      if (!signal.aborted) notices.show(() => say('tokens.failed'), error);
    }
  }

  const column = (key: 'positions.kind' | 'tokens.pieces' | 'tokens.count' | 'tokens.vocabulary', isNumber = true) =>
    said('th', key, { scope: 'col', ...isNumber && { class: 'number' } });
  return {
    element: figureOf('tokens.figure', said('p', 'tokens.figure.lead', { class: 'hint' }),
      said('label', 'tokens.text', { for: text.id, class: 'hint' }), text, controls(size.element), noticePlace,
      h('div', { class: 'lesson-scroll', tabindex: 0, role: 'region', 'data-say-label': 'tokens.figure' },
        h('table', { class: 'lesson-table token-table' }, h('thead', {}, h('tr', {}, column('positions.kind', false),
          column('tokens.pieces', false), column('tokens.count'), column('tokens.vocabulary'))), rows))),
    show(next) {
      sentence = next;
      size.show();
      return draw();
    },
  };
}

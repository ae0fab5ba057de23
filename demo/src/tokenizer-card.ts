// One tokenizer's view of the text: counts, pieces, and the facts of the piece that is pointed at.
import type { Tokenizer } from 'webformer';
import { h } from './dom';
import { download } from './download';
import * as format from './format';
import { t } from './i18n';
import { moveOf } from './keys';
import { drawPieces, MAX_DRAWN, piecesOf, type Piece } from './pieces';

export interface TokenizerCard {
  element: HTMLElement;
  show(tokenizer: Tokenizer, text: string, specialTokens: boolean): void;
  clear(): void;
  /** Lights the pieces that hold any of the characters from `start` to `end`; null: none. */
  light(range: { start: number; end: number } | null): void;
}

/** `pointed` is called with the characters of the piece that the user points at, or null. */
export function createTokenizerCard(name: () => string, pointed: (range: { start: number; end: number } | null) => void): TokenizerCard {
  const title = h('h2', {}, name());
  const kind = h('p', { class: 'card-kind' });
  const total = h('p', { class: 'card-count' });
  const density = h('p', { class: 'card-density' });
  const place = h('div', { class: 'pieces', tabindex: 0, role: 'group', dir: 'auto', 'aria-describedby': 'pieces-help' });
  const detail = h('p', { class: 'piece-detail', role: 'status' });
  const save = h('button', { type: 'button', class: 'quiet', hidden: true, click: () => {
    if (shown) download('tokenizer.json', shown.save(), 'application/json');
  } });
  const element = h('article', { class: 'card' },
    h('header', { class: 'card-head' }, h('div', {}, title, kind), h('div', { class: 'card-numbers' }, total, density)), place,
    h('footer', { class: 'card-foot' }, detail, save));

  const nameAll = () => {
    title.textContent = name();
    place.ariaLabel = t('tokenize.pieces', { name: name() });
    save.textContent = t('tokenize.save');
    save.ariaLabel = t('tokenize.saveOf', { name: name() });
  };
  nameAll();

  let pieces: Piece[] = [];
  let drawn: HTMLElement[] = [];
  let text = '';
  let shown: Tokenizer | null = null;
  let current: number | null = null;

  function point(index: number | null): void {
    if (current !== null) drawn[current]?.classList.remove('pointed');
    current = index;
    const piece = index === null ? undefined : pieces[index];
    if (index !== null) {
      drawn[index].classList.add('pointed');
      drawn[index].scrollIntoView({ block: 'nearest' });
    }
    detail.textContent = piece ? describe(piece) : '';
    pointed(piece && piece.end > piece.start ? piece : null);
  }

  function describe({ index, token, id, start, end }: Piece): string {
    const where = end > start ? t('tokenize.characters', { start, end }) : t('tokenize.noCharacters');
    return [`${format.number(index + 1)}.`, `"${token}"`, `id ${id}`, where].join('  ');
  }

  const indexOf = (event: Event) => {
    const piece = (event.target as Element).closest<HTMLElement>('.piece');
    return piece ? Number(piece.dataset.index) : null;
  };
  place.addEventListener('pointerover', (event) => point(indexOf(event)));
  place.addEventListener('pointerleave', () => point(null));
  place.addEventListener('blur', () => point(null));
  place.addEventListener('keydown', (event) => {
    const last = drawn.length - 1;
    const from = current ?? -1;
    const move = moveOf(event);
    if (move === null || last < 0) return;
    event.preventDefault();
    point(Math.min(Math.max({ back: from - 1, forth: from + 1, first: 0, last }[move], 0), last));
  });

  return {
    element,
    show(tokenizer, newText, addSpecialTokens) {
      const encoding = tokenizer.encode(newText, { addSpecialTokens });
      text = newText;
      shown = tokenizer;
      save.hidden = false;
      pieces = piecesOf(encoding);
      drawn = drawPieces(pieces, text);
      current = null;
      nameAll();
      kind.textContent = t('tokenize.kind', { kind: tokenizer.kind, n: tokenizer.vocabSize });
      total.textContent = t('tokens', { n: pieces.length });
      const characters = [...newText].length;
      density.textContent = pieces.length > 0 ? t('tokenize.density', { n: format.number(characters / pieces.length, 2) }) : '';
      detail.textContent = '';
      place.replaceChildren(...drawn);
      const more = pieces.length - MAX_DRAWN;
      if (more > 0) place.append(h('span', { class: 'hint' }, t('tokenize.more', { n: more })));
    },
    clear() {
      [pieces, drawn, current, shown] = [[], [], null, null];
      save.hidden = true;
      for (const part of [kind, total, density, detail, place]) part.replaceChildren();
    },
    light(range) {
      drawn.forEach((element, i) => {
        const { start, end } = pieces[i];
        element.classList.toggle('lit', range !== null && start < range.end && end > range.start);
      });
    },
  };
}

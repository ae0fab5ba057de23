// The right-hand pane: each sentence's translation, growing while it is made. A sentence can be chosen, to see its alternatives.
import { h } from './dom';
import { onLanguage, t } from './i18n';
import type { Sentence } from './sentences';

export interface TranslationView {
  /** Makes room for these sentences; what stood there stays, paler, until it is replaced. */
  lay(sentences: readonly Sentence[]): void;
  /** What is sure of sentence `index`, and how its likeliest translation goes on. */
  stream(index: number, sure: string, draft: string): void;
  finish(index: number, text: string): void;
  /** No more will come: what is not finished goes, since it is no translation of what now stands on the left. Gives how many stay. */
  giveUp(): number;
  select(index: number): void;
  text(): string;
  clear(): void;
}

/** `chosen` is called with the sentence that the user points out. */
export function createTranslationView(place: HTMLElement, chosen: (index: number) => void): TranslationView {
  let cells: { sentence: HTMLElement; sure: Text; draft: HTMLElement; gap: string; space: Text; finished: boolean }[] = [];

  function createCell(index: number) {
    const sure = new Text();
    const draft = h('span', { class: 'draft' });
    const choose = () => chosen(index);
    const sentence = h('span', { class: 'sentence', click: choose, keydown: (event) => {
      const { key } = event as KeyboardEvent;
      if (key !== 'Enter' && key !== ' ') return;
      event.preventDefault();
      choose();
    } }, sure, draft);
    return { sentence, sure, draft, gap: '', space: new Text(), finished: false };
  }

  const select = (index: number) => {
    cells.forEach(({ sentence }, i) => { sentence.ariaPressed = cells.length > 1 ? String(i === index) : null; });
  };
  const spaceBehind = (index: number) => cells[index].gap || (index < cells.length - 1 ? ' ' : '');
  /** One sentence alone needs no choosing. */
  const makeButton = (sentence: HTMLElement) => {
    const several = cells.length > 1;
    sentence.role = several ? 'button' : null;
    sentence.title = several ? t('translate.choose') : '';
    if (several) sentence.tabIndex = 0;
    else sentence.removeAttribute('tabindex');
  };
  onLanguage(() => { for (const { sentence } of cells) if (sentence.title) sentence.title = t('translate.choose'); });
  return {
    lay(sentences) {
      while (cells.length < sentences.length) cells.push(createCell(cells.length));
      cells = cells.slice(0, sentences.length);
      sentences.forEach(({ gap }, i) => {
        cells[i].gap = gap;
        cells[i].finished = false;
        cells[i].sentence.classList.add('stale');
      });
      place.replaceChildren(...cells.flatMap(({ sentence, space }) => [sentence, space]));
      place.ariaBusy = 'true';
    },
    stream(index, sure, draft) {
      const cell = cells[index];
      cell.sentence.classList.remove('stale');
      cell.sure.data = sure;
      cell.draft.textContent = draft;
      cell.space.data = spaceBehind(index);
    },
    finish(index, text) {
      const cell = cells[index];
      cell.sentence.classList.remove('stale');
      cell.sure.data = text;
      cell.draft.textContent = '';
      cell.space.data = spaceBehind(index);
      cell.finished = true;
      makeButton(cell.sentence);
      place.ariaBusy = String(!cells.every(({ finished }) => finished));
    },
    giveUp() {
      cells = cells.filter(({ finished }) => finished);
      place.replaceChildren(...cells.flatMap(({ sentence, space }) => [sentence, space]));
      place.ariaBusy = 'false';
      return cells.length;
    },
    select,
    text: () => cells.map(({ sure }, i) => sure.data + spaceBehind(i)).join('').trimEnd(),
    clear() {
      cells = [];
      place.replaceChildren();
      place.ariaBusy = 'false';
    },
  };
}

// The words of a translation, and for the one that is pointed out the words of the source behind it.
import type { Alignment } from './alignment-data';
import { byId, h } from './dom';
import * as format from './format';
import { language, t } from './i18n';
import { moveOf } from './keys';

export interface AlignmentView {
  /** `word`: which word of the translation to point out, if it has so many. */
  show(alignment: Alignment | null, languages: { from: string; to: string }, word: number): void;
  clear(): void;
}

const NAMED = 3;
/** A weight that is not worth a name. */
const LEAST = 0.03;

/** `pointed` is called with the word that the user points out. */
export function createAlignment(pointed: (word: number) => void): AlignmentView {
  const target = byId('alignment-target', HTMLDivElement);
  const source = byId('alignment-source', HTMLDivElement);
  const about = byId('alignment-about', HTMLParagraphElement);
  let shown: Alignment | null = null;
  let buttons: HTMLButtonElement[] = [];
  let words: HTMLElement[] = [];
  let current = 0;

  const nameOf = (word: string) => (word === '' ? t('alignment.rest') : `“${word}”`);

  function point(index: number): void {
    if (!shown || !(index in shown.target)) return;
    current = index;
    const row = shown.weights[index];
    buttons.forEach((button, i) => {
      button.ariaPressed = String(i === index);
      button.tabIndex = i === index ? 0 : -1;
    });
    words.forEach((word, i) => word.style.setProperty('--weight', `${Math.round(row[i] * 100)}%`));
    const order = [...row.keys()].sort((a, b) => row[b] - row[a]);
    const [most] = order;
    words.forEach((word, i) => word.classList.toggle('most', i === most));
    const named = order.slice(0, NAMED).filter((i) => i === most || row[i] >= LEAST);
    const list = named.map((i) => `${nameOf(shown!.source[i])} ${format.percent(row[i])}`).join(', ');
    about.textContent = t('alignment.about', { word: shown.target[index], list });
  }

  function choose(index: number): void {
    point(index);
    pointed(index);
  }

  const indexOf = (event: Event) => buttons.indexOf((event.target as Element).closest('button')!);
  target.addEventListener('pointerover', (event) => { if (indexOf(event) >= 0) choose(indexOf(event)); });
  target.addEventListener('focusin', (event) => { if (indexOf(event) >= 0) choose(indexOf(event)); });
  target.addEventListener('keydown', (event) => {
    const move = moveOf(event);
    const last = buttons.length - 1;
    if (move === null || last < 0) return;
    event.preventDefault();
    buttons[Math.min(Math.max({ back: current - 1, forth: current + 1, first: 0, last }[move], 0), last)].focus();
  });

  return {
    show(alignment, languages, word) {
      shown = alignment;
      buttons = (alignment?.target ?? []).map((text) => h('button', { type: 'button', class: 'aligned', dir: 'auto' }, text));
      words = (alignment?.source ?? []).map((text) => (text === ''
        ? h('span', { class: 'aligned rest', lang: language() }, t('alignment.rest'))
        : h('span', { class: 'aligned', dir: 'auto' }, text)));
      [target.lang, source.lang] = [languages.to, languages.from];
      target.replaceChildren(...buttons);
      source.replaceChildren(...words);
      about.textContent = alignment ? '' : t('alignment.none');
      point(Math.min(word, buttons.length - 1));
    },
    clear() {
      [shown, buttons, words] = [null, [], []];
      for (const part of [target, source, about]) part.replaceChildren();
    },
  };
}

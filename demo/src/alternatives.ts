// The n-best list of one sentence, with scores.
import { byId, h } from './dom';
import * as format from './format';
import { onLanguage, t } from './i18n';

export interface Alternative { text: string; score: number }

export interface AlternativesView {
  show(sentence: string, alternatives: readonly Alternative[], chosen: string, language: string): void;
  clear(): void;
}

/** `use` is called with the text that the user prefers. */
export function createAlternatives(use: (text: string) => void): AlternativesView {
  const list = byId('alternatives', HTMLOListElement);
  const heading = byId('alternatives-sentence', HTMLParagraphElement);
  let shown: Parameters<AlternativesView['show']> | null = null;

  function row({ text, score }: Alternative, chosen: string, language: string): HTMLLIElement {
    const bar = h('span', { class: 'bar-fill' });
    bar.style.setProperty('--share', String(Math.exp(score)));
    return h('li', {}, h('button', { type: 'button', 'aria-pressed': String(text === chosen), click: () => use(text) },
      h('span', { class: 'alternative-text', lang: language, dir: 'auto' }, text),
      h('span', { class: 'bar-track', 'aria-hidden': 'true' }, bar),
      h('span', { class: 'alternative-score', title: t('translate.score') }, format.number(score, 3).replace('-', '−'))));
  }

  function render(): void {
    if (!shown) return list.replaceChildren();
    const [sentence, alternatives, chosen, language] = shown;
    heading.textContent = sentence;
    list.replaceChildren(...alternatives.map((one) => row(one, chosen, language)));
    if (alternatives.length === 1) list.append(h('li', { class: 'hint' }, t('translate.oneBeam')));
  }
  onLanguage(render);
  return {
    show(...next) {
      shown = next;
      render();
    },
    clear() {
      shown = null;
      heading.textContent = '';
      render();
    },
  };
}

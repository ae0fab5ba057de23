// What a step of the reading path is made of.
import { h } from '../dom';
import type { Tab } from '../tab-names';
import { said, type LessonKey } from './messages';

export interface Lesson {
  readonly element: HTMLElement;
  /** Draws for that sentence: when the step is shown, and when the sentence or the language has changed. */
  show(sentence: string, signal: AbortSignal): Promise<void> | void;
}

/** A part of a lesson that draws for the sentence. */
export interface Part { readonly element: HTMLElement; show(sentence: string, signal: AbortSignal): Promise<void> | void }

export const prose = (...keys: LessonKey[]): HTMLElement => h('div', { class: 'lesson-prose' }, ...keys.map((key) => said('p', key)));
/** `x_i` and `2^(-h)` become subscripts and superscripts. */
const typeset = (line: string): (Node | string)[] => line.split(/([_^](?:\([^)]*\)|[^\s_^(]))/).map((part) => {
  if (!/^[_^]./.test(part)) return part;
  return h(part[0] === '_' ? 'sub' : 'sup', {}, part.slice(1).replace(/^\((.*)\)$/, '$1'));
});
export const formula = (...lines: string[]): HTMLElement =>
  h('div', { class: 'lesson-formula', dir: 'ltr' }, ...lines.map((line) => h('p', {}, ...typeset(line))));

/** A link to another tab, with the sentence in it where that tab has one. */
export function otherTab(tab: Tab, text: LessonKey): Part {
  const link = said('a', text, { class: 'other-tab' });
  return {
    element: h('p', {}, link),
    show(sentence) { link.href = `#${tab}?${new URLSearchParams({ text: sentence })}`; },
  };
}

/** A titled part with what is to be seen in it. */
export function figureOf(title: LessonKey, ...children: (HTMLElement | null)[]): HTMLElement {
  const heading = said('h3', title);
  return h('section', { class: 'lesson-figure' }, heading, ...children);
}

/** A lesson of text and of parts, each of which draws by itself. */
export function lessonOf(...children: (HTMLElement | Part)[]): Lesson {
  const isPart = (child: HTMLElement | Part): child is Part => 'show' in child;
  const element = h('div', { class: 'lesson' }, ...children.map((child) => (isPart(child) ? child.element : child)));
  return {
    element,
    async show(sentence, signal) {
      for (const part of children.filter(isPart)) {
        await part.show(sentence, signal);
        signal.throwIfAborted();
      }
    },
  };
}

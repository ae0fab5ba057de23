// What the Learn tab says. Its messages come with it: the rest of the page does not need them.
import { h } from '../dom';
import { translator } from '../i18n';
import { en } from './text/en';
import { ko } from './text/ko';

export type LessonKey = keyof typeof en;
export const isLessonKey = (key: string): key is LessonKey => Object.hasOwn(en, key);
export const say = translator<LessonKey>({ en, ko });

/** An element that says `key` in the page's language once `translate` has come over it. */
export const said = <K extends keyof HTMLElementTagNameMap>(tag: K, key: LessonKey, attributes: Record<string, string> = {}) =>
  h(tag, { ...attributes, 'data-say': key });

export function translate(root: Element): void {
  const each = (name: string, use: (element: Element, text: string) => void) => {
    for (const element of root.querySelectorAll(`[${name}]`)) use(element, say(element.getAttribute(name) as LessonKey));
  };
  each('data-say', (element, text) => { element.textContent = text; });
  each('data-say-label', (element, text) => { element.ariaLabel = text; });
}

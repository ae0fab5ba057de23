// The page in the user's language: `t` for what scripts say, data-t attributes for what index.html says.
import { announce, byId } from '../dom';
import { listeners } from '../listeners';
import { chosenLanguage, rememberLanguage, type Language } from './choice';
import { en } from './en';
import { ko } from './ko';

export type MessageKey = keyof typeof en;

const changed = listeners<Language>();
let current: Language = 'en';

export const language = (): Language => current;
export const isMessage = (key: string): key is MessageKey => Object.hasOwn(en, key);

/** What stands in a message's places, by name. */
export type Values = Readonly<Record<string, string | number>>;

/**
 * What says messages by their keys, with `{name}` replaced by `values.name`, a number as people of the language write it.
 * `{name|token|tokens}`: the first word where that number is one of a thing, else the second.
 */
export function translator<Key extends string>(messages: Record<Language, Record<Key, string>>) {
  return (key: Key, values: Values = {}): string =>
    messages[current][key].replace(/\{(\w+)(?:\|([^|}]*)\|([^|}]*))?\}/g, (_, name: string, one?: string, several?: string) => {
      const value = values[name];
      if (one === undefined) return typeof value === 'number' ? value.toLocaleString(current) : value;
      return new Intl.PluralRules(current).select(Number(value)) === 'one' ? one : several!;
    });
}

/** The messages of the page, but for those that only the scripts of a tab say and that come with them. */
export const t = translator<MessageKey>({ en, ko });

/** Calls `show` now, and after each change of the language. */
export function onLanguage(show: () => void): void {
  changed.add(show);
  show();
}

const keyOf = (element: Element, attribute: string): MessageKey => {
  const key = element.getAttribute(attribute)!;
  if (!isMessage(key)) throw new Error(`no message ${key}`);
  return key;
};

function translatePage(): void {
  document.documentElement.lang = current;
  document.title = t('title');
  for (const element of document.querySelectorAll('[data-t]')) element.textContent = t(keyOf(element, 'data-t'));
  for (const element of document.querySelectorAll('[data-t-label]')) element.ariaLabel = t(keyOf(element, 'data-t-label'));
  for (const element of document.querySelectorAll('[data-t-placeholder]')) {
    element.setAttribute('placeholder', t(keyOf(element, 'data-t-placeholder')));
  }
}

export function setLanguage(next: Language): void {
  current = next;
  rememberLanguage(next);
  changed.call(next);
}

export function startLanguage(): void {
  current = chosenLanguage();
  onLanguage(() => {
    translatePage();
    announce('');    // what was said last was in the language before
    for (const name of ['en', 'ko'] as const) byId(`language-${name}`, HTMLButtonElement).ariaPressed = String(name === current);
  });
  for (const name of ['en', 'ko'] as const) byId(`language-${name}`, HTMLButtonElement).addEventListener('click', () => setLanguage(name));
}

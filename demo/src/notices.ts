// Errors and remarks, shown where the work is, and never in the way of it.
import { h } from './dom';
import { explain, isAborted } from './errors';
import { onLanguage, t } from './i18n';

export interface Notices {
  show(title: () => string, error: unknown): void;
  /** A remark that is no error. */
  tell(title: () => string, lines: () => readonly string[]): void;
  clear(): void;
}

/** One place for the error of a piece of work; `place` is a live region (role alert or status). An aborted call is no error. */
export function createNotices(place: HTMLElement): Notices {
  let shown: (() => HTMLElement) | null = null;
  const clear = () => {
    shown = null;
    place.replaceChildren();
  };
  const box = (kind: string, title: readonly (HTMLElement | string)[], ...rest: HTMLElement[]) => h('div', { class: kind },
    h('div', {}, h('p', { class: 'notice-title' }, ...title), ...rest),
    h('button', { type: 'button', class: 'quiet', click: clear }, t('close')));
  const render = () => { if (shown) place.replaceChildren(shown()); };
  onLanguage(render);
  return {
    clear,
    show(title, error) {
      if (isAborted(error)) return;
      shown = () => {
        const { code, message, advice } = explain(error);
        return box('notice', [h('strong', {}, title()), h('code', {}, code)],
          h('p', { class: 'notice-message', lang: 'en' }, message), h('p', { class: 'notice-advice' }, advice));
      };
      render();
    },
    tell(title, lines) {
      shown = () => box('notice remark', [h('strong', {}, title())], ...lines().map((line) => h('p', {}, line)));
      render();
    },
  };
}

// Errors, shown where the work is, and never in the way of it.
import { h } from './dom';
import { explain, isAborted } from './errors';
import { onLanguage, t } from './i18n';

export interface Notices { show(title: () => string, error: unknown): void; clear(): void }

/** One place for the error of a piece of work; `place` is a live region (role alert). An aborted call is no error. */
export function createNotices(place: HTMLElement): Notices {
  let shown: { title: () => string; error: unknown } | null = null;
  const clear = () => {
    shown = null;
    place.replaceChildren();
  };
  const render = () => {
    if (!shown) return;
    const { code, message, advice } = explain(shown.error);
    place.replaceChildren(h('div', { class: 'notice' },
      h('div', {},
        h('p', { class: 'notice-title' }, h('strong', {}, shown.title()), h('code', {}, code)),
        h('p', { class: 'notice-message', lang: 'en' }, message),
        h('p', { class: 'notice-advice' }, advice)),
      h('button', { type: 'button', class: 'quiet', click: clear }, t('close'))));
  };
  onLanguage(render);
  return {
    clear,
    show(title, error) {
      if (isAborted(error)) return;
      shown = { title, error };
      render();
    },
  };
}

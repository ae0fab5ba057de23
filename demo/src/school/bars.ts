// Names with a bar and a number each.
import { h } from '../dom';

export interface Bar { readonly name: string; readonly share: number; readonly told: string }

/** `share`: of the full bar, 0 to 1; below zero there is none. */
export function showBars(list: HTMLOListElement, bars: readonly Bar[]): void {
  list.replaceChildren(...bars.map(({ name, share, told }) => {
    const fill = h('span', { class: 'bar-fill' });
    fill.style.setProperty('--share', String(Math.max(share, 0)));
    return h('li', {}, h('bdi', {}, name), h('span', { class: 'bar-track', 'aria-hidden': 'true' }, fill), h('span', {}, told));
  }));
}

export const barList = (): HTMLOListElement => h('ol', { class: 'weight-bars' });

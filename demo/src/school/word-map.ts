// Word vectors as a map: the two directions in which they differ most. It is zoomed and moved by buttons or keys.
import { h } from '../dom';
import { svg } from '../svg';
import { button, controls } from './controls';
import { principal } from './principal';
import { say } from './messages';

export interface WordMap { readonly element: HTMLElement; show(words: readonly string[], vectors: readonly Float32Array[]): void }

/** `picked` hears of the word that the user chose. */
export function createWordMap(picked: (word: string) => void): WordMap {
  const picture = svg('svg', { class: 'word-map', viewBox: '-1.2 -1.2 2.4 2.4', tabindex: 0, role: 'group' });
  let zoom = 1;
  let center = { x: 0, y: 0 };

  function frame(): void {
    const half = 1.2 / zoom;
    picture.setAttribute('viewBox', `${center.x - half} ${center.y - half} ${2 * half} ${2 * half}`);
    picture.style.setProperty('--size', String(0.07 / zoom));
  }
  const zoomBy = (factor: number) => {
    zoom = Math.min(Math.max(zoom * factor, 1), 16);
    if (zoom === 1) center = { x: 0, y: 0 };
    frame();
  };
  const move = (x: number, y: number) => {
    const most = 1.2 - 1.2 / zoom;
    const within = (value: number) => Math.min(Math.max(value, -most), most);
    center = { x: within(center.x + x * 0.3 / zoom), y: within(center.y + y * 0.3 / zoom) };
    frame();
  };
  picture.addEventListener('keydown', (event) => {
    const acts: Record<string, () => void> = {
      '+': () => zoomBy(1.5), '=': () => zoomBy(1.5), '-': () => zoomBy(1 / 1.5),
      ArrowLeft: () => move(-1, 0), ArrowRight: () => move(1, 0), ArrowUp: () => move(0, -1), ArrowDown: () => move(0, 1),
    };
    const act = acts[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  });
  return {
    element: h('div', { class: 'word-map-part' }, picture,
      controls(button('map.in', () => zoomBy(1.5)), button('map.out', () => zoomBy(1 / 1.5)))),
    show(all, vectors) {
      const axes = principal(vectors);
      const most = axes.reduce((size, [x, y]) => Math.max(size, Math.abs(x), Math.abs(y)), 1e-9);
      picture.setAttribute('aria-label', say('map.label', { n: all.length }));
      picture.replaceChildren(...all.map((word, i) => {
        const text = svg('text', { x: axes[i][0] / most, y: axes[i][1] / most });
        text.textContent = word;
        text.addEventListener('click', () => picked(word));
        return text;
      }));
      frame();
    },
  };
}

// All heads at a glance: a small picture of each, in rows of layers. One is chosen.
import type { Kind, Reading } from './attention-data';
import { t } from './attention-messages';
import { createCellGrid } from './cell-grid';
import { h } from './dom';
import { onTheme } from './theme';

export interface HeadsView { show(reading: Reading, kind: Kind): void; choose(layer: number, head: number): void; clear(): void }

/** `chosen` is called with the head that the user picks. */
export function createHeads(place: HTMLElement, chosen: (layer: number, head: number) => void): HeadsView {
  const grid = createCellGrid(place, chosen);
  let redraw = () => {};
  onTheme(() => redraw());

  function picture(reading: Reading, kind: Kind, layer: number, head: number): [HTMLCanvasElement, () => void] {
    const { rows, columns, weights } = reading.head(kind, layer, head);
    const canvas = h('canvas', { width: columns, height: rows });
    return [canvas, () => {
      const context = canvas.getContext('2d')!;
      context.clearRect(0, 0, columns, rows);
      context.fillStyle = getComputedStyle(canvas).color;
      weights.forEach((weight, i) => {
        context.globalAlpha = weight;
        context.fillRect(i % columns, Math.floor(i / columns), 1, 1);
      });
    }];
  }

  return {
    show(reading, kind) {
      const draws: (() => void)[] = [];
      const cells = Array.from({ length: reading.layers(kind) }, (_, layer) => Array.from({ length: reading.heads }, (_, head) => {
        const [canvas, draw] = picture(reading, kind, layer, head);
        draws.push(draw);
        const label = t('attention.head', { layer: layer + 1, head: head + 1 });
        const click = () => grid.pick(layer, head);
        return h('div', { role: 'gridcell', class: 'head-cell', tabindex: -1, 'aria-label': label, title: label, click }, canvas);
      }));
      place.replaceChildren(...cells.map((row, layer) =>
        h('div', { role: 'row' }, h('span', { role: 'rowheader', class: 'head-layer' }, String(layer + 1)), ...row)));
      grid.set(cells);
      redraw = () => { for (const draw of draws) draw(); };
      redraw();
    },
    choose: (layer, head) => grid.choose(layer, head),
    clear() {
      grid.set([]);
      redraw = () => {};
      place.replaceChildren();
    },
  };
}

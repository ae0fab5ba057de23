// All heads at a glance: a small picture of each, in rows of layers. One is chosen.
import type { Kind, Reading } from './attention-data';
import { h } from './dom';
import { cellAfter, type Cell } from './grid-keys';
import { t } from './i18n';
import { onTheme } from './theme';

export interface HeadsView { show(reading: Reading, kind: Kind): void; choose(layer: number, head: number): void; clear(): void }

/** `chosen` is called with the head that the user picks. */
export function createHeads(place: HTMLElement, chosen: (layer: number, head: number) => void): HeadsView {
  let cells: HTMLElement[][] = [];
  let redraw = () => {};
  let at: Cell = { row: 0, column: 0 };
  onTheme(() => redraw());

  const pick = (row: number, column: number) => {
    chosen(row, column);
    cells[row]?.[column]?.focus();
  };
  place.addEventListener('keydown', (event) => {
    const next = cells.length > 0 && cellAfter(event, at, cells.length, cells[0].length);
    if (!next) return;
    event.preventDefault();
    pick(next.row, next.column);
  });

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
      cells = Array.from({ length: reading.layers(kind) }, (_, layer) => Array.from({ length: reading.heads }, (_, head) => {
        const [canvas, draw] = picture(reading, kind, layer, head);
        draws.push(draw);
        const label = t('attention.head', { layer: layer + 1, head: head + 1 });
        const click = () => pick(layer, head);
        return h('div', { role: 'gridcell', class: 'head-cell', tabindex: -1, 'aria-label': label, title: label, click }, canvas);
      }));
      place.replaceChildren(...cells.map((row, layer) =>
        h('div', { role: 'row' }, h('span', { role: 'rowheader', class: 'head-layer' }, String(layer + 1)), ...row)));
      redraw = () => { for (const draw of draws) draw(); };
      redraw();
    },
    choose(layer, head) {
      at = { row: layer, column: head };
      cells.forEach((row, i) => row.forEach((cell, j) => {
        const isChosen = i === layer && j === head;
        cell.ariaSelected = String(isChosen);
        cell.tabIndex = isChosen ? 0 : -1;
      }));
    },
    clear() {
      cells = [];
      redraw = () => {};
      place.replaceChildren();
    },
  };
}

// The beams as a picture: a column a step, the best on top, a line from each token to those that were tried behind it.
import type { BeamNode, BeamTree } from './beam-data';
import { byId, h } from './dom';
import * as format from './format';
import { cellAfter } from './grid-keys';
import { t } from './i18n';
import { svg } from './svg';

export interface BeamTreeView { show(tree: BeamTree, language: string): void; clear(): void }

/** All of rem: of a column and a row, and of a token's box in it. */
const COLUMN = 7.25, ROW = 3, BOX = 5.75;

const minus = (value: number, digits: number) => format.number(value, digits).replace('-', '−');

function line({ parent, step, rank, chosen, fate }: BeamNode): SVGElement {
  const [x, y] = [(step - 1) * COLUMN + BOX, (parent!.rank + 0.5) * ROW];
  const [toX, toY] = [step * COLUMN, (rank + 0.5) * ROW];
  const middle = (x + toX) / 2;
  return svg('path', {
    d: `M${x} ${y}C${middle} ${y} ${middle} ${toY} ${toX} ${toY}`, class: chosen ? 'chosen' : fate, 'vector-effect': 'non-scaling-stroke',
  });
}

export function createBeamTree(): BeamTreeView {
  const place = byId('beam-tree', HTMLDivElement);
  const about = byId('beam-about', HTMLParagraphElement);
  let tree: BeamTree = [];
  let cells = new Map<BeamNode, HTMLElement>();
  let current: BeamNode | null = null;

  function point(node: BeamNode, focus = false): void {
    if (current) {
      const before = cells.get(current);
      if (before) before.tabIndex = -1;
    }
    current = node;
    for (const [other, cell] of cells) cell.ariaSelected = String(other === node);
    const cell = cells.get(node)!;
    cell.tabIndex = 0;
    if (focus) cell.focus();
    const values = { step: node.step + 1, rank: node.rank + 1, token: node.token, probability: format.percent(node.probability),
      score: minus(node.score, 2), text: node.text };
    about.textContent = `${t('beamTree.about', values)} ${t(`beamTree.${node.chosen && node.fate === 'complete' ? 'chosen' : node.fate}`)}`;
  }

  function move(event: KeyboardEvent): void {
    if (!current) return;
    const ranks = Math.max(...tree.map((step) => step.length));
    const to = cellAfter(event, { row: current.rank, column: current.step }, ranks, tree.length);
    if (!to) return;
    event.preventDefault();
    const step = tree[to.column];
    point(step[Math.min(to.row, step.length - 1)], true);
  }

  place.addEventListener('keydown', move);
  return {
    show(next, language) {
      tree = next;
      cells = new Map();
      current = null;
      const ranks = Math.max(0, ...tree.map((step) => step.length));
      const rows = Array.from({ length: ranks }, (_, rank) => h('div', { role: 'row', class: 'beam-row' }, ...tree.map((step) => {
        const node = step[rank] as BeamNode | undefined;
        if (!node) return h('span', { role: 'gridcell', class: 'beam-gap' });
        const cell = h('span', {
          role: 'gridcell', class: `beam-node ${node.chosen ? 'chosen' : node.fate}`, tabindex: -1, title: node.text,
          click: () => point(node, true), focus: () => { if (current !== node) point(node); }, pointerenter: () => point(node),
        },
        h('span', { class: 'beam-token', lang: language, dir: 'auto' }, node.token),
        h('span', { class: 'beam-score' }, minus(node.score, 2)));
        cells.set(node, cell);
        return cell;
      })));
      const width = tree.length * COLUMN, height = ranks * ROW;
      const lines = svg('svg', { viewBox: `0 0 ${width} ${height}`, 'aria-hidden': 'true' },
        ...tree.flat().filter(({ parent }) => parent).sort((a, b) => Number(a.chosen) - Number(b.chosen)).map(line));
      place.style.setProperty('--width', `${width}rem`);
      place.style.setProperty('--height', `${height}rem`);
      place.replaceChildren(lines, ...rows);
      about.textContent = '';
      const end = tree.flat().findLast(({ chosen }) => chosen);
      if (end) point(end);
    },
    clear() {
      [tree, current] = [[], null];
      cells = new Map();
      place.replaceChildren();
      about.textContent = '';
    },
  };
}

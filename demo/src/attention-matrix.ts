// One head as a matrix: a row for each query, a column for each key, the darker the more weight.
import type { Head } from './attention-data';
import { t } from './attention-messages';
import { createCellGrid } from './cell-grid';
import { h } from './dom';
import * as format from './format';

export interface MatrixView {
  show(head: Head, queries: readonly string[], keys: readonly string[]): void;
  choose(query: number, key: number): void;
  clear(): void;
}

/** `chosen` is called with the cell that the user picks. */
export function createMatrix(place: HTMLElement, chosen: (query: number, key: number) => void): MatrixView {
  const grid = createCellGrid(place, chosen);
  let headers: { rows: HTMLElement[]; columns: HTMLElement[] } = { rows: [], columns: [] };

  function cellOf(query: string, key: string, weight: number, row: number, column: number): HTMLElement {
    const label = t('attention.cell', { query, key, weight: format.percent(weight) });
    const click = () => grid.pick(row, column);
    const cell = h('div', { role: 'gridcell', class: 'matrix-cell', tabindex: -1, 'aria-label': label, title: label, click });
    cell.style.setProperty('--weight', `${weight * 100}%`);
    return cell;
  }

  return {
    show({ rows, columns, weights }, queries, keys) {
      place.style.setProperty('--columns', String(columns));
      const cells = Array.from({ length: rows }, (_, row) => Array.from({ length: columns }, (_, column) =>
        cellOf(queries[row], keys[column], weights[row * columns + column], row, column)));
      grid.set(cells);
      headers = {
        rows: queries.map((name) => h('div', { role: 'rowheader', class: 'matrix-query', dir: 'auto', title: name }, name)),
        columns: keys.map((name) => h('div', { role: 'columnheader', class: 'matrix-key', title: name }, h('bdi', {}, name))),
      };
      place.replaceChildren(
        h('div', { role: 'row' }, h('div', { role: 'columnheader', class: 'matrix-corner' }), ...headers.columns),
        ...cells.map((row, i) => h('div', { role: 'row' }, headers.rows[i], ...row)));
    },
    choose(query, key) {
      grid.choose(query, key);
      headers.rows.forEach((header, i) => header.classList.toggle('chosen', i === query));
      headers.columns.forEach((header, j) => header.classList.toggle('chosen', j === key));
    },
    clear() {
      grid.set([]);
      place.replaceChildren();
    },
  };
}

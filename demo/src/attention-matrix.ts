// One head as a matrix: a row for each query, a column for each key, the darker the more weight.
import type { Head } from './attention-data';
import { h } from './dom';
import * as format from './format';
import { cellAfter, type Cell } from './grid-keys';
import { t } from './i18n';

export interface MatrixView {
  show(head: Head, queries: readonly string[], keys: readonly string[]): void;
  choose(query: number, key: number): void;
  clear(): void;
}

/** `chosen` is called with the cell that the user picks. */
export function createMatrix(place: HTMLElement, chosen: (query: number, key: number) => void): MatrixView {
  let cells: HTMLElement[][] = [];
  let headers: { rows: HTMLElement[]; columns: HTMLElement[] } = { rows: [], columns: [] };
  let at: Cell = { row: 0, column: 0 };

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

  function cellOf(query: string, key: string, weight: number, row: number, column: number): HTMLElement {
    const label = t('attention.cell', { query, key, weight: format.percent(weight) });
    const click = () => pick(row, column);
    const cell = h('div', { role: 'gridcell', class: 'matrix-cell', tabindex: -1, 'aria-label': label, title: label, click });
    cell.style.setProperty('--weight', `${weight * 100}%`);
    return cell;
  }

  return {
    show({ rows, columns, weights }, queries, keys) {
      place.style.setProperty('--columns', String(columns));
      cells = Array.from({ length: rows }, (_, row) => Array.from({ length: columns }, (_, column) =>
        cellOf(queries[row], keys[column], weights[row * columns + column], row, column)));
      headers = {
        rows: queries.map((name) => h('div', { role: 'rowheader', class: 'matrix-query', dir: 'auto', title: name }, name)),
        columns: keys.map((name) => h('div', { role: 'columnheader', class: 'matrix-key', title: name }, h('bdi', {}, name))),
      };
      place.replaceChildren(
        h('div', { role: 'row' }, h('div', { role: 'columnheader', class: 'matrix-corner' }), ...headers.columns),
        ...cells.map((row, i) => h('div', { role: 'row' }, headers.rows[i], ...row)));
    },
    choose(query, key) {
      at = { row: query, column: key };
      cells.forEach((row, i) => row.forEach((cell, j) => {
        const isChosen = i === query && j === key;
        cell.ariaSelected = String(isChosen);
        cell.tabIndex = isChosen ? 0 : -1;
      }));
      headers.rows.forEach((header, i) => header.classList.toggle('chosen', i === query));
      headers.columns.forEach((header, j) => header.classList.toggle('chosen', j === key));
    },
    clear() {
      cells = [];
      place.replaceChildren();
    },
  };
}

// Numbers as a grid of coloured cells: one colour above zero, another below, the stronger the farther away. The chosen cell is told.
import { createCellGrid } from '../cell-grid';
import { h } from '../dom';
import { figure } from '../format';
import { say } from './messages';

export interface Grid {
  /** Row-major, `columns` in a row. */
  readonly values: ArrayLike<number>;
  readonly columns: number;
  readonly rowNames: readonly string[];
  /** Where there are none, columns are counted, and named in words alone. */
  readonly columnNames?: readonly string[];
  /** What has the full colour. Default: the largest there is. */
  readonly most?: number;
  /** Cells whose number is written in them, as with few there is room for. */
  readonly written?: boolean;
  readonly digits?: number;
}

export interface ValueGrid {
  readonly element: HTMLElement;
  show(grid: Grid): void;
  choose(row: number, column: number): void;
  clear(): void;
}

/** `told` says what the chosen cell is; `picked` hears of the user's choice. */
export function createValueGrid(options: {
  label: () => string; told?: (row: number, column: number, value: number, grid: Grid) => string;
  picked?: (row: number, column: number) => void;
}): ValueGrid {
  const place = h('div', { class: 'value-grid', role: 'grid' });
  const about = h('p', { class: 'value-about', role: 'status' });
  let shown: Grid | null = null;
  let at = { row: 0, column: 0 };
  const cellName = ({ rowNames, columnNames }: Grid, row: number, column: number) =>
    say('grid.cell', { row: rowNames[row], column: columnNames?.[column] ?? String(column) });
  const tell = (row: number, column: number) => {
    if (!shown) return;
    const value = shown.values[row * shown.columns + column];
    about.textContent = options.told?.(row, column, value, shown) ?? `${cellName(shown, row, column)}: ${figure(value, shown.digits)}`;
  };
  const choose = (row: number, column: number) => {
    at = { row, column };
    grid.choose(row, column);
    tell(row, column);
  };
  const grid = createCellGrid(place, (row, column) => {
    choose(row, column);
    options.picked?.(row, column);
  });

  function cellOf(next: Grid, most: number, row: number, column: number): HTMLElement {
    const value = next.values[row * next.columns + column];
    const isWritten = next.written === true;
    const written = figure(value, next.digits ?? (isWritten ? 2 : undefined));
    const cell = h('div', {
      role: 'gridcell', class: `value-cell${value < 0 ? ' below' : ''}`, tabindex: -1,
      'aria-label': `${cellName(next, row, column)}: ${written}`, click: () => grid.pick(row, column),
    }, isWritten && h('span', {}, written));
    const share = most > 0 ? Math.min(Math.abs(value) / most, 1) : 0;
    cell.style.setProperty('--weight', `${(Number.isFinite(value) ? share * (isWritten ? 60 : 100) : 0).toFixed(2)}%`);
    return cell;
  }

  return {
    element: h('div', { class: 'value-part' }, place, about),
    choose,
    show(next) {
      const rows = next.rowNames.length;
      const isSameSize = shown?.columns === next.columns && shown.rowNames.length === rows;
      const hadFocus = place.contains(document.activeElement);
      shown = next;
      let most = next.most ?? 0;
      if (next.most === undefined) {
        for (const value of Array.from(next.values)) if (Number.isFinite(value)) most = Math.max(most, Math.abs(value));
      }
      place.ariaLabel = options.label();
      place.classList.toggle('written', next.written === true);
      place.style.setProperty('--columns', String(next.columns));
      const cells = next.rowNames.map((_, row) => Array.from({ length: next.columns }, (__, column) => cellOf(next, most, row, column)));
      const heads = next.columnNames && h('div', { role: 'row' }, h('span', { role: 'columnheader' }),
        ...next.columnNames.map((name) => h('span', { role: 'columnheader', class: 'value-column' }, h('bdi', {}, name))));
      place.replaceChildren(...heads ? [heads] : [], ...cells.map((line, row) => h('div', { role: 'row' },
        h('span', { role: 'rowheader', class: 'value-row' }, h('bdi', {}, next.rowNames[row])), ...line)));
      grid.set(cells);
      if (!isSameSize) at = { row: Math.min(at.row, rows - 1), column: Math.min(at.column, next.columns - 1) };
      if (rows > 0 && next.columns > 0) {
        choose(at.row, at.column);
        if (hadFocus) cells[at.row][at.column].focus();
      } else about.textContent = '';
    },
    clear() {
      shown = null;
      grid.set([]);
      place.replaceChildren();
      about.textContent = '';
    },
  };
}

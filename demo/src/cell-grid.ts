// A grid of cells, one of which is chosen by click or by the keys that move among them.
import { cellAfter, type Cell } from './grid-keys';

export interface CellGrid {
  /** The user's choice of a cell. */
  pick(row: number, column: number): void;
  /** Shows which cell is chosen. */
  choose(row: number, column: number): void;
  /** The cells in rows; none: there is nothing to choose. */
  set(cells: HTMLElement[][]): void;
}

/** `chosen` is called with the cell that the user picks, which then has the focus. */
export function createCellGrid(place: HTMLElement, chosen: (row: number, column: number) => void): CellGrid {
  let cells: HTMLElement[][] = [];
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

  return {
    pick,
    choose(row, column) {
      at = { row, column };
      cells.forEach((line, i) => line.forEach((cell, j) => {
        const isChosen = i === row && j === column;
        cell.ariaSelected = String(isChosen);
        cell.tabIndex = isChosen ? 0 : -1;
      }));
    },
    set(next) { cells = next; },
  };
}

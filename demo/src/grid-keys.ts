// The keys that move among the cells of a grid, as in the ARIA Authoring Practices.

export interface Cell { row: number; column: number }

/** Where a key moves from `at` in a grid of that size; null: it does not. */
export function cellAfter({ key, altKey, ctrlKey, metaKey }: KeyboardEvent, at: Cell, rows: number, columns: number): Cell | null {
  if (altKey || metaKey) return null;
  const { row, column } = at;
  const last = columns - 1;
  const clamp = (value: number, most: number) => Math.min(Math.max(value, 0), most);
  switch (key) {
    case 'ArrowLeft': return { row, column: clamp(column - 1, last) };
    case 'ArrowRight': return { row, column: clamp(column + 1, last) };
    case 'ArrowUp': return { row: clamp(row - 1, rows - 1), column };
    case 'ArrowDown': return { row: clamp(row + 1, rows - 1), column };
    case 'Home': return { row: ctrlKey ? 0 : row, column: 0 };
    case 'End': return { row: ctrlKey ? rows - 1 : row, column: last };
    default: return null;
  }
}

// The keys that move among things in the order in which they are read.

export type Move = 'back' | 'forth' | 'first' | 'last';

const MOVES: Readonly<Record<string, Move>> = { ArrowLeft: 'back', ArrowRight: 'forth', Home: 'first', End: 'last' };
const MIRRORED: Readonly<Record<string, Move>> = { ...MOVES, ArrowLeft: 'forth', ArrowRight: 'back' };

/** How the key moves; null where it does not, or has another use with Alt, Control or the like (Alt+Left goes back to the page before). */
export function moveOf(event: KeyboardEvent): Move | null {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return null;
  const isLeftwards = getComputedStyle(event.currentTarget as Element).direction === 'rtl';
  return (isLeftwards ? MIRRORED : MOVES)[event.key] ?? null;
}

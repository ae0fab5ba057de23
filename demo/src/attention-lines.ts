// One head as lines from each query on the left to the keys on the right, the stronger the more weight. The matrix says the same to readers
// that see no lines, and to the keyboard.
import type { Head } from './attention-data';
import { h } from './dom';
import { svg } from './svg';

export interface LinesView {
  show(head: Head, queries: readonly string[], keys: readonly string[]): void;
  choose(query: number, key: number): void;
  clear(): void;
}

/** Weaker lines could not be seen. */
const FAINTEST = 0.02;
/** Both of a unit that the picture stretches: across, and down for each token. */
const WIDTH = 100;
const STEP = 10;

/** `chosen` is called with the query or the key that the user points out. */
export function createLines(place: HTMLElement, chosen: (which: { query: number } | { key: number }) => void): LinesView {
  let left: HTMLElement[] = [], right: HTMLElement[] = [];
  let lines: { query: number; line: SVGLineElement }[] = [];

  const tokens = (names: readonly string[], choose: (index: number) => void) =>
    names.map((name, i) => h('span', { class: 'line-token', dir: 'auto', title: name, click: () => choose(i) }, name));
  const middle = (index: number) => (index + 0.5) * STEP;

  return {
    show({ rows, columns, weights }, queries, keys) {
      left = tokens(queries, (index) => chosen({ query: index }));
      right = tokens(keys, (index) => chosen({ key: index }));
      lines = Array.from(weights, (weight, i) => ({ weight, query: Math.floor(i / columns), key: i % columns }))
        .filter(({ weight }) => weight >= FAINTEST)
        .map(({ weight, query, key }) => ({ query, line: svg('line', {
          x1: 0, y1: middle(query), x2: WIDTH, y2: middle(key), 'stroke-opacity': weight, 'vector-effect': 'non-scaling-stroke',
        }) }));
      const height = Math.max(rows, columns) * STEP;
      place.style.setProperty('--rows', String(Math.max(rows, columns)));
      place.replaceChildren(h('div', { class: 'line-tokens' }, ...left),
        svg('svg', { viewBox: `0 0 ${WIDTH} ${height}`, preserveAspectRatio: 'none' }, ...lines.map(({ line }) => line)),
        h('div', { class: 'line-tokens' }, ...right));
    },
    choose(query, key) {
      left.forEach((token, i) => token.classList.toggle('chosen', i === query));
      right.forEach((token, i) => token.classList.toggle('chosen', i === key));
      for (const one of lines) one.line.classList.toggle('chosen', one.query === query);
    },
    clear() {
      [left, right, lines] = [[], [], []];
      place.replaceChildren();
    },
  };
}

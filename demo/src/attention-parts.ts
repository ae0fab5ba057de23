// One weight taken apart: query, key, their product, scale, mask, softmax, and what of the value it lets through.
import type { Row } from './attention-data';
import { t } from './attention-messages';
import { h } from './dom';
import * as format from './format';
import { svg } from './svg';

export interface PartsView { show(row: Row, query: string, keys: readonly string[], column: number): void; clear(): void }

const { figure } = format;

/** Numbers as a strip of colours: one colour above zero, another below, the stronger the farther away. */
function strip(values: Float32Array): HTMLElement {
  const most = values.reduce((all, value) => Math.max(all, Math.abs(value)), 0) || 1;
  const cells = Array.from(values, (value, i) =>
    svg('rect', { x: i, width: 1, height: 1, class: value < 0 ? 'below' : 'above', 'fill-opacity': Math.abs(value) / most }));
  const range = { n: values.length, least: figure(Math.min(...values)), most: figure(Math.max(...values)) };
  const label = t('attention.numbers', range);
  const picture = svg('svg', {
    viewBox: `0 0 ${values.length} 1`, preserveAspectRatio: 'none', class: 'strip', role: 'img', 'aria-label': label,
  }, ...cells);
  return h('div', { class: 'strip-line' }, picture, h('span', { class: 'strip-range' }, t('attention.range', range)));
}

const step = (title: string, ...rest: (HTMLElement | null)[]) => h('li', {}, h('h3', {}, title), ...rest);
const result = (text: string) => h('p', { class: 'part-result' }, text);

/** Every key of the row, for a softmax is over them all. */
function softmaxTable({ dots, scale, visible, weights }: Row, keys: readonly string[], column: number): HTMLElement {
  const rows = keys.map((key, i) => {
    const fill = h('span', { class: 'bar-fill' });
    fill.style.setProperty('--share', String(weights[i]));
    const score = !visible[i] ? '−∞' : dots ? figure(dots[i] * scale) : '–';
    return h('tr', { class: i === column && 'chosen' },
      h('th', { scope: 'row' }, h('bdi', {}, key)),
      h('td', { class: 'number' }, score),
      h('td', { class: 'part-bar' }, h('span', { class: 'bar-track', 'aria-hidden': 'true' }, fill)),
      h('td', { class: 'number' }, format.percent(weights[i])));
  });
  return h('table', { class: 'softmax' },
    h('thead', {}, h('tr', {},
      h('th', { scope: 'col' }, t('attention.key')), h('th', { scope: 'col', class: 'number' }, t('attention.score')),
      h('th', { scope: 'col', colspan: 2, class: 'number' }, t('attention.weight')))),
    h('tbody', {}, ...rows));
}

const product = (a: Float32Array, b: Float32Array) => a.map((value, i) => value * b[i]);

/** Why some of the steps are missing; null: none is. */
function missing({ keys, dots }: Row): HTMLElement | null {
  if (dots) return null;
  return h('p', { class: 'hint' }, t(keys ? 'attention.otherScores' : 'attention.noKeys'));
}

export function createParts(place: HTMLElement): PartsView {
  return {
    show(row, query, keys, column) {
      const key = keys[column], names = { query, key };
      const { dots, scale, visible } = row;
      const weight = row.weights[column];
      const seen = visible[column];
      place.replaceChildren(...[
        step(t('attention.step.query', names), strip(row.query)),
        row.keys && step(t('attention.step.key', names), strip(row.keys[column])),
        row.keys && dots && step(t('attention.step.dot'),
          strip(product(row.query, row.keys[column])), result(`q · k = ${figure(dots[column])}`)),
        dots && step(t('attention.step.scale', { n: row.query.length }),
          result(`${figure(dots[column])} × ${figure(scale)} = ${figure(dots[column] * scale)}`)),
        step(t('attention.step.mask'), result(t(seen ? 'attention.seen' : 'attention.hidden', names))),
        step(t('attention.step.softmax'), softmaxTable(row, keys, column), missing(row)),
        row.values && step(t('attention.step.value', { ...names, weight: format.percent(weight) }),
          strip(row.values[column]), strip(row.values[column].map((value) => value * weight))),
        step(t('attention.step.context', names), strip(row.context)),
      ].filter((one) => one !== null));
    },
    clear() { place.replaceChildren(); },
  };
}

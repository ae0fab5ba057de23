// Why sines and cosines: a shift by k positions turns every pair by k times its angle, wherever it stands. That is one matrix.
import { positionalEncoding } from 'webformer';
import { h } from '../dom';
import { figure } from '../format';
import { svg } from '../svg';
import { controls, createRange } from './controls';
import { figureOf, type Part } from './lesson';
import { said, say } from './messages';

const WIDTH = 16;
const LENGTH = 64;

export interface Shift {
  readonly omega: number;
  readonly from: readonly [number, number];
  readonly to: readonly [number, number];
  readonly turned: readonly [number, number];
}

/** The pair at p, the pair at p + k of the table, and the first turned by the matrix of k. Pairs are (sin, cos). */
export async function shiftOf(pair: number, position: number, by: number): Promise<Shift> {
  const { data } = await positionalEncoding('sinusoidal', { length: LENGTH, width: WIDTH });
  const at = (p: number): [number, number] => [data[p * WIDTH + 2 * pair], data[p * WIDTH + 2 * pair + 1]];
  const omega = 10000 ** (-2 * pair / WIDTH), from = at(position);
  const cos = Math.cos(by * omega), sin = Math.sin(by * omega);
  return { omega, from, to: at(position + by), turned: [cos * from[0] + sin * from[1], -sin * from[0] + cos * from[1]] };
}

const arm = ([x, y]: readonly [number, number], name: string) => svg('g', { class: name },
  svg('line', { x1: 0, y1: 0, x2: y, y2: -x }), svg('circle', { cx: y, cy: -x, r: 0.06 }));

export function createRotation(): Part {
  const redraw = () => void draw();
  const pair = createRange('rotation.pair', { min: 0, max: WIDTH / 2 - 1, value: 1 }, (i) => `${2 * i}, ${2 * i + 1}`, redraw);
  const position = createRange('rotation.position', { min: 0, max: 31, value: 3 }, String, redraw);
  const by = createRange('rotation.by', { min: 0, max: 31, value: 5 }, String, redraw);
  const picture = svg('svg', { viewBox: '-1.25 -1.25 2.5 2.5', class: 'rotation-circle', 'aria-hidden': 'true' });
  const rows = h('tbody');
  const about = h('p', { class: 'lesson-result', role: 'status' });

  async function draw(): Promise<void> {
    const k = by.value(), p = position.value(), shift = await shiftOf(pair.value(), p, k);
    const ground = svg('circle', { cx: 0, cy: 0, r: 1, class: 'rotation-ground' });
    picture.replaceChildren(ground, arm(shift.from, 'rotation-from'), arm(shift.to, 'rotation-to'));
    const angle = k * shift.omega;
    const line = (name: string, ...numbers: number[]) => h('tr', {}, h('th', { scope: 'row' }, name),
      ...numbers.map((value) => h('td', { class: 'number' }, figure(value, 6))));
    rows.replaceChildren(
      line(`PE(${p})`, ...shift.from), line(`PE(${p + k})`, ...shift.to), line(`M(${k}) · PE(${p})`, ...shift.turned));
    about.textContent = say('rotation.told', {
      k, omega: figure(shift.omega, 4), angle: figure(angle, 4), degrees: figure(angle * 180 / Math.PI, 1),
      cos: figure(Math.cos(angle)), sin: figure(Math.sin(angle)), less: figure(-Math.sin(angle)),
    });
  }

  return {
    element: figureOf('rotation.title', said('p', 'rotation.lead', { class: 'hint' }),
      controls(pair.element, position.element, by.element),
      h('div', { class: 'rotation' }, picture, h('div', {},
        h('table', { class: 'lesson-table' },
          h('thead', {}, h('tr', {}, h('td'), ...['sin', 'cos'].map((name) => h('th', { scope: 'col', class: 'number' }, name)))), rows),
        about))),
    show() {
      for (const range of [pair, position, by]) range.show();
      return draw();
    },
  };
}

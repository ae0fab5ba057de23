// Step: norms. LayerNorm and RMSNorm on the reader's own vector.
import { createLayer, type Tensor } from 'webformer';
import { h } from '../dom';
import { figure } from '../format';
import { controls, createRange } from './controls';
import { createExercise, readNumber } from './exercise';
import { figureOf, formula, lessonOf, prose, type Lesson, type Part } from './lesson';
import { said, say } from './messages';
import { createValueGrid } from './value-grid';

const MOST = 12;
const FIRST = '3, −1, 4, 1, −5, 9, 2, 6';

/** Numbers parted by spaces or commas with a space; null: one of them is none. */
export function readVector(text: string): Float32Array | null {
  const numbers = text.trim().split(/[\s;]+|,\s+/).filter(Boolean).map((part) => readNumber(part.replace(/,$/, '')));
  if (numbers.length === 0 || numbers.length > MOST || numbers.includes(null)) return null;
  return Float32Array.from(numbers as number[]);
}

export async function normed(kind: 'layerNorm' | 'rmsNorm', x: Float32Array, gain = 1, shift = 0): Promise<Float32Array> {
  const fill = (value: number): Tensor => ({ data: new Float32Array(x.length).fill(value), shape: [x.length] });
  const weights = new Map([['weight', fill(gain)], ...kind === 'layerNorm' ? [['bias', fill(shift)] as const] : []]);
  const layer = await createLayer(kind, { normalized_shape: x.length }, weights);
  const { output } = await layer.forward({ input: { data: x, shape: [1, x.length] } });
  layer.dispose();
  return output.data;
}

const meanOf = (x: Float32Array) => x.reduce((sum, value) => sum + value, 0) / x.length;
const rmsOf = (x: Float32Array) => Math.sqrt(x.reduce((sum, value) => sum + value * value, 0) / x.length);

function createNorms(): Part {
  let turn = 0;
  const redraw = () => void draw();
  const input = h('input', { type: 'text', id: 'norms-vector', class: 'norms-vector', value: FIRST, autocomplete: 'off', maxlength: 120,
    'aria-describedby': 'norms-error', input: redraw });
  const error = h('p', { class: 'field-error', id: 'norms-error', role: 'alert' });
  const times = createRange('norms.times', { min: 0.25, max: 4, step: 0.25, value: 1 }, (value) => figure(value, 2), redraw);
  const plus = createRange('norms.plus', { min: -10, max: 10, value: 0 }, (value) => figure(value, 0), redraw);
  const gain = createRange('norms.gain', { min: 0, max: 2, step: 0.1, value: 1 }, (value) => figure(value, 1), redraw);
  const shift = createRange('norms.shift', { min: -2, max: 2, step: 0.1, value: 0 }, (value) => figure(value, 1), redraw);
  const grid = createValueGrid({ label: () => say('norms.figure') });
  const measures = h('tbody');
  async function draw(): Promise<void> {
    const mine = ++turn;
    const typed = readVector(input.value);
    error.textContent = typed ? '' : say('norms.error', { n: MOST });
    input.ariaInvalid = String(!typed);
    if (!typed) return;
    const x = typed.map((value) => value * times.value() + plus.value());
    const layer = await normed('layerNorm', x, gain.value(), shift.value());
    const rms = await normed('rmsNorm', x, gain.value());
    if (mine !== turn) return;
    const rows = [['x', x], ['LayerNorm', layer], ['RMSNorm', rms]] as const;
    const values = rows.flatMap(([, row]) => Array.from(row));
    grid.show({ values, columns: x.length, rowNames: rows.map(([name]) => name), written: true, digits: 2 });
    measures.replaceChildren(...rows.map(([name, row]) => {
      const mean = meanOf(row);
      const numbers = [mean, Math.sqrt(meanOf(row.map((value) => (value - mean) ** 2))), rmsOf(row)];
      return h('tr', {}, h('th', { scope: 'row' }, name), ...numbers.map((value) => h('td', { class: 'number' }, figure(value))));
    }));
  }
  const column = (key: 'norms.mean' | 'norms.deviation' | 'norms.rms') => said('th', key, { scope: 'col', class: 'number' });
  return {
    element: figureOf('norms.figure', said('p', 'norms.figure.lead', { class: 'hint' }),
      h('div', { class: 'control inline' }, said('label', 'norms.vector', { for: input.id }), input), error,
      controls(times.element, plus.element, gain.element, shift.element), grid.element,
      h('table', { class: 'lesson-table' },
        h('thead', {}, h('tr', {}, h('td'), column('norms.mean'), column('norms.deviation'), column('norms.rms'))), measures)),
    show() {
      for (const range of [times, plus, gain, shift]) range.show();
      return draw();
    },
  };
}

export const normsLesson = (): Lesson => lessonOf(
  prose('norms.what'),
  formula('LayerNorm(x) = γ ⊙ (x − μ) / √(σ^2 + ε) + β', 'RMSNorm(x) = γ ⊙ x / √(mean(x^2) + ε)'),
  prose('norms.why'),
  createNorms(),
  createExercise({
    id: 'norms.exercise', kind: 'number', answer: async () => Math.round((await normed('layerNorm', Float32Array.of(1, 5)))[0]),
  }),
);

// Step: feed-forward. What happens within a token, and the curves that make it more than a matrix.
import { figure } from '../format';
import { activated, ACTIVATIONS, gated } from './activation-data';
import { controls, createCheck, createRange } from './controls';
import { createExercise } from './exercise';
import { figureOf, formula, lessonOf, prose, type Lesson, type Part } from './lesson';
import { said, say } from './messages';
import { createPlot } from './plot';

const STEP = 0.125;
const X = Float32Array.from({ length: 65 }, (_, i) => -4 + i * STEP);
const NAMES = { relu: 'ReLU', gelu: 'GELU', silu: 'SiLU' } as const;

/** How steep it is between its neighbours. */
const slopesOf = (values: Float32Array): (number | null)[] =>
  Array.from(values, (_, i) => (i > 0 && i < values.length - 1 ? (values[i + 1] - values[i - 1]) / (2 * STEP) : null));

function createCurves(): Part {
  let turn = 0;
  const redraw = () => void draw();
  const up = createRange('activations.up', { min: -2, max: 2, step: 0.25, value: -0.5 }, (value) => figure(value, 2), redraw);
  const slope = createCheck('activations.slope', false, redraw);
  const plot = createPlot({
    label: () => say('activations.curves'), xName: () => 'x', yName: () => say(slope.value() ? 'activations.slope' : 'activations.output'),
    xDigits: 3, digits: 4,
  });
  async function draw(): Promise<void> {
    const mine = ++turn;
    const plain = await Promise.all(ACTIVATIONS.map((name) => activated(name, X)));
    const all = [...plain, await gated('silu', X, up.value()), await gated('gelu', X, up.value())];
    if (mine !== turn) return;
    const u = figure(up.value(), 2);
    const names = [...ACTIVATIONS.map((name) => NAMES[name]), `SwiGLU, u = ${u}`, `GeGLU, u = ${u}`];
    plot.show({ x: X, curves: all.map((values, i) => ({ name: names[i], values: slope.value() ? slopesOf(values) : values })) });
  }
  return {
    element: figureOf('activations.curves', said('p', 'activations.curves.lead', { class: 'hint' }),
      controls(up.element, slope.element), plot.element),
    show() {
      up.show();
      return draw();
    },
  };
}

export const activationsLesson = (): Lesson => lessonOf(
  prose('activations.what', 'activations.why'),
  formula('FFN(x) = act(x W_1 + b_1) W_2 + b_2', 'SwiGLU(x) = (SiLU(x W_g) ⊙ x W_u) W_d'),
  createCurves(),
  createExercise({
    id: 'activations.exercise', kind: 'number', within: 0.002, answer: async () => (await activated('silu', Float32Array.of(1)))[0],
  }),
);

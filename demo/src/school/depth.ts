// Step: depth. What residuals and the place of the norm do to the gradient.
import { controls, createRange } from './controls';
import { gradientsOf, lengthOf, PLACES, WIDTH } from './depth-data';
import { createExercise } from './exercise';
import { figureOf, formula, lessonOf, prose, type Lesson, type Part } from './lesson';
import { said, say } from './messages';
import { createPlot } from './plot';
import { readForTales } from './position-data';

const TOKENS = 5;

function createGradientPlot(): Part {
  let start: { data: Float32Array; shape: number[] } | null = null;
  let read = '';
  let running: AbortController | null = null;
  const layers = createRange('depth.layers', { min: 2, max: 24, value: 12 }, String, () => void draw());
  const plot = createPlot({
    label: () => say('depth.gradient'), xName: () => say('depth.layer'), yName: () => say('depth.length'), logY: true, digits: 4,
  });
  async function draw(): Promise<void> {
    if (!start) return;
    running?.abort();
    const { signal } = running = new AbortController();
    const count = layers.value(), curves = [];
    try {
      for (const place of PLACES) {
        const values = (await gradientsOf(place, start, count, signal)).map((gradient) => lengthOf(gradient) || null);
        curves.push({ name: say(`depth.${place}`), values });
      }
    } catch (error) {
      if (!signal.aborted) throw error;
      return;
    }
    plot.show({ x: Array.from({ length: count + 1 }, (_, i) => i), curves });
  }
  return {
    element: figureOf('depth.gradient', said('p', 'depth.gradient.lead', { class: 'hint' }), controls(layers.element), plot.element),
    async show(text, signal) {
      layers.show();
      if (read !== text || !start) {
        const { embedding: { data, shape: [rows, width] } } = await readForTales(text, signal);
        const length = Math.min(rows, TOKENS);
        const first = Float32Array.from({ length: length * WIDTH }, (_, i) => data[Math.floor(i / WIDTH) * width + i % WIDTH]);
        const rms = lengthOf(first) / Math.sqrt(first.length);
        [start, read] = [{ data: first.map((value) => value / rms), shape: [1, length, WIDTH] }, text];
      }
      await draw();
    },
  };
}

export const depthLesson = (): Lesson => lessonOf(
  prose('depth.what'),
  formula('y = x + F(x),    ∂y/∂x = 1 + ∂F/∂x'),
  prose('depth.places'),
  formula('post-norm: x ← Norm(x + F(x))', 'pre-norm: x ← x + F(Norm(x))'),
  createGradientPlot(),
  prose('depth.see'),
  createExercise({ id: 'depth.exercise', kind: 'number', answer: () => 1.1 ** 10 }),
);

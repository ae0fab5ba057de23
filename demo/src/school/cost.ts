// Step: cost. Operations and memory against length, with and without the cache; and what this machine needs.
import type { Model } from 'webformer';
import { h } from '../dom';
import { figure, number } from '../format';
import { button } from './controls';
import { cacheBytes, LENGTHS, measure, operationsOf, scoreBytes, shapeOf, tileBytes, type Measured } from './cost-data';
import { createExercise } from './exercise';
import { figureOf, lessonOf, prose, type Lesson, type Part } from './lesson';
import { said, say } from './messages';
import { createPlot } from './plot';
import { openTales } from './position-data';

let tales: Model;

function createPlots(): Part {
  const operations = createPlot({
    label: () => say('cost.operations'), xName: () => say('cost.tokens'), yName: () => say('cost.millions'), logX: true, logY: true,
  });
  const memory = createPlot({
    label: () => say('cost.memory'), xName: () => say('cost.tokens'), yName: () => 'kB', logX: true, logY: true, digits: 1,
  });
  return {
    element: h('div', { class: 'lesson' },
      figureOf('cost.operations', said('p', 'cost.operations.lead', { class: 'hint' }), operations.element),
      figureOf('cost.memory', said('p', 'cost.memory.lead', { class: 'hint' }), memory.element)),
    async show() {
      tales = await openTales();
      const shape = shapeOf(tales);
      const curve = (name: string, of: (length: number) => number) => ({ name, values: LENGTHS.map(of) });
      operations.show({ x: LENGTHS, curves: [
        curve(say('cost.without'), (n) => operationsOf(shape, n, n) / 1e6), curve(say('cost.with'), (n) => operationsOf(shape, 1, n) / 1e6),
      ] });
      memory.show({ x: LENGTHS, curves: [
        curve(say('cost.scores'), (n) => scoreBytes(shape, n) / 1e3), curve(say('cost.tile'), () => tileBytes(shape) / 1e3),
        curve(say('cost.cache'), (n) => cacheBytes(shape, n) / 1e3),
      ] });
    },
  };
}

function createMeasure(): Part {
  let measured: Measured[] = [];
  let running: AbortController | null = null;
  const rows = h('tbody');
  const run = button('cost.measure', () => void start(), { class: 'primary' });
  const stop = button('cost.stop', () => running?.abort(), { disabled: true });
  const render = () => rows.replaceChildren(...measured.map(({ length, whole, step }) => h('tr', {},
    h('th', { scope: 'row' }, number(length)),
    ...[whole, step, whole / step].map((value) => h('td', { class: 'number' }, figure(value, 2))))));
  async function start(): Promise<void> {
    running = new AbortController();
    [run.disabled, stop.disabled] = [true, false];
    stop.focus();
    measured = [];
    try {
      await measure(tales, running.signal, (one) => {
        measured = [...measured, one];
        render();
      });
    } catch (error) {
      if (!running.signal.aborted) throw error;
    }
    [run.disabled, stop.disabled] = [false, true];
    run.focus();
  }
  const column = (key: 'cost.tokens' | 'cost.whole' | 'cost.step' | 'cost.ratio', isNumber = true) =>
    said('th', key, { scope: 'col', ...isNumber && { class: 'number' } });
  return {
    element: figureOf('cost.here', said('p', 'cost.here.lead', { class: 'hint' }), h('div', { class: 'actions' }, run, stop),
      h('table', { class: 'lesson-table cost-table' },
        h('thead', {}, h('tr', {}, column('cost.tokens', false), column('cost.whole'), column('cost.step'), column('cost.ratio'))), rows)),
    show: render,
  };
}

export const costLesson = (): Lesson => lessonOf(
  prose('cost.what', 'cost.cached'),
  createPlots(),
  createMeasure(),
  createExercise({
    id: 'cost.exercise', kind: 'number', digits: 0, within: 0,
    values: () => ({ layers: tales.info.layers, width: tales.info.width }), answer: () => cacheBytes(shapeOf(tales), 1) / 4,
  }),
);

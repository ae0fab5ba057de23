// The variance of q k, what softmax makes of it, and the same on the reader's sentence.
import { attention } from 'webformer';
import { h } from '../dom';
import { figure, percent } from '../format';
import { barList, showBars } from './bars';
import { button, controls, createCheck, createRange } from './controls';
import { figureOf, type Part } from './lesson';
import { said, say } from './messages';
import { createPlot } from './plot';
import { projected, readForTales, type Sentence } from './position-data';
import { KEYS, measuresOf, productsOf, rowOf, SIZES, varianceOf } from './score-data';
import { createValueGrid } from './value-grid';

export function createVariancePlot(): Part {
  const plot = createPlot({
    label: () => say('scores.variance'), xName: () => say('scores.size'), yName: () => say('scores.varianceOf'), logX: true, logY: true,
  });
  let variances: number[] | null = null;
  return {
    element: figureOf('scores.variance', said('p', 'scores.variance.lead', { class: 'hint' }), plot.element),
    async show() {
      variances ??= (await Promise.all(SIZES.map(productsOf))).map(varianceOf);
      plot.show({ x: SIZES, curves: [
        { name: say('scores.off'), values: variances }, { name: say('scores.on'), values: variances.map((value, i) => value / SIZES[i]) },
      ] });
    },
  };
}

export function createSoftmaxRow(): Part {
  let seed = 1;
  let turn = 0;
  const redraw = () => void draw();
  const size = createRange('scores.size', { min: 0, max: SIZES.length - 1, value: 5 }, (i) => String(SIZES[i]), redraw);
  const scale = createCheck('scores.scale', false, redraw);
  const list = barList();
  const about = h('p', { class: 'lesson-result', role: 'status' });
  async function draw(): Promise<void> {
    const mine = ++turn;
    const row = await rowOf(SIZES[size.value()], scale.value(), seed);
    if (mine !== turn) return;
    showBars(list, Array.from(row.weights, (share, i) => ({ name: `k${i}: ${figure(row.scores[i], 2)}`, share, told: percent(share) })));
    about.textContent = say('scores.measures', {
      entropy: figure(row.entropy, 2), most: figure(Math.log2(KEYS), 2), slope: figure(row.slope, 4),
      top: percent(Math.max(...row.weights)),
    });
  }
  return {
    element: figureOf('scores.softmax', said('p', 'scores.softmax.lead', { class: 'hint' }),
      controls(size.element, scale.element, button('scores.again', () => {
        seed++;
        redraw();
      })), list, about),
    show() {
      size.show();
      return draw();
    },
  };
}

/** The scale on the sentence: 1/sqrt(d) is what the model uses. */
export function createSentenceScale(): Part {
  let sentence: Sentence | null = null;
  let usual = 0;
  let turn = 0;
  const redraw = () => void draw();
  const head = createRange('positions.head', { min: 1, max: 4, value: 1 }, (value) => `${value} / 4`, redraw);
  const scale = createRange('scores.times', { min: -2, max: 4, step: 0.5, value: 0 }, (value) =>
    say('scores.scaled', { factor: figure(2 ** value, 2), scale: figure(usual * 2 ** value) }), redraw);
  const about = h('p', { class: 'lesson-result', role: 'status' });
  const grid = createValueGrid({
    label: () => say('scores.sentence'),
    told(row, column, value) {
      const { tokens } = sentence!;
      return say('scores.cell', { query: tokens[row], key: tokens[column], weight: percent(value) });
    },
  });
  async function draw(): Promise<void> {
    if (!sentence) return;
    const mine = ++turn;
    const { query, key } = await projected('rope', sentence, head.value() - 1);
    usual = 1 / Math.sqrt(query.shape[1]);
    const { weights } = await attention(query, key, key, { causal: true, scale: usual * 2 ** scale.value() });
    if (mine !== turn) return;
    scale.show();
    const { tokens } = sentence, last = weights.data.slice(-tokens.length);
    grid.show({
      values: weights.data, columns: tokens.length, rowNames: tokens, columnNames: tokens, most: 1, written: tokens.length <= 8,
    });
    const { entropy, slope } = measuresOf(last);
    about.textContent = say('scores.measures', {
      entropy: figure(entropy, 2), most: figure(Math.log2(tokens.length), 2), slope: figure(slope, 4), top: percent(Math.max(...last)),
    });
  }
  return {
    element: figureOf('scores.sentence', said('p', 'scores.sentence.lead', { class: 'hint' }),
      controls(head.element, scale.element), grid.element, about),
    async show(text, signal) {
      head.show();
      sentence = await readForTales(text, signal);
      await draw();
    },
  };
}

// Attention in four matrices on the reader's sentence, a head of the tale teller's first layer at a time.
import { attention, createLayer, type Tensor } from 'webformer';
import { figure } from '../format';
import { controls, createChoice, createRange } from './controls';
import { figureOf, type Part } from './lesson';
import { said, say, type LessonKey } from './messages';
import { headOf, MAX_TOKENS, projected, projectionsOf, readForTales, type Sentence } from './position-data';
import { createValueGrid, type Grid } from './value-grid';
import { weightOf } from './weights';

export const STAGES = ['same', 'products', 'scaled', 'weights', 'mixed'] as const;
export type Stage = typeof STAGES[number];

/** a b^T of rows, by a linear layer whose rows are those of b. */
async function productsOf(a: Tensor, b: Tensor): Promise<Float32Array> {
  const [rows, size] = b.shape;
  const layer = await createLayer('linear', { in_features: size, out_features: rows, bias: false }, new Map([['weight', b]]));
  const { output } = await layer.forward({ input: a });
  layer.dispose();
  return output.data;
}

async function valuesOf({ model, embedding }: Sentence, head: number): Promise<Tensor> {
  const { norm, size } = await projectionsOf(model), { width } = model.info;
  const weight = (await weightOf(model, 'layers.0.self_attn.v_proj.weight'))!;
  const layer = await createLayer('linear', { in_features: width, out_features: width, bias: false }, new Map([['weight', weight]]));
  const { output } = await layer.forward({ input: (await norm.forward({ input: embedding })).output });
  layer.dispose();
  return headOf(output, head, size);
}

/** The matrix of a stage: [T,T], or the mixed values [T,d]. */
export async function stageOf(stage: Stage, sentence: Sentence, head: number): Promise<Float32Array> {
  const { norm } = await projectionsOf(sentence.model);
  if (stage === 'same') {
    const { output } = await norm.forward({ input: sentence.embedding });
    return productsOf(output, output);
  }
  const { query, key } = await projected('rope', sentence, head);
  if (stage === 'products' || stage === 'scaled') {
    const products = await productsOf(query, key);
    return stage === 'products' ? products : products.map((value) => value / Math.sqrt(query.shape[1]));
  }
  const { output, weights } = await attention(query, key, await valuesOf(sentence, head), { causal: true });
  return stage === 'weights' ? weights.data : output.data;
}

export function createAttentionFigure(): Part {
  let sentence: Sentence | null = null;
  let turn = 0;
  const redraw = () => void draw();
  const stage = createChoice<Stage>('attend.stage', STAGES.map((name) => [name, `attend.stage.${name}` as LessonKey]), redraw);
  stage.set('products');
  const head = createRange('positions.head', { min: 1, max: 4, value: 1 }, (value) => `${value} / 4`, redraw);
  const about = said('p', 'attend.about.products', { class: 'hint lesson-about' });
  const cut = said('p', 'positions.cut', { class: 'hint' });
  const grid = createValueGrid({
    label: () => say('attend.figure'),
    told(row, column, value) {
      const { tokens } = sentence!;
      if (stage.value() === 'mixed') return say('attend.number', { token: tokens[row], i: column, value: figure(value) });
      return say('attend.cell', { query: tokens[row], key: tokens[column], value: figure(value) });
    },
  });
  async function draw(): Promise<void> {
    if (!sentence) return;
    const mine = ++turn, name = stage.value();
    const values = await stageOf(name, sentence, head.value() - 1);
    if (mine !== turn) return;
    head.element.hidden = name === 'same';
    about.dataset.say = `attend.about.${name}`;
    about.textContent = say(about.dataset.say as LessonKey);
    const { tokens } = sentence, length = tokens.length;
    const common: Grid = { values, columns: values.length / length, rowNames: tokens };
    grid.show(name === 'mixed' ? common : { ...common, columnNames: tokens, written: length <= 8 });
  }
  return {
    element: figureOf('attend.figure', said('p', 'attend.figure.lead', { class: 'hint' }), controls(stage.element, head.element), about,
      grid.element, cut),
    async show(text, signal) {
      head.show();
      sentence = await readForTales(text, signal);
      cut.textContent = say('positions.cut', { n: MAX_TOKENS });
      cut.hidden = !sentence.cut;
      await draw();
    },
  };
}

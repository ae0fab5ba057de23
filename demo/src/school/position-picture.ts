// The five ways of telling positions, each as a picture of its table.
import { createLayer, positionalEncoding, type Model, type Tensor } from 'webformer';
import { figure } from '../format';
import { allItems, openModel } from '../models';
import { controls, createChoice, createRange } from './controls';
import { figureOf, type Part } from './lesson';
import { said, say, type LessonKey } from './messages';
import { createValueGrid, type Grid } from './value-grid';
import { weightOf } from './weights';

const KINDS = ['sinusoidal', 'learned', 'rope', 'alibi', 't5'] as const;
type Kind = typeof KINDS[number];
const HEADS = 4;

/** The learned table of a model on the page that has one (BERT, GPT-2), else one before any training. */
async function learnedTable(length: number, width: number): Promise<{ table: Tensor; from: string | null }> {
  const learns = (model: Model | undefined) => model && ['bert', 'roberta', 'gpt2', 'distilbert'].includes(model.info.modelType);
  const item = allItems().find(({ id, model }) => id === 'fill-mask' || learns(model));
  if (item) {
    const model = await openModel(item);
    const whole = await weightOf(model, 'position_embeddings.weight') ?? await weightOf(model, 'wpe.weight');
    if (whole && whole.shape[0] >= length) {
      const data = new Float32Array(length * width);
      for (let p = 0; p < length; p++) data.set(whole.data.subarray(p * whole.shape[1], p * whole.shape[1] + width), p * width);
      return { table: { data, shape: [length, width] }, from: item.name };
    }
  }
  const layer = await createLayer('embedding', { num_embeddings: length, embedding_dim: width });
  const { output } = await layer.forward({ input: { data: Float32Array.from({ length }, (_, i) => i), shape: [length] } });
  layer.dispose();
  return { table: output, from: null };
}

const counted = (count: number, from = 0) => Array.from({ length: count }, (_, i) => String(i + from));

export function createPositionPicture(): Part {
  let running: AbortController | null = null;
  let untrained: { table: Tensor; from: string | null } | null = null;
  const redraw = () => void draw();
  const kind = createChoice<Kind>('positions.kind', KINDS.map((name) => [name, `positions.kind.${name}` as LessonKey]), redraw);
  const length = createRange('positions.length', { min: 4, max: 24, value: 16 }, String, redraw);
  const width = createRange('positions.width', { min: 4, max: 48, step: 4, value: 32 }, String, redraw);
  const head = createRange('positions.head', { min: 1, max: HEADS, value: 1 }, (value) => `${value} / ${HEADS}`, redraw);
  const about = said('p', 'positions.about.sinusoidal', { class: 'hint lesson-about' });
  const grid = createValueGrid({
    label: () => say(`positions.kind.${kind.value()}`),
    told: (row, column, value) =>
      say(`positions.cell.${kind.value()}`, { row, column, half: Math.floor(column / 2), value: figure(value) }),
  });

  async function tableOf(): Promise<Grid> {
    const T = length.value(), C = width.value();
    const positions = counted(T);
    switch (kind.value()) {
      case 'sinusoidal':
        return { values: (await positionalEncoding('sinusoidal', { length: T, width: C })).data, columns: C, rowNames: positions, most: 1 };
      case 'learned': {
        if (untrained?.table.shape[0] !== T || untrained.table.shape[1] !== C) untrained = await learnedTable(T, C);
        return { values: untrained.table.data, columns: C, rowNames: positions };
      }
      case 'rope': {    // cosine and sine of each pair beside each other
        const { data } = await positionalEncoding('rope', { length: T, width: C });
        const half = C / 2;
        const values = Float32Array.from({ length: T * C }, (_, i) =>
          data[(i % 2) * T * half + Math.floor(i / C) * half + Math.floor((i % C) / 2)]);
        return { values, columns: C, rowNames: positions, most: 1 };
      }
      case 'alibi': {
        const { data } = await positionalEncoding('alibi', { length: T, heads: HEADS });
        const first = (head.value() - 1) * T * T;
        return { values: data.slice(first, first + T * T), columns: T, rowNames: positions, columnNames: positions, most: T / 4 };
      }
      case 't5':
        return {
          values: (await positionalEncoding('t5', { length: T })).data, columns: T, rowNames: positions, columnNames: positions, digits: 0,
        };
    }
  }

  async function draw(): Promise<void> {
    running?.abort();
    const { signal } = running = new AbortController();
    const name = kind.value();
    const table = await tableOf();
    if (signal.aborted) return;
    const isSquare = name === 'alibi' || name === 't5';
    width.element.hidden = isSquare;
    head.element.hidden = name !== 'alibi';
    const from = name === 'learned' ? untrained?.from : null;
    about.dataset.say = name === 'learned' && !from ? 'positions.about.untrained' : `positions.about.${name}`;
    about.textContent = say(about.dataset.say as LessonKey, { model: from ?? '' });
    grid.show(table);
  }

  return {
    element: figureOf('positions.picture', controls(kind.element, length.element, width.element, head.element), about, grid.element),
    show() {
      for (const range of [length, width, head]) range.show();
      return draw();
    },
  };
}

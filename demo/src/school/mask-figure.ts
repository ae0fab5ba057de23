// Masks on the reader's sentence: what may be seen, and what is left of the weights.
import { attention, causalMask, paddingMask, type Tensor } from 'webformer';
import { h } from '../dom';
import { percent } from '../format';
import { controls, createChoice, createRange } from './controls';
import { figureOf, type Part } from './lesson';
import { said, say, type LessonKey } from './messages';
import { projected, readForTales, type Sentence } from './position-data';
import { createValueGrid } from './value-grid';

const KINDS = ['none', 'causal', 'padding', 'both', 'window'] as const;
type Kind = typeof KINDS[number];

/** [T,T]: 1 where the query of the row sees the key of the column. */
export function maskOf(kind: Kind, ids: readonly number[], padId: number, window: number): Tensor {
  const length = ids.length;
  const all = { data: new Float32Array(length * length).fill(1), shape: [length, length] };
  const causal = kind === 'none' || kind === 'padding' ? all : causalMask(length);
  const padding = kind === 'padding' || kind === 'both' ? paddingMask([[...ids]], padId).data : null;
  const isNear = (i: number) => kind !== 'window' || Math.floor(i / length) - i % length < window;
  return { data: causal.data.map((seen, i) => (seen && (padding?.[i % length] ?? 1) && isNear(i) ? 1 : 0)), shape: [length, length] };
}

export function createMaskFigure(): Part {
  let sentence: Sentence | null = null;
  let turn = 0;
  const redraw = () => void draw();
  const kind = createChoice<Kind>('masks.kind', KINDS.map((name) => [name, `masks.kind.${name}` as LessonKey]), redraw);
  kind.set('causal');
  const pads = createRange('masks.pads', { min: 0, max: 4, value: 2 }, String, redraw);
  const window = createRange('masks.window', { min: 1, max: 6, value: 2 }, String, redraw);
  const about = said('p', 'masks.about.causal', { class: 'hint lesson-about' });
  let names: string[] = [];
  const pairOf = (row: number, column: number) => ({ query: names[row], key: names[column] });
  const seen = createValueGrid({
    label: () => say('masks.mask'), picked: (row, column) => weights.choose(row, column),
    told: (row, column, value) => say(value ? 'masks.sees' : 'masks.hides', pairOf(row, column)),
  });
  const weights = createValueGrid({
    label: () => say('masks.weights'), picked: (row, column) => seen.choose(row, column),
    told: (row, column, value) => say('scores.cell', { ...pairOf(row, column), weight: percent(value) }),
  });

  async function draw(): Promise<void> {
    if (!sentence) return;
    const mine = ++turn;
    const padId = sentence.model.tokenizer!.special.eos ?? 0;
    const ids = [...sentence.ids, ...Array.from({ length: pads.value() }, () => padId)];
    const { hiddenStates } = await sentence.model.forward({ inputIds: [ids] }, { hiddenStates: true, logits: 'none' });
    const [{ data, shape }] = hiddenStates!;
    const { query, key } = await projected('rope', { ...sentence, ids, embedding: { data, shape: shape.slice(1) } }, 0);
    const mask = maskOf(kind.value(), ids, padId, window.value());
    const result = await attention(query, key, key, { mask });
    if (mine !== turn) return;
    window.element.hidden = kind.value() !== 'window';
    about.dataset.say = `masks.about.${kind.value()}`;
    about.textContent = say(about.dataset.say as LessonKey);
    names = [...sentence.tokens, ...Array.from({ length: pads.value() }, () => say('masks.pad'))];
    const common = { columns: ids.length, rowNames: names, columnNames: names, most: 1 };
    seen.show({ ...common, values: mask.data, digits: 0 });
    weights.show({ ...common, values: result.weights.data });
  }

  return {
    element: figureOf('masks.figure', said('p', 'masks.figure.lead', { class: 'hint' }),
      controls(kind.element, pads.element, window.element), about,
      h('div', { class: 'lesson-pair' },
        h('div', {}, said('h4', 'masks.mask'), seen.element), h('div', {}, said('h4', 'masks.weights'), weights.element))),
    async show(text, signal) {
      for (const range of [pads, window]) range.show();
      sentence = await readForTales(text, signal);
      await draw();
    },
  };
}

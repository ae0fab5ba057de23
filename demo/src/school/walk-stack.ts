// A stack as a grid: a row a layer, a column a token. The vector of the chosen one is shown below, number by number.
import { cosineSimilarity } from 'webformer';
import { h } from '../dom';
import { figure } from '../format';
import { controls, createChoice } from './controls';
import { said, say, type LessonKey } from './messages';
import { createValueGrid } from './value-grid';
import { PARTS, type PartName, type Walk } from './walk-data';

const COLUMNS = 24;

export interface StackView { readonly element: HTMLElement; show(walk: Walk): void; choose(token: number): void }

/** `picked` hears of the token that the user chose. */
export function createStack(stack: 'encoder' | 'decoder', picked: (token: number) => void = () => {}): StackView {
  let walk: Walk | null = null;
  let at = { layer: 0, token: 0 };
  const part = createChoice<PartName>('walk.part', PARTS.map((name) => [name, `walk.part.${name}` as LessonKey]), () => showVector());
  const tokens = () => (stack === 'encoder' ? walk!.tokens : walk!.read);
  const stageOf = (layer: number) => (layer === 0 ? say('walk.embedding') : say('walk.layer', { n: layer }));
  const stages = () => Array.from({ length: walk!.layers[stack] + 1 }, (_, layer) => stageOf(layer));
  const grid = createValueGrid({
    label: () => say(`walk.${stack}`),
    told: (row, column, value) =>
      say(row === 0 ? 'walk.cell.first' : 'walk.cell', { stage: stageOf(row), token: tokens()[column], value: figure(value) }),
    picked(row, column) {
      at = { layer: row, token: column };
      showVector();
      picked(column);
    },
  });
  const title = said('h4', 'walk.vector');
  const vector = createValueGrid({
    label: () => title.textContent,
    told: (row, column, value, { columns }) => say('walk.number', { i: row * columns + column, value: figure(value, 4) }),
  });

  function showVector(): void {
    if (!walk) return;
    const values = walk.vector(stack, at.layer, at.token, part.value());
    const names = { token: tokens()[at.token], stage: stageOf(at.layer), part: say(`walk.part.${part.value()}`) };
    title.textContent = say(values ? 'walk.vectorOf' : 'walk.noVector', names);
    if (!values) return vector.clear();
    vector.show({
      values, columns: COLUMNS, digits: 3, rowNames: Array.from({ length: values.length / COLUMNS }, (_, i) => String(i * COLUMNS)),
    });
  }

  return {
    element: h('div', { class: 'lesson-stack' }, grid.element, controls(part.element), title, vector.element),
    choose(token) {
      at = { ...at, token };
      grid.choose(at.layer, token);
      showVector();
    },
    show(next) {
      walk = next;
      at = { layer: Math.min(at.layer, next.layers[stack]), token: Math.min(at.token, tokens().length - 1) };
      const values = stages().flatMap((_, layer) => tokens().map((__, token) => {
        const here = next.vector(stack, layer, token, 'output')!;
        return layer === 0 ? 1 : cosineSimilarity(here, next.vector(stack, layer - 1, token, 'output')!);
      }));
      grid.show({ values, columns: tokens().length, rowNames: stages(), columnNames: tokens(), most: 1, written: tokens().length <= 8 });
      grid.choose(at.layer, at.token);
      showVector();
    },
  };
}

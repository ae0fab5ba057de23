// Step: families. Encoder-only, decoder-only and encoder-decoder, side by side on one sentence.
import { h } from '../dom';
import { percent } from '../format';
import { barList, showBars } from './bars';
import { createExercise } from './exercise';
import { FAMILIES, resultOf, type Family } from './families-data';
import { lessonOf, prose, type Lesson, type Part } from './lesson';
import { said, say, type LessonKey } from './messages';
import { createValueGrid } from './value-grid';

/** The parts of each from its input up; those of a stack stand in one box, which is there N times. */
const DIAGRAMS: Record<Family, readonly (readonly LessonKey[])[]> = {
  encoder: [['families.embedding'], ['families.self', 'families.ffn'], ['families.vectors']],
  decoder: [['families.embedding'], ['families.masked', 'families.ffn'], ['families.next']],
  both: [
    ['families.embedding'], ['families.self', 'families.ffn'], ['families.memory'], ['families.masked', 'families.cross', 'families.ffn'],
    ['families.next'],
  ],
};

const diagram = (family: Family) => h('ol', { class: 'family-diagram' }, ...DIAGRAMS[family].map((parts) =>
  h('li', { class: parts.length > 1 && 'family-stack' }, ...parts.map((part) => said('span', part)))));

function createFamily(family: Family): Part {
  const grid = createValueGrid({
    label: () => say(`families.looks.${family}`),
    told: (row, column, value, { rowNames, columnNames }) =>
      say('scores.cell', { query: rowNames[row], key: columnNames![column], weight: percent(value) }),
  });
  const lines = barList();
  const facts = h('dl', { class: 'family-facts' }, ...(['trained', 'uses', 'models'] as const).flatMap((fact) =>
    [said('dt', `families.${fact}`), said('dd', `families.${fact}.${family}`)]));
  return {
    element: h('section', { class: 'family' }, said('h3', `families.${family}`), diagram(family),
      said('h4', `families.looks.${family}`), grid.element, said('h4', `families.gives.${family}`), lines, facts),
    async show(text, signal) {
      const { seen, lines: made } = await resultOf[family](text, signal);
      signal.throwIfAborted();
      grid.show({ values: seen.weights, columns: seen.keys.length, rowNames: seen.queries, columnNames: seen.keys, most: 1 });
      showBars(lines, made.map(({ text: name, share }) => ({ name, share, told: percent(share) })));
    },
  };
}

function createFamilies(): Part {
  const all = FAMILIES.map(createFamily);
  return {
    element: h('div', { class: 'families' }, ...all.map(({ element }) => element)),
    async show(text, signal) {
      for (const one of all) await one.show(text, signal);
    },
  };
}

export const familiesLesson = (): Lesson => lessonOf(
  prose('families.what'),
  createFamilies(),
  createExercise({ id: 'families.exercise', kind: 'choice', options: 3, answer: () => FAMILIES.indexOf('encoder') }),
);

// Step: the walk-through. A sentence from text to tokens, to vectors, through every layer, to its translation.
import { h } from '../dom';
import { figure, percent } from '../format';
import { barList, showBars } from './bars';
import { button, controls, createRange } from './controls';
import { createExercise } from './exercise';
import { figureOf, lessonOf, prose, type Lesson, type Part } from './lesson';
import { said, say } from './messages';
import { createStack } from './walk-stack';
import { MAX_TOKENS, openTranslator, walkThrough, type Walk } from './walk-data';

let walk: Walk | null = null;

function createTokens(): { element: HTMLElement; show(): void } {
  const list = h('ol', { class: 'walk-tokens', lang: 'en' });
  const cut = said('p', 'positions.cut', { class: 'hint' });
  return {
    element: figureOf('walk.tokens', said('p', 'walk.tokens.lead', { class: 'hint' }), list, cut),
    show() {
      list.replaceChildren(...walk!.tokens.map((token, i) => h('li', {},
        h('span', { class: `walk-token tone-${i % 5}` }, token), h('span', { class: 'walk-id' }, String(walk!.ids[i])))));
      cut.hidden = !walk!.cut;
      cut.textContent = say('positions.cut', { n: MAX_TOKENS });
    },
  };
}

/** A step of the decoder: what it has, where it looks, what it makes likely. */
function createStep(chosen: (step: number) => void): { element: HTMLElement; show(): void; choose(step: number): void } {
  const told = (value: number) => `${value + 1} / ${walk?.written.length ?? 1}`;
  const step = createRange('walk.step', { min: 0, max: 0, value: 0 }, told, () => {
    render();
    chosen(step.value());
  });
  const move = (by: number) => {
    step.set(step.value() + by);
    render();
    chosen(step.value());
  };
  const soFar = h('p', { class: 'walk-sofar', role: 'status' });
  const looked = barList();
  const rows = h('tbody');
  const translation = h('p', { class: 'prose walk-translation', lang: 'fr' });

  function render(): void {
    if (!walk) return;
    const t = step.value();
    soFar.textContent = say('walk.sofar', { read: walk.read.slice(0, t + 1).join(' '), written: walk.written[t] });
    const weights = walk.looked(t);
    showBars(looked, walk.tokens.map((name, i) => ({ name, share: weights[i], told: percent(weights[i]) })));
    const chosenId = walk.writtenIds[t];
    rows.replaceChildren(...walk.candidates(t).map(({ id, token, logit, probability }) => h('tr', { class: id === chosenId && 'chosen' },
      h('th', { scope: 'row' }, h('bdi', {}, token)), h('td', { class: 'number' }, String(id)),
      h('td', { class: 'number' }, figure(logit)), h('td', { class: 'number' }, percent(probability)))));
    translation.textContent = walk.translation;
  }
  const column = (key: 'walk.token' | 'walk.id' | 'walk.logit' | 'forcing.probability', isNumber = true) =>
    said('th', key, { scope: 'col', ...isNumber && { class: 'number' } });
  return {
    element: figureOf('walk.writing', said('p', 'walk.writing.lead', { class: 'hint' }),
      controls(step.element, button('walk.before', () => move(-1)), button('walk.after', () => move(1))), soFar,
      h('div', { class: 'lesson-pair' },
        h('div', {}, said('h4', 'walk.candidates'), h('table', { class: 'lesson-table' }, h('thead', {},
          h('tr', {}, column('walk.token', false), column('walk.id'), column('walk.logit'), column('forcing.probability'))), rows)),
        h('div', {}, said('h4', 'walk.looked'), looked)),
      said('h4', 'walk.result'), translation),
    choose(value) {
      step.set(value);
      render();
    },
    show() {
      step.limit(walk!.written.length - 1);
      render();
    },
  };
}

function createWalk(): Part {
  const tokens = createTokens();
  const encoder = createStack('encoder');
  const decoder = createStack('decoder', (token) => step.choose(token));
  const step = createStep((value) => decoder.choose(value));
  return {
    element: h('div', { class: 'lesson' }, tokens.element,
      figureOf('walk.encoder', said('p', 'walk.encoder.lead', { class: 'hint' }), encoder.element),
      step.element,
      figureOf('walk.decoder', said('p', 'walk.decoder.lead', { class: 'hint' }), decoder.element)),
    async show(text, signal) {
      if (walk?.text !== text) {
        const next = await walkThrough(await openTranslator(), text, signal);
        signal.throwIfAborted();
        walk = next;
      }
      tokens.show();
      encoder.show(walk);
      step.show();
      decoder.show(walk);
    },
  };
}

export const walkLesson = (): Lesson => lessonOf(
  prose('walk.what'),
  createWalk(),
  prose('walk.cache'),
  createExercise({
    id: 'walk.exercise', kind: 'number', digits: 0, within: 0,
    values: () => ({ text: walk!.translation }), answer: () => walk!.written.length,
  }),
);

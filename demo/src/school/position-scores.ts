// What each way of telling positions does to the scores of the reader's sentence.
import { figure, percent } from '../format';
import { controls, createChoice, createRange } from './controls';
import { figureOf, type Part } from './lesson';
import { said, say, type LessonKey } from './messages';
import { MAX_TOKENS, readForTales, SCORE_KINDS, scoresWith, type Scored, type ScoreKind, type Sentence } from './position-data';
import { createValueGrid } from './value-grid';

const VIEWS = ['weights', 'scores', 'change'] as const;
type View = typeof VIEWS[number];
/** So few tokens leave room for the numbers themselves. */
const WRITTEN = 8;

export function createPositionScores(): Part {
  let sentence: Sentence | null = null;
  let running: AbortController | null = null;
  let drawn: { kind: ScoreKind; result: Scored; plain: Scored } | null = null;
  const redraw = () => void draw();
  const kind = createChoice<ScoreKind>('positions.kind', SCORE_KINDS.map((name) => [name, `positions.kind.${name}` as LessonKey]), redraw);
  const head = createRange('positions.head', { min: 1, max: 4, value: 1 }, (value) => `${value} / 4`, redraw);
  const strength = createRange('positions.strength', { min: 0, max: 2, step: 0.1, value: 0.5 }, (value) => figure(value, 1), redraw);
  const view = createChoice<View>('positions.view', VIEWS.map((name) => [name, `positions.view.${name}` as LessonKey]), redraw);
  const about = said('p', 'positions.does.none', { class: 'hint lesson-about' });
  const cut = said('p', 'positions.cut', { class: 'hint' });
  const grid = createValueGrid({
    label: () => say('positions.scores'),
    told(row, column) {
      if (!drawn || !sentence) return '';
      const i = row * sentence.tokens.length + column;
      const names = { query: sentence.tokens[row], key: sentence.tokens[column] };
      if (column > row) return say('positions.hidden', names);
      const told = { ...names, score: figure(drawn.result.scores[i]), weight: percent(drawn.result.weights[i]) };
      return say('positions.told', { ...told, plain: percent(drawn.plain.weights[i]) });
    },
  });

  async function draw(): Promise<void> {
    if (!sentence) return;
    running?.abort();
    const { signal } = running = new AbortController();
    const options = [sentence, head.value() - 1, strength.value()] as const;
    const plain = await scoresWith('none', ...options);
    const result = kind.value() === 'none' ? plain : await scoresWith(kind.value(), ...options);
    if (signal.aborted) return;
    drawn = { kind: kind.value(), result, plain };
    strength.element.hidden = kind.value() !== 't5';
    about.dataset.say = `positions.does.${kind.value()}`;
    about.textContent = say(about.dataset.say as LessonKey);
    const values = { weights: result.weights, scores: result.scores, change: result.weights.map((weight, i) => weight - plain.weights[i]) };
    const { tokens } = sentence;
    grid.show({
      values: values[view.value()], columns: tokens.length, rowNames: tokens, columnNames: tokens,
      most: view.value() === 'scores' ? undefined : 1, written: tokens.length <= WRITTEN,
    });
  }

  return {
    element: figureOf('positions.scores', said('p', 'positions.scores.lead', { class: 'hint' }),
      controls(kind.element, view.element, head.element, strength.element), about, grid.element, cut),
    async show(text, signal) {
      for (const range of [head, strength]) range.show();
      const next = await readForTales(text, signal);
      signal.throwIfAborted();
      sentence = next;
      cut.textContent = say('positions.cut', { n: MAX_TOKENS });
      cut.hidden = !sentence.cut;
      await draw();
    },
  };
}

// Word2Vec on the reader's own text, trained while they watch; then its neighbours, its map and its analogies.
import { trainWordVectors, type WordVectors } from 'webformer';
import { announce, h } from '../dom';
import { isAborted } from '../errors';
import { figure } from '../format';
import { createNotices } from '../notices';
import { barList, showBars } from './bars';
import { button, controls, createRange } from './controls';
import { figureOf, type Part } from './lesson';
import { said, say } from './messages';
import { createPlot } from './plot';
import { ROYAL_TEXT } from './royal-text';
import { createWordMap } from './word-map';

const MAX_WORDS = 60;

export function createWordTraining(): Part {
  const text = h('textarea', { id: 'words-text', class: 'lesson-text', rows: 6, spellcheck: 'false', lang: 'en', maxlength: 20000 });
  text.value = ROYAL_TEXT;
  const dimensions = createRange('words.dimensions', { min: 2, max: 32, step: 2, value: 16 }, String, () => {});
  const window = createRange('words.window', { min: 1, max: 8, value: 5 }, String, () => {});
  const run = button('words.train', () => void train(), { class: 'primary' });
  const stop = button('cost.stop', () => running?.abort(), { disabled: true });
  const noticePlace = h('div', { class: 'notices', role: 'alert' });
  const notices = createNotices(noticePlace);
  const plot = createPlot({
    label: () => say('words.loss'), xName: () => say('words.epoch'), yName: () => say('words.loss'), follows: true,
  });
  const map = createWordMap((word) => {
    positive[0].value = word;
    positive[1].value = negative.value = '';
    solve();
  });
  const field = (id: string, value: string) =>
    h('input', { type: 'text', id, value, autocomplete: 'off', class: 'word-field', input: () => solve() });
  const positive = [field('word-a', 'king'), field('word-c', 'woman')];
  const negative = field('word-b', 'man');
  const answers = barList();
  const unknownWord = h('p', { class: 'field-error', role: 'alert' });
  const outcome = h('div', { class: 'lesson-stack', hidden: true });
  let running: AbortController | null = null;
  let vectors: WordVectors | null = null;
  let losses: number[] = [];

  const renderLoss = () => plot.show({ x: losses.map((_, i) => i + 1), curves: [{ name: say('words.loss'), values: losses }] });

  function solve(): void {
    if (!vectors) return;
    const words = (fields: HTMLInputElement[]) => fields.map(({ value }) => value.trim()).filter(Boolean);
    const query = { positive: words(positive), negative: words([negative]) };
    const unknown = [...query.positive, ...query.negative].find((word) => !vectors!.words.includes(word));
    const wrong = unknown !== undefined ? say('words.unknown', { word: unknown }) : query.positive.length === 0 ? say('words.none') : '';
    unknownWord.textContent = wrong;
    const found = wrong ? [] : vectors.nearest(query, 5);
    showBars(answers, found.map(({ word, score }) => ({ name: word, share: score, told: figure(score) })));
  }

  function showVectors(): void {
    outcome.hidden = vectors === null;
    if (!vectors) return;
    const words = vectors.words.slice(0, MAX_WORDS);
    map.show(words, words.map((word) => vectors!.vector(word)!));
    solve();
  }

  async function train(): Promise<void> {
    const { signal } = running = new AbortController();
    [run.disabled, stop.disabled] = [true, false];
    stop.focus();
    notices.clear();
    [losses, vectors] = [[], null];
    try {
      const texts = text.value.split(/[\n.]+/).filter((line) => line.trim());
      const training = trainWordVectors(texts, {
        dimensions: dimensions.value(), window: window.value(), epochs: 200, learningRate: 0.05, seed: 1, signal,
      });
      let last = 0;
      for await (const { loss } of training) {
        losses.push(loss);
        if (performance.now() - last < 60) continue;
        renderLoss();
        last = performance.now();
      }
      vectors = await training.vectors();
      announce(say('words.trained', { n: vectors.words.length }));
    } catch (error) {
      if (!isAborted(error)) notices.show(() => say('words.failed'), error);
    }
    [run.disabled, stop.disabled] = [false, true];
    run.focus();
    renderLoss();
    showVectors();
  }

  outcome.append(said('h4', 'words.analogy'),
    h('div', { class: 'word-query', role: 'group', 'data-say-label': 'words.analogy' },
      said('label', 'words.a', { for: 'word-a', class: 'visually-hidden' }), positive[0], h('span', { 'aria-hidden': 'true' }, '−'),
      said('label', 'words.b', { for: 'word-b', class: 'visually-hidden' }), negative, h('span', { 'aria-hidden': 'true' }, '+'),
      said('label', 'words.c', { for: 'word-c', class: 'visually-hidden' }), positive[1], h('span', { 'aria-hidden': 'true' }, '≈')),
    unknownWord, answers, said('h4', 'words.map'), said('p', 'words.map.lead', { class: 'hint' }), map.element);
  return {
    element: figureOf('words.training', said('p', 'words.training.lead', { class: 'hint' }),
      said('label', 'words.text', { for: text.id, class: 'hint' }), text,
      controls(dimensions.element, window.element, run, stop), noticePlace, plot.element, outcome),
    show() {
      for (const range of [dimensions, window]) range.show();
      renderLoss();
      showVectors();
    },
  };
}

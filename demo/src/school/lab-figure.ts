// A small model learns from the reader's lines while they watch: its loss, what it says, and where it looks.
import type { Model, TrainingStep } from 'webformer';
import { announce, debounce, h } from '../dom';
import { download } from '../download';
import { isAborted } from '../errors';
import { figure, percent } from '../format';
import { addModel } from '../models';
import { createNotices } from '../notices';
import { button, controls, createChoice, createRange } from './controls';
import { trainInLab, type Sample } from './lab-run';
import { RECIPES, TASKS, type Task } from './lab-tasks';
import { TEXTS } from './lab-texts';
import { figureOf, type Part } from './lesson';
import { said, say, type LessonKey } from './messages';
import { createPlot } from './plot';
import { createValueGrid } from './value-grid';

export function createLab(): Part {
  const kept = structuredClone(TEXTS);
  let task: Task = 'classifier';
  let model: Model | null = null;
  let running: AbortController | null = null;
  let asking: AbortController | null = null;
  let steps: TrainingStep[] = [];
  let samples: Sample[] = [];

  const choice = createChoice<Task>('lab.task', TASKS.map((name) => [name, `lab.task.${name}` as LessonKey]), () => choose(choice.value()));
  const about = said('p', 'lab.about.classifier', { class: 'hint lesson-about' });
  const lines = h('textarea', { id: 'lab-lines', class: 'lesson-text', rows: 8, spellcheck: 'false', dir: 'auto', maxlength: 40000,
    input: () => { kept[task].lines = lines.value; } });
  const count = createRange('lab.steps', { min: 20, max: 400, step: 20, value: 120 }, String, () => {});
  const rate = createRange('lab.rate', { min: -11, max: -5, value: -8 }, (value) => figure(2 ** value, 4), () => {});
  const run = button('words.train', () => void train(), { class: 'primary' });
  const stop = button('cost.stop', () => running?.abort(), { disabled: true });
  const noticePlace = h('div', { class: 'notices', role: 'alert' });
  const notices = createNotices(noticePlace);
  const plot = createPlot({ label: () => say('words.loss'), xName: () => say('walk.step'), yName: () => say('words.loss'), follows: true });
  const facts = h('p', { class: 'lesson-result' });
  const question = h('input', { type: 'text', id: 'lab-question', class: 'lab-question', autocomplete: 'off', dir: 'auto', maxlength: 200,
    input: () => {
      kept[task].question = question.value;
      typed();
    } });
  const answer = h('p', { class: 'lab-answer', role: 'status', dir: 'auto' });
  const rows = h('tbody');
  const looks = createValueGrid({
    label: () => say('lab.looks'),
    told: (row, column, value, { rowNames, columnNames }) =>
      say('scores.cell', { query: rowNames[row], key: columnNames![column], weight: percent(value) }),
  });
  const keep = controls(button('lab.shelve', () => void shelve()), button('lab.save', () => void save()));
  const saved = h('p', { class: 'hint', role: 'status' });

  function choose(next: Task): void {
    running?.abort();
    model?.dispose();
    model = null;
    [task, steps, samples] = [next, [], []];
    lines.value = kept[task].lines;
    question.value = kept[task].question;
    notices.clear();
    render();
  }

  function renderSamples(): void {
    rows.replaceChildren(...samples.map(({ step, said: text }) => h('tr', {},
      h('th', { scope: 'row', class: 'number' }, String(step)), h('td', { dir: 'auto' }, text || '–'))));
    const look = samples.at(-1)?.look;
    if (!look) return looks.clear();
    looks.show({ values: look.weights, columns: look.keys.length, rowNames: look.queries, columnNames: look.keys, most: 1 });
  }

  function renderSteps(): void {
    plot.show({ x: steps.map(({ step }) => step), curves: [{ name: say('words.loss'), values: steps.map(({ loss }) => loss) }] });
    const last = steps.at(-1);
    facts.textContent = last && model ? say('lab.facts', {
      parameters: model.info.parameters, epoch: last.epoch + 1, norm: figure(last.gradientNorm), rate: figure(last.learningRate, 5),
    }) : '';
  }

  function render(): void {
    about.dataset.say = `lab.about.${task}`;
    about.textContent = say(about.dataset.say as LessonKey);
    renderSteps();
    renderSamples();
    answer.textContent = samples.at(-1)?.said ?? '';
    keep.hidden = model === null || running !== null;
    saved.textContent = '';
  }

  async function train(): Promise<void> {
    const recipe = RECIPES[task], data = recipe.read(lines.value);
    if (!data) return notices.tell(() => say('lab.wrong'), () => [say(`lab.about.${task}`)]);
    running?.abort();
    const controller = running = new AbortController(), { signal } = controller;
    [run.disabled, stop.disabled] = [true, false];
    stop.focus();
    notices.clear();
    model?.dispose();
    model = null;
    [steps, samples] = [[], []];
    render();
    let drawn = 0;
    try {
      const made = await recipe.create(data, signal);
      if (signal.aborted) made.dispose();
      signal.throwIfAborted();
      model = made;
      const options = { steps: count.value(), learningRate: 2 ** rate.value(), question: () => question.value, signal };
      await trainInLab(made, recipe, data, options, (step) => {
        steps.push(step);
        if (performance.now() - drawn < 60) return;
        renderSteps();
        drawn = performance.now();
      }, (sample) => {
        samples.push(sample);
        renderSamples();
      });
      announce(say('lab.trained', { loss: figure(steps.at(-1)!.loss) }));
    } catch (error) {
      if (!isAborted(error)) notices.show(() => say('lab.failed'), error);
    }
    if (running !== controller) return;    // it was started anew meanwhile
    running = null;
    [run.disabled, stop.disabled] = [false, true];
    run.focus();
    render();
  }

  async function ask(): Promise<void> {
    asking?.abort();
    if (!model || running || question.value.trim() === '') return;
    const { signal } = asking = new AbortController();
    try {
      const text = await RECIPES[task].ask(model, question.value, signal);
      const { weights, queries, keys } = await RECIPES[task].look(model, question.value, signal);
      if (signal.aborted) return;
      answer.textContent = text;
      looks.show({ values: weights, columns: keys.length, rowNames: queries, columnNames: keys, most: 1 });
    } catch (error) {
      if (!signal.aborted) notices.show(() => say('lab.failed'), error);
    }
  }
  const typed = debounce(() => void ask(), 300);

  const withFiles = async (use: (files: Map<string, Uint8Array>) => Promise<string> | string) => {
    try {
      saved.textContent = await use(await model!.save());
    } catch (error) {
      notices.show(() => say('lab.failed'), error);
    }
  };
  const shelve = () => withFiles(async (files) => say('lab.shelved', { name: (await addModel(files, `my-${task}`, {})).name }));
  const save = () => withFiles((files) => {
    for (const [name, bytes] of files) download(name, bytes as Uint8Array<ArrayBuffer>, 'application/octet-stream');
    return say('lab.saved', { files: [...files.keys()].join(', ') });
  });

  choose(task);
  return {
    element: figureOf('lab.title', controls(choice.element), about, said('label', 'lab.lines', { for: lines.id, class: 'hint' }), lines,
      controls(count.element, rate.element, run, stop), noticePlace, plot.element, facts,
      h('div', { class: 'control inline' }, said('label', 'lab.question', { for: question.id }), question), answer,
      h('div', { class: 'lesson-pair' },
        h('div', {}, said('h4', 'lab.samples'), h('table', { class: 'lesson-table' }, h('thead', {},
          h('tr', {}, said('th', 'walk.step', { scope: 'col', class: 'number' }), said('th', 'lab.says', { scope: 'col' }))), rows)),
        h('div', {}, said('h4', 'lab.looks'), looks.element)),
      keep, saved),
    show() {
      for (const range of [count, rate]) range.show();
      render();
    },
  };
}

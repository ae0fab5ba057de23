// An exercise at the end of a step: the page works out the answer as the figures do, and checks the reader's against it.
import { h } from '../dom';
import { figure } from '../format';
import type { Values } from '../i18n';
import { button } from './controls';
import type { Part } from './lesson';
import { isLessonKey, said, say, type LessonKey } from './messages';

interface Common {
  /** Messages are `${id}.question`, `${id}.right` and `${id}.wrong`. */
  readonly id: string;
  /** What the question says of this sentence or figure. */
  values?(): Values;
}
interface NumberExercise extends Common {
  readonly kind: 'number';
  answer(): Promise<number> | number;
  readonly digits?: number;
  /** How far off, as a share of the answer, is still right. Default 0.01. */
  readonly within?: number;
}
/** Options are `${id}.option.0`, …; the answer is the index of the right one. */
interface ChoiceExercise extends Common { readonly kind: 'choice'; answer(): Promise<number> | number; readonly options: number }
export type Exercise = NumberExercise | ChoiceExercise;

const keyOf = (text: string): LessonKey => {
  if (!isLessonKey(text)) throw new Error(`no message ${text}`);
  return text;
};

/** A number as people write it: a comma or a point, any minus; null: it is none. */
export function readNumber(text: string): number | null {
  const plain = text.trim().replace(/[−–]/g, '-').replace(',', '.');
  return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(plain) ? Number(plain) : null;
}

export function createExercise(exercise: Exercise): Part {
  const { id } = exercise;
  const question = h('p', { class: 'exercise-question', id: `${id}-question` });
  const feedback = h('p', { class: 'exercise-feedback', role: 'status' });
  const isNumber = exercise.kind === 'number';
  const input = isNumber && h('input', {
    type: 'text', inputmode: 'decimal', autocomplete: 'off', 'aria-labelledby': question.id, maxlength: 24, class: 'exercise-input',
  });
  const options = isNumber ? null : h('div', { role: 'radiogroup', 'aria-labelledby': question.id, class: 'exercise-options' },
    ...Array.from({ length: exercise.options }, (_, i) => h('label', { class: 'check' },
      h('input', { type: 'radio', name: id, value: i }), said('span', keyOf(`${id}.option.${i}`)))));
  let verdict: (() => string) | null = null;
  const render = () => {
    question.textContent = say(keyOf(`${id}.question`), exercise.values?.());
    feedback.textContent = verdict?.() ?? '';
  };
  const settle = (state: 'right' | 'wrong' | 'open', text: () => string) => {
    form.dataset.state = state;
    verdict = text;
    render();
  };
  const given = (): number | null => {
    if (input) return readNumber(input.value);
    const chosen = options?.querySelector<HTMLInputElement>('input:checked');
    return chosen ? Number(chosen.value) : null;
  };
  const isRight = (value: number, answer: number) =>
    (isNumber ? Math.abs(value - answer) <= Math.max((exercise.within ?? 0.01) * Math.abs(answer), 1e-9) : value === answer);
  const told = (answer: number) => {
    if (!isNumber) return say(keyOf(`${id}.option.${answer}`));
    return figure(answer, Number.isInteger(answer) ? 0 : exercise.digits ?? 3);
  };

  async function check(): Promise<void> {
    const value = given();
    if (value === null) return settle('open', () => say(isNumber ? 'exercise.noNumber' : 'exercise.noChoice'));
    const answer = await exercise.answer();
    if (isRight(value, answer)) settle('right', () => `${say('exercise.right')} ${say(keyOf(`${id}.right`), exercise.values?.())}`);
    else settle('wrong', () => `${say('exercise.wrong')} ${say(keyOf(`${id}.wrong`), exercise.values?.())}`);
  }
  async function reveal(): Promise<void> {
    const answer = await exercise.answer();
    settle('open', () => `${say('exercise.answer', { answer: told(answer) })} ${say(keyOf(`${id}.right`), exercise.values?.())}`);
  }
  const form = h('form', { class: 'exercise', novalidate: true, submit: (event) => {
    event.preventDefault();
    void check();
  } }, said('h3', 'exercise.title'), question, input || options,
  h('div', { class: 'actions' }, h('button', { type: 'submit', 'data-say': 'exercise.check' }, say('exercise.check')),
    button('exercise.reveal', reveal, { class: 'quiet' })), feedback);
  return {
    element: form,
    show(sentence) {
      if (form.dataset.sentence !== sentence) {    // the answer may be another now
        form.dataset.sentence = sentence;
        verdict = null;
        form.dataset.state = 'open';
      }
      render();
    },
  };
}

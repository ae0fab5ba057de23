// The controls of figures, each with its name.
import { h } from '../dom';
import { said, say, type LessonKey } from './messages';

let made = 0;
const nextId = () => `learn-control-${++made}`;

export interface Range { readonly element: HTMLElement; value(): number; set(value: number): void; limit(most: number): void; show(): void }

/** A slider; `told` is its value in words. */
export function createRange(
  label: LessonKey, { min, max, step = 1, value }: { min: number; max: number; step?: number; value: number },
  told: (value: number) => string, changed: () => void,
): Range {
  const id = nextId();
  const input = h('input', { type: 'range', id, min, max, step, value });
  const output = h('output', { for: id });
  const show = () => {
    output.textContent = told(Number(input.value));
    input.setAttribute('aria-valuetext', output.textContent);
  };
  input.addEventListener('input', () => {
    show();
    changed();
  });
  return {
    element: h('div', { class: 'control lesson-range' }, said('label', label, { for: id }), output, input),
    value: () => Number(input.value),
    set(next) {
      input.value = String(next);
      show();
    },
    limit(most) {
      input.max = String(most);
      show();
    },
    show,
  };
}

export interface Choice<V extends string> { readonly element: HTMLElement; value(): V; set(value: V): void }

/** A choice among a few; the options are messages, or, given as plain texts, the same in every language. */
export function createChoice<V extends string>(
  label: LessonKey, options: readonly (readonly [value: V, name: LessonKey | { text: string }])[], changed: () => void,
): Choice<V> {
  const id = nextId();
  const select = h('select', { id }, ...options.map(([value, name]) =>
    (typeof name === 'string' ? said('option', name, { value }) : h('option', { value }, name.text))));
  select.addEventListener('change', changed);
  return {
    element: h('div', { class: 'control inline' }, said('label', label, { for: id }), select),
    value: () => select.value as V,
    set(value) { select.value = value; },
  };
}

export interface Check { readonly element: HTMLElement; value(): boolean }

export function createCheck(label: LessonKey, checked: boolean, changed: () => void): Check {
  const input = h('input', { type: 'checkbox', checked });
  input.addEventListener('change', changed);
  return { element: h('label', { class: 'check' }, input, said('span', label)), value: () => input.checked };
}

export function button(label: LessonKey, click: () => void, attributes: Record<string, string | boolean> = {}): HTMLButtonElement {
  return h('button', { type: 'button', ...attributes, 'data-say': label, click }, say(label));
}

export const controls = (...children: HTMLElement[]): HTMLElement => h('div', { class: 'lesson-controls' }, ...children);

// The text that a model makes, token by token; each remembers what else might have stood there.
import { h, perFrame } from './dom';
import type { Candidate } from './candidates';
import { moveOf } from './keys';

/** `picked`: the user chose it, not the model. */
export interface Step { text: string; ids: readonly number[]; candidates: readonly Candidate[]; picked?: boolean }

export interface Story {
  begin(prompt: string): void;
  add(step: Step): void;
  /** Takes the steps from `count` on away. */
  cut(count: number): void;
  steps(): readonly Step[];
  /** The prompt and the first `count` steps; without it, all. */
  text(count?: number): string;
}

/** `inspect` is called with the step that the user points at, or null. It stays pointed at when the pointer leaves, if `keeps` says so. */
export function createStory(place: HTMLElement, inspect: (index: number | null) => void, keeps: () => boolean): Story {
  let steps: Step[] = [];
  let prompt = '';
  let spans: HTMLElement[] = [];
  let looked: number | null = null;

  /** The text is followed as it grows, unless the reader has scrolled back. */
  let follows = true;
  place.addEventListener('scroll', () => { follows = place.scrollHeight - place.scrollTop - place.clientHeight < 40; });
  const follow = perFrame(() => { if (follows) place.scrollTop = place.scrollHeight; });

  const look = (index: number | null) => {
    if (index === looked) return;
    if (looked !== null) spans[looked].classList.remove('looked');
    looked = index;
    if (index !== null) spans[index].classList.add('looked');
    inspect(index);
  };
  place.addEventListener('pointerover', (event) => {
    const index = spans.indexOf(event.target as HTMLElement);
    if (index >= 0) look(index);
  });
  place.addEventListener('pointerleave', () => { if (!keeps()) look(null); });
  place.addEventListener('keydown', (event) => {
    const move = moveOf(event);
    if (move === null || spans.length === 0) return;
    event.preventDefault();
    const from = looked ?? spans.length;
    const index = { back: Math.max(from - 1, 0), forth: from + 1, first: 0, last: spans.length - 1 }[move];
    look(index < spans.length ? index : null);
    if (looked !== null) spans[looked].scrollIntoView({ block: 'nearest' });
    if (looked === 0) place.scrollTop = 0;    // the beginning before it, too
  });

  return {
    begin(text) {
      [prompt, steps, spans, looked, follows] = [text, [], [], null, true];
      place.replaceChildren(h('span', { class: 'prompt' }, text));
      inspect(null);
    },
    add(step) {
      const span = h('span', { class: step.picked ? 'step picked' : 'step' }, step.text);
      steps.push(step);
      spans.push(span);
      place.append(span);
      follow();
    },
    cut(count) {
      look(null);
      for (const span of spans.splice(count)) span.remove();
      steps = steps.slice(0, count);
    },
    steps: () => steps,
    text: (count = steps.length) => prompt + steps.slice(0, count).map(({ text }) => text).join(''),
  };
}

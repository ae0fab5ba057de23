// What might come next, and how likely: one row a token, always the same number of rows.
import { byId, h } from './dom';
import * as format from './format';

export interface Candidate { id: number; text: string; probability: number }
export const CANDIDATES = 8;

export interface CandidatesView {
  /** `taken`: the id that was chosen, if one was. `context`: which place in the text this is about. */
  show(candidates: readonly Candidate[], context: string, taken?: number): void;
  clear(): void;
}

/** A token as it can be seen: spaces and line ends have a sign. */
export const visible = (text: string): string => text.replaceAll('\n', '↵').replaceAll('\t', '⇥').replaceAll(' ', '␣');

/** `use` is called with the candidate that the user picks. The rows are made once, and only their contents change. */
export function createCandidates(use: (candidate: Candidate) => void): CandidatesView {
  const list = byId('candidates', HTMLOListElement);
  const heading = byId('candidates-context', HTMLParagraphElement);
  let shown: readonly Candidate[] = [];
  const rows = Array.from({ length: CANDIDATES }, (_, index) => {
    const token = h('span', { class: 'candidate-text', dir: 'auto' });
    const fill = h('span', { class: 'bar-fill' });
    const share = h('span', { class: 'candidate-share' });
    const button = h('button', { type: 'button', disabled: true, click: () => { if (shown[index]) use(shown[index]); } },
      token, h('span', { class: 'bar-track', 'aria-hidden': 'true' }, fill), share);
    return { token, fill, share, button };
  });
  list.replaceChildren(...rows.map(({ button }) => h('li', {}, button)));

  const show: CandidatesView['show'] = (candidates, context, taken) => {
    shown = candidates;
    heading.textContent = context;
    rows.forEach(({ token, fill, share, button }, index) => {
      const one = candidates[index] as Candidate | undefined;
      button.disabled = !one;
      button.classList.toggle('taken', one !== undefined && one.id === taken);
      token.textContent = one ? visible(one.text) : '';
      share.textContent = one ? format.percent(one.probability) : '';
      fill.style.setProperty('--share', String(one?.probability ?? 0));
    });
  };
  return { show, clear: () => show([], '') };
}

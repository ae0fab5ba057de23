// Teacher forcing: the whole sentence goes in at once, and every position has to say the token after it. The mask keeps it honest.
import type { Model } from 'webformer';
import { h } from '../dom';
import { figure, percent } from '../format';
import { figureOf, type Part } from './lesson';
import { said, say } from './messages';
import { openTales } from './position-data';

export interface Guess { readonly seen: string; readonly next: string; readonly probability: number; readonly likeliest: string }

const MAX_TOKENS = 20;

/** For each token but the last, how likely the model holds the one that follows; `loss` is the library's own. */
export async function guessesOf(model: Model, text: string, signal: AbortSignal): Promise<{ guesses: Guess[]; loss: number }> {
  const ids = model.tokenizer!.encode(text).ids.slice(0, MAX_TOKENS);
  const { logits, loss } = await model.forward({ inputIds: [ids], labels: [ids] }, { signal });
  const [, , vocabulary] = logits!.shape;
  const guesses = ids.slice(1).map((id, t) => {
    const row = logits!.data.subarray(t * vocabulary, (t + 1) * vocabulary);
    const most = row.reduce((all, value) => Math.max(all, value), -Infinity);
    const sum = row.reduce((all, value) => all + Math.exp(value - most), 0);
    const textOf = (one: number) => model.tokenizer!.decode([one], { skipSpecialTokens: false });
    return {
      seen: model.tokenizer!.decode(ids.slice(0, t + 1)), next: textOf(id),
      probability: Math.exp(row[id] - most) / sum, likeliest: textOf(row.indexOf(most)),
    };
  });
  return { guesses, loss: loss! };
}

export function createForcing(): Part {
  const rows = h('tbody');
  const about = h('p', { class: 'lesson-result' });
  const head = (key: Parameters<typeof said>[1], isNumber = false) => said('th', key, { scope: 'col', ...isNumber && { class: 'number' } });
  return {
    element: figureOf('forcing.title', said('p', 'forcing.lead', { class: 'hint' }),
      h('div', { class: 'lesson-scroll', tabindex: '0', role: 'region', 'data-say-label': 'forcing.title' },
        h('table', { class: 'lesson-table forcing' },
          h('thead', {}, h('tr', {}, head('forcing.seen'), head('forcing.next'), head('forcing.probability', true),
            head('forcing.loss', true), head('forcing.likeliest'))), rows)), about),
    async show(text, signal) {
      const { guesses, loss } = await guessesOf(await openTales(), text, signal);
      const quoted = (part: string) => h('bdi', { lang: 'en', class: 'forcing-text' }, part);
      rows.replaceChildren(...guesses.map(({ seen, next, probability, likeliest }) => h('tr', {},
        h('td', {}, seen ? quoted(seen) : say('forcing.start')), h('td', {}, quoted(next)),
        h('td', { class: 'number' }, percent(probability)),
        h('td', { class: 'number' }, figure(-Math.log(probability))), h('td', {}, quoted(likeliest)))));
      about.textContent = say('forcing.mean', { loss: figure(loss), perplexity: figure(Math.exp(loss), 1) });
    },
  };
}

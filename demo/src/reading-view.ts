// What a model has read out of a text, drawn: spans over the text, bars with percentages, a ranked list.
import type { LabelScore } from 'webformer';
import { h } from './dom';
import type { Errand } from './errands';
import * as format from './format';
import { language } from './i18n';
import type { Language } from './i18n/choice';
import { labels as en } from './i18n/en/labels';
import { labels as ko } from './i18n/ko/labels';
import type { Reading, Span } from './readings';
import { t } from './understand-messages';

const MAX_ROWS = 40;
const TONES = 5;

/** `builtIn`: read by a model of the page, whose labels the page can name. */
export interface Shown { errand: Errand; reading: Reading; builtIn: boolean }
type Of<Kind extends Reading['kind']> = Extract<Reading, { kind: Kind }>;

interface Row { name: HTMLElement; note?: string; share: number; figure: string }

/** One row: what it is, where it stands, a bar and its figure. */
function bar({ name, note, share, figure }: Row): HTMLElement[] {
  const fill = h('span', { class: 'bar-fill' });
  fill.style.setProperty('--share', String(Math.min(Math.max(share, 0), 1)));
  return [
    h('span', { class: 'reading-name' }, name, note !== undefined && h('span', { class: 'reading-note', dir: 'auto', lang: '' }, note)),
    h('span', { class: 'bar-track', 'aria-hidden': 'true' }, fill), h('span', { class: 'reading-figure' }, figure),
  ];
}

/** `short`: its rows may stand in two columns. */
function barList(rows: readonly Row[], title: string, short = false): HTMLElement {
  const items = rows.slice(0, MAX_ROWS).map((row) => h('li', {}, ...bar(row)));
  const list = h('ol', { class: short ? 'reading-rows short' : 'reading-rows', 'aria-label': title }, ...items);
  if (rows.length > MAX_ROWS) list.append(h('li', { class: 'hint' }, t('understand.more', { n: rows.length - MAX_ROWS })));
  return list;
}

const LABELS: Record<Language, Readonly<Record<string, string>>> = { en, ko };

/** A label in the user's language, where it is one of the page's own; else as the model has it. */
export function labelName({ errand, builtIn }: Shown, label: string): string {
  return (builtIn && LABELS[language()][`${errand.name}.${label}`]) || label;
}

function labelElement(shown: Shown, label: string): HTMLElement {
  const name = labelName(shown, label);
  return h('span', { lang: name === label ? '' : language(), title: name === label ? null : label }, name);
}

const line = (text: string) => h('span', { class: 'reading-line', dir: 'auto', lang: '' }, text);

/** The text with its spans on coloured grounds, each with what is said of it below; its labels differ in colour as far as they can. */
function gloss(text: string, spans: readonly (Span & { element: HTMLElement })[], written: string): HTMLElement {
  const tones = new Map<string, number>();
  const drawn: (HTMLElement | string)[] = [];
  let at = 0;
  for (const { label, start, end, element } of spans) {
    if (start < at) continue;    // within one that is better
    const tone = tones.get(label) ?? tones.size;
    tones.set(label, tone);
    drawn.push(text.slice(at, start), h('span', { class: 'tag' },
      h('span', { class: `tag-text tone-${tone % TONES}` }, text.slice(start, end)), h('span', { class: 'tag-label' }, element)));
    at = end;
  }
  return h('p', { class: 'tagged prose', dir: 'auto', lang: written }, ...drawn, text.slice(at));
}

function spansView(shown: Shown, text: string, spans: readonly Span[]): HTMLElement[] {
  if (spans.length === 0) return [h('p', { class: 'hint' }, t('understand.nothing'))];
  const named = spans.map((span) => ({ ...span, element: labelElement(shown, span.label) }));
  const rows = spans.map(({ label, score, start, end }): Row => (
    { name: labelElement(shown, label), note: text.slice(start, end), share: score, figure: format.percent(score) }));
  return [gloss(text, named, shown.builtIn ? 'en' : ''), h('h3', {}, t('understand.found')), barList(rows, t('understand.found'), true)];
}

/** What a model proposes for each gap. */
function masksView({ mask, masks }: Of<'masks'>, use: (gap: number, token: string) => void): HTMLElement[] {
  if (masks.length === 0) return [h('p', { class: 'hint' }, t('understand.noMask', { mask }))];
  return [h('div', { class: 'masks' }, ...masks.map((words, gap) => {
    const rows = words.map(({ token, score }) => {
      const word = token.trim();
      const figure = format.percent(score);
      const title = t('understand.fill', { word, n: gap + 1 });
      const row = bar({ name: h('span', { class: 'reading-word', dir: 'auto', lang: '' }, word), share: score, figure });
      return h('li', {}, h('button', { type: 'button', title, click: () => use(gap, token) }, ...row));
    });
    const title = t('understand.mask', { n: gap + 1 });
    return h('section', {}, h('h3', {}, title), h('ol', { class: 'reading-rows', 'aria-label': title }, ...rows));
  }))];
}

function answersView({ context, answers }: Of<'answers'>): HTMLElement[] {
  const found = answers.filter(({ end, start }) => end > start);
  if (found.length === 0) return [h('p', { class: 'hint' }, t('understand.noAnswer'))];
  const rows = found.map(({ text, score }): Row => ({ name: line(text), share: score, figure: format.percent(score) }));
  // the best is marked before those that overlap with it
  const apart = found.filter((one, rank) => found.slice(0, rank).every(({ start, end }) => one.end <= start || one.start >= end));
  const numbered = apart.map((one) => ({ ...one, label: format.number(found.indexOf(one) + 1) }));
  const spans = numbered.map((one) => ({ ...one, element: h('span', {}, one.label) })).toSorted((a, b) => a.start - b.start);
  return [barList(rows, t('understand.result')), h('h3', {}, t('understand.inContext')), gloss(context, spans, '')];
}

/** `use` is called with the gap and the word that the user picks for it. */
export function readingView(shown: Shown, use: (gap: number, token: string) => void): HTMLElement[] {
  const { reading } = shown;
  switch (reading.kind) {
    case 'spans': return spansView(shown, reading.text, reading.spans);
    case 'masks': return masksView(reading, use);
    case 'answers': return answersView(reading);
    case 'text': return [h('p', { class: 'prose', dir: 'auto', lang: '' }, reading.text)];
    case 'labels': return [barList(reading.scores.map(({ label, score }): Row =>
      ({ name: labelElement(shown, label), share: score, figure: format.percent(score) })), t('understand.result'))];
    case 'lines': return [barList(reading.lines.map(({ text, score }): Row =>
      ({ name: line(text), share: score, figure: format.number(score, 2) })), t('understand.result'))];
  }
}

/** The best of it in a few words, for those who hear the page. */
export function spokenReading(shown: Shown): string {
  const { reading } = shown;
  switch (reading.kind) {
    case 'labels': {
      const [best] = reading.scores as readonly (LabelScore | undefined)[];
      return best ? `${labelName(shown, best.label)}, ${format.percent(best.score)}` : '';
    }
    case 'spans':
      return reading.spans.map(({ label, start, end }) => `${reading.text.slice(start, end)}: ${labelName(shown, label)}`).join(', ');
    case 'masks': return reading.masks.map(([best]) => best.token.trim()).join(', ');
    case 'lines': return reading.lines[0]?.text ?? '';
    case 'answers': return reading.answers[0]?.text ?? '';
    case 'text': return reading.text;
  }
}

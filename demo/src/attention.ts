// The Attention tab: every layer and head of a translation model on the user's sentence, and one weight of it taken apart.
import { KINDS, MAX_TOKENS, readText, type Kind, type Reading } from './attention-data';
import { createHeads } from './attention-heads';
import { createLines } from './attention-lines';
import { createMatrix } from './attention-matrix';
import { t } from './attention-messages';
import { createParts } from './attention-parts';
import { announce, byId, debounce, fillExamples } from './dom';
import * as format from './format';
import { onLanguage } from './i18n';
import { createModelBar } from './model-bar';
import { openModel } from './models';
import { createNotices } from './notices';
import { currentTab, onTab } from './tabs';
import { makeLinkable, updateUrl } from './url-state';

const EXAMPLES = [
  'I have never seen such a beautiful garden.',
  'Do you remember what he said yesterday?',
  'My brother works in a bank.',
];
const PAUSE_MS = 300;

/** What is looked at, each counted from 0. Key null: the one that the query looks at most. */
interface Choice { kind: Kind; layer: number; head: number; query: number; key: number | null }
const COUNTED = ['layer', 'head', 'query', 'key'] as const;
const FIRST: Choice = { kind: 'encoder', layer: 0, head: 0, query: 0, key: null };
const isKind = (name: string): name is Kind => (KINDS as readonly string[]).includes(name);

export function startAttention(): void {
  const text = byId('attention-text', HTMLTextAreaElement);
  const translation = byId('attention-translation', HTMLParagraphElement);
  const result = byId('attention-result', HTMLDivElement);
  const kinds = byId('attention-kind', HTMLSelectElement);
  const notices = createNotices(byId('attention-notices', HTMLDivElement));
  const modelBar = createModelBar(byId('attention-model', HTMLDivElement), 'attention', () => {
    notices.clear();    // it is of the model before
    void run();
  });
  const heads = createHeads(byId('attention-heads', HTMLDivElement), (layer, head) => choose({ layer, head }));
  const matrix = createMatrix(byId('attention-matrix', HTMLDivElement), (query, key) => choose({ query, key }));
  const lines = createLines(byId('attention-lines', HTMLDivElement), (which) => choose({ key: null, ...which }));
  const parts = createParts(byId('attention-parts', HTMLOListElement));

  let choice: Choice = { ...FIRST };
  let reading: Reading | null = null;
  let running: AbortController | null = null;

  /** Whether the choice is a link's, of which it is told where there is less of this text and model. */
  let linked = false;

  function tellOfLink(wanted: Choice): void {
    const changed = COUNTED.filter((name) => choice[name] !== wanted[name])
      .map((name) => ({ name, value: String(wanted[name]! + 1), used: String(choice[name]! + 1) }));
    if (linked && changed.length > 0) notices.tell(() => t('link.title'), () => changed.map((one) => t('link.refused', one)));
    linked = false;
  }

  /** Brings the choice within what there is of this text and model. */
  function clamp(): void {
    if (!reading) return;
    const { kind } = choice;
    const counts = {
      layer: reading.layers(kind), head: reading.heads, query: reading.queries(kind).length, key: reading.keys(kind).length,
    };
    for (const name of COUNTED) if (choice[name] !== null) choice[name] = Math.min(choice[name], counts[name] - 1);
  }

  const strongest = (weights: Float32Array) => weights.indexOf(Math.max(...weights));

  function choose(change: Partial<Choice>): void {
    const before = choice;
    choice = { ...choice, ...change };
    clamp();
    updateUrl();
    if (choice.kind !== before.kind) return render();
    if (choice.layer !== before.layer || choice.head !== before.head) renderHead();
    renderCell();
  }

  function render(): void {
    kinds.value = choice.kind;
    result.hidden = reading === null;
    translation.textContent = reading?.translation ?? '';
    byId('attention-cut', HTMLElement).textContent = reading?.cut ? t('attention.cut', { n: MAX_TOKENS }) : '';
    if (!reading) {
      for (const view of [heads, matrix, lines, parts]) view.clear();
      return;
    }
    clamp();
    byId('attention-about', HTMLElement).textContent = t(`attention.about.${choice.kind}`);
    heads.show(reading, choice.kind);
    renderHead();
    renderCell();
  }

  function renderHead(): void {
    if (!reading) return;
    const { kind, layer, head } = choice;
    const view = [reading.head(kind, layer, head), reading.queries(kind), reading.keys(kind)] as const;
    byId('attention-head-title', HTMLElement).textContent = t('attention.head', { layer: layer + 1, head: head + 1 });
    heads.choose(layer, head);
    matrix.show(...view);
    lines.show(...view);
  }

  function renderCell(): void {
    if (!reading) return;
    const { kind, layer, head, query } = choice;
    const row = reading.row(kind, layer, head, query);
    const key = choice.key ?? strongest(row.weights);
    const names = { query: reading.queries(kind)[query], key: reading.keys(kind)[key] };
    const title = t('attention.cell', { ...names, weight: format.percent(row.weights[key]) });
    matrix.choose(query, key);
    lines.choose(query, key);
    byId('attention-cell-title', HTMLElement).textContent = title;
    parts.show(row, names.query, reading.keys(kind), key);
  }

  async function run(): Promise<void> {
    running?.abort();
    if (currentTab() !== 'attention') return;
    const { signal } = running = new AbortController();
    result.ariaBusy = 'true';
    try {
      const model = text.value.trim() === '' ? null : await openModel(modelBar.item());
      signal.throwIfAborted();
      const next = model && await readText(model, text.value, signal);
      signal.throwIfAborted();
      reading = next;
      notices.clear();
      announce(reading ? t('attention.done', { text: reading.translation }) : '');
    } catch (error) {
      if (signal.aborted) return;
      reading = null;    // what was shown is of another text
      notices.show(() => t('attention.failed'), error);
    }
    result.ariaBusy = 'false';
    const wanted = { ...choice };
    render();
    if (reading) tellOfLink(wanted);
  }

  const typed = debounce(run, PAUSE_MS);
  text.addEventListener('input', () => {
    running?.abort();
    typed();
    updateUrl();
  });
  kinds.addEventListener('change', () => choose({ kind: kinds.value as Kind }));
  fillExamples(byId('attention-examples', HTMLDivElement), EXAMPLES, (example) => {
    text.value = example;
    updateUrl();
    void run();
  }, 'en');

  let early = text.value;    // typed while the code of this tab was fetched
  text.value = early || EXAMPLES[0];
  makeLinkable('attention', {
    read(parameters, refuse) {
      text.value = parameters.get('text') ?? (early || EXAMPLES[0]);
      early = '';
      choice = { ...FIRST };
      linked = true;
      const kind = parameters.get('kind') ?? choice.kind;
      if (isKind(kind)) choice.kind = kind;
      else refuse('kind', kind, choice.kind);
      for (const name of COUNTED) {
        const value = parameters.get(name);
        if (value === null) continue;
        if (/^[1-9]\d{0,3}$/.test(value)) choice[name] = Number(value) - 1;
        else refuse(name, value, t('attention.usual'));
      }
    },
    write(parameters) {
      parameters.set('text', text.value);
      parameters.set('kind', choice.kind);
      for (const name of COUNTED) if (choice[name] !== null) parameters.set(name, String(choice[name] + 1));
    },
  });
  onLanguage(render);
  onTab((tab) => { if (tab === 'attention') void run(); });
}

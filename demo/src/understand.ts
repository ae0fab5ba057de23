// The Understand tab: one errand at a time, its text, and what a model reads out of it.
import { announce, byId, debounce, fillExamples, h } from './dom';
import { errandNamed, errandOf, ERRANDS, type Errand } from './errands';
import { onLanguage } from './i18n';
import { awaitTask } from './landing';
import { createModelChoice, goToOwnModel } from './model-bar';
import { broughtFor, itemsForErrand, onAdded, openModel, type Item } from './models';
import { createNotices } from './notices';
import { filled, gapsOf, maskOf, read, type Input } from './readings';
import { readingView, spokenReading, type Shown } from './reading-view';
import { currentTab, onTab } from './tabs';
import { EXAMPLES } from './understand-examples';
import { t } from './understand-messages';
import { makeLinkable, updateUrl } from './url-state';

const PAUSE_MS = 150;

export function startUnderstand(): void {
  const source = byId('understand-text', HTMLTextAreaElement);
  const second = byId('understand-second', HTMLTextAreaElement);
  const place = byId('understand-result', HTMLDivElement);
  const gap = byId('understand-gap', HTMLButtonElement);
  const notices = createNotices(byId('understand-notices', HTMLDivElement));
  const buttons = new Map(ERRANDS.map((errand) => [errand, byId(`errand-${errand.name}`, HTMLButtonElement)]));

  let errand = ERRANDS[0];
  /** What the user left with each errand. */
  const inputs = new Map<Errand, Input>();
  const models = new Map<Errand, Item>();
  let shown: Shown | null = null;
  let measured: number | null = null;
  let running: AbortController | null = null;
  /** Whether the link has been read: a model that it does not need is not to be loaded. */
  let ready = false;
  const items = () => itemsForErrand(errand);
  const choice = createModelChoice(byId('understand-model', HTMLDivElement), items, items()[0], () => {
    const item = choice.item();
    if (item) models.set(errand, item);
    forget();
    void run();
  });

  function renderResult(): void {
    byId('understand-measure', HTMLElement).textContent = measured === null ? '' : t('understand.measure', { ms: measured });
    if (!choice.item()) place.replaceChildren(...withoutModel(errand));
    else place.replaceChildren(...(shown ? readingView(shown, fill) : []));
  }

  function forget(): void {
    running?.abort();
    [shown, measured] = [null, null];
    place.ariaBusy = 'false';
    notices.clear();
    renderResult();
  }

  async function run(): Promise<void> {
    running?.abort();
    if (!ready || currentTab() !== 'understand') return;
    const item = choice.item();
    awaitTask(errand.models.length === 0 ? errand.task : null);
    const input = { text: source.value, second: second.value };
    if (!item || input.text.trim() === '') return forget();
    const { signal } = running = new AbortController();
    const show = (reading: Shown['reading']) => {
      signal.throwIfAborted();
      shown = { errand, reading, builtIn: item.builtIn };
      renderResult();
    };
    place.ariaBusy = 'true';
    try {
      const model = await openModel(item);
      signal.throwIfAborted();
      const start = performance.now();
      const reading = await read(model, errand, input, signal, show);
      measured = Math.round(performance.now() - start);
      show(reading);
      notices.clear();
      announce(spokenReading(shown!));
    } catch (error) {
      if (signal.aborted) return;
      forget();
      notices.show(() => t('understand.failed'), error);
    }
    place.ariaBusy = 'false';
  }
  const typed = debounce(run, PAUSE_MS);

  function changed(): void {
    running?.abort();
    inputs.set(errand, { text: source.value, second: second.value });
    updateUrl();
  }

  function take({ text, second: beside }: Input): void {
    [source.value, second.value] = [text, beside];
    changed();
    void run();
  }

  /** A word takes the place of a gap. */
  function fill(index: number, token: string): void {
    if (index >= gapsOf(source.value).length) return;
    take({ text: filled(source.value, index, token), second: '' });
    announce(t('understand.filled', { word: token.trim() }));
    const next = place.querySelector('button') ?? source;
    next.focus();
  }

  function renderForm(): void {
    byId('understand-about', HTMLElement).textContent = t(`errand.${errand.name}.about`);
    byId('understand-text-label', HTMLElement).textContent = t(errand.text);
    byId('understand-second-label', HTMLElement).textContent = errand.second ? t(`errand.second.${errand.second}`) : '';
    gap.textContent = t('understand.addMask');
  }

  function renderExamples(): void {
    const examples = EXAMPLES[errand.name];
    const use = (text: string) => take(examples.find((one) => one.text === text)!);
    fillExamples(byId('understand-examples', HTMLDivElement), examples.map(({ text }) => text), use, 'en');
  }

  /** Shows an errand as the user left it, or with its example; `item`: with that model. */
  function choose(next: Errand, item?: Item): void {
    errand = next;
    for (const [one, button] of buttons) button.ariaPressed = String(one === errand);
    const input = inputs.get(errand) ?? EXAMPLES[errand.name][0];
    [source.value, second.value] = [input.text, input.second];
    byId('understand-second-pane', HTMLElement).hidden = errand.second === undefined;
    byId('errand-work', HTMLElement).dataset.errand = errand.name;
    gap.hidden = errand.name !== 'mask';
    renderForm();
    renderExamples();
    const before = choice.item();
    const wanted = [item, models.get(errand), ...items()].find((one) => one && items().includes(one));
    if (wanted) choice.choose(wanted);
    else choice.render();
    if (choice.item() !== before) return;
    forget();
    void run();
  }

  for (const [one, button] of buttons) {
    button.addEventListener('click', () => {
      choose(one);
      updateUrl();
    });
  }
  for (const field of [source, second]) {
    field.addEventListener('input', () => {
      changed();
      typed();
    });
  }
  gap.addEventListener('click', () => {
    const mask = maskOf(choice.item()?.model?.tokenizer ?? { special: {} });
    source.setRangeText(mask, source.selectionStart, source.selectionEnd, 'end');
    changed();
    source.focus();
    void run();
  });

  const early = source.value;    // typed while the code of this tab was fetched
  if (early) inputs.set(errand, { text: early, second: '' });
  const brought = broughtFor('understand');
  choose((brought && errandOf(brought.model!.info.tasks)) ?? errand, brought);
  makeLinkable('understand', {
    read(parameters, refuse) {
      const name = parameters.get('errand');
      const wanted = name === null ? errand : errandNamed(name);
      if (!wanted) refuse('errand', name!, errand.name);
      const next = wanted ?? errand;
      const [example] = EXAMPLES[next.name];
      const text = parameters.get('text'), beside = next.second ? parameters.get(next.second) : null;
      if (text !== null || beside !== null) inputs.set(next, { text: text ?? example.text, second: beside ?? example.second });
      choose(next);
    },
    write(parameters) {
      parameters.set('errand', errand.name);
      parameters.set('text', source.value);
      if (errand.second) parameters.set(errand.second, second.value);
    },
  });
  onAdded((item) => {
    const fitting = item.uses[0] === 'understand' && item.model && errandOf(item.model.info.tasks);
    if (fitting) choose(item.model!.info.tasks.includes(errand.task) && errand.models.length === 0 ? errand : fitting, item);
  });
  onLanguage(() => {
    renderForm();
    renderResult();
  });
  ready = true;
  onTab((tab) => {
    if (tab === 'understand') void run();
    else awaitTask(null);
  });
}

/** Where no model is there for an errand: what to bring. */
function withoutModel({ task, example }: Errand): HTMLElement[] {
  const bring = () => {
    const address = byId('url', HTMLInputElement);
    if (address.value === '') address.value = `hf:${example}`;
    goToOwnModel();
  };
  return [h('div', { class: 'without-model' },
    h('p', {}, h('strong', {}, t('understand.noModel'))),
    h('p', {}, t('understand.noModel.advice', { task, example: example ?? '' })),
    h('button', { type: 'button', click: bring }, t('understand.bring')))];
}

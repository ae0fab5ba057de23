// A model of the user's own: dropped, picked or named by its address.
import type { LoadOptions, ModelSource, Progress } from 'webformer';
import { announce, byId, h } from './dom';
import { fromDrop, fromPicker, type Gathered } from './drop';
import { PageError } from './errors';
import * as format from './format';
import { isMessage, onLanguage, t } from './i18n';
import { remarkOn, useOf } from './item-use';
import { landingOf } from './landing';
import { addModel, addTokenizer, allItems, onShelf, type Item } from './models';
import { lastPart, tellingPart } from './model-name';
import { createNotices } from './notices';
import { showTab } from './tabs';

const TOKENIZER_FILE =
  /(^|\/)(tokenizer(_config)?\.json|special_tokens_map\.json|added_tokens\.json|vocab\.(txt|json)|merges\.txt|[^/]+\.(model|spm))$/i;

/** What is to be loaded, and from where. */
interface Wanted { path: string; add(options: Pick<LoadOptions, 'signal' | 'onProgress'>): Promise<Item> }

function wantedFiles({ path, files }: Gathered): Wanted {
  if (files.size === 0) throw new PageError('invalid_argument', 'own.nothing.message');
  const tokenizerOnly = [...files.keys()].every((name) => TOKENIZER_FILE.test(name));
  return { path, add: (options) => (tokenizerOnly ? addTokenizer(files, path, options) : addModel(files, path, options)) };
}

const wantedAddress = (path: string): Wanted =>
  ({ path, add: (options) => (TOKENIZER_FILE.test(path) ? addTokenizer(path, path, options) : addModel(path, path, options)) });

export function startOwnModel(): void {
  const notices = createNotices(byId('own-notices', HTMLDivElement));
  const progress = createProgress(byId('own-progress', HTMLDivElement));

  let running: AbortController | null = null;
  let told: Item | null = null;
  onShelf(() => {
    if (told && !allItems().includes(told)) forget();
  });
  function forget(): void {
    told = null;
    notices.clear();
  }

  /** One load at a time: a later one takes the place of the one before, from the drop on, however long the files take to list. */
  async function load(listing: Promise<Wanted>): Promise<void> {
    running?.abort();
    const controller = running = new AbortController();
    const { signal } = controller;
    forget();
    progress.end();
    let name = '';
    try {
      const { path, add } = await listing;
      signal.throwIfAborted();
      name = tellingPart(path) || lastPart(path);
      progress.start(name, () => controller.abort());
      tell(await add({ signal, onProgress: (event) => { if (running === controller) progress.show(event); } }));
    } catch (error) {
      const title = () => (error instanceof PageError ? t('own.nothing') : t('own.failed', { name }));
      if (running === controller) notices.show(title, error);
    } finally {
      if (running === controller) {
        running = null;
        progress.end();
      }
    }
  }

  function tell(item: Item): void {
    const tab = landingOf(item);
    if (tab) showTab(tab);
    const loaded = () => t('own.loaded', { name: item.name });
    const remark = remarkOn(item);
    if (!remark) return announce(`${loaded()}. ${useOf(item)}`);
    told = item;
    notices.tell(loaded, () => remarkOn(item) ?? remark);
  }

  const loadFiles = (gathering: Promise<Gathered>) => load(gathering.then(wantedFiles));

  startPickers(loadFiles);
  startDrop(loadFiles);
  byId('url-form', HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault();
    const address = addressOf(byId('url', HTMLInputElement).value);
    if (address === null) return byId('url', HTMLInputElement).focus();
    return load(Promise.resolve(wantedAddress(address)));
  });
}

/** As the API wants it: a folder ends in a slash. Null: nothing was named. */
function addressOf(value: string): ModelSource & string | null {
  const text = value.trim();
  if (text === '') return null;
  if (text.startsWith('hf:')) return text;
  const isFile = /\.(gguf|json|model|spm|safetensors)$/i.test(text);
  const address = isFile || text.endsWith('/') ? text : `${text}/`;
  return URL.canParse(address, document.baseURI) ? new URL(address, document.baseURI).href : text;
}

function startPickers(load: (gathering: Promise<Gathered>) => unknown): void {
  for (const kind of ['folder', 'files'] as const) {
    const input = byId(`${kind}-input`, HTMLInputElement);
    byId(`pick-${kind}`, HTMLButtonElement).addEventListener('click', () => input.click());
    input.addEventListener('change', () => {
      if (input.files && input.files.length > 0) load(Promise.resolve(fromPicker(input.files)));
      input.value = '';
    });
  }
}

/** Files may be dropped anywhere on the page; a veil says so while they are dragged over it. */
function startDrop(load: (gathering: Promise<Gathered>) => unknown): void {
  const veil = byId('drop-veil', HTMLDivElement);
  const carriesFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
  addEventListener('dragover', (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    veil.hidden = false;
  });
  addEventListener('dragleave', (event) => { if (event.relatedTarget === null) veil.hidden = true; });
  addEventListener('drop', (event) => {
    veil.hidden = true;
    if (!carriesFiles(event) || !event.dataTransfer) return;
    event.preventDefault();
    load(fromDrop(event.dataTransfer));
    byId('own-model', HTMLElement).scrollIntoView({ block: 'nearest' });
  });
}

interface ProgressView { start(name: string, cancel: () => void): void; show(event: Progress): void; end(): void }

function createProgress(place: HTMLElement): ProgressView {
  const label = h('span', { class: 'own-progress-label' });
  const bar = h('progress', { max: 1 });
  const cancel = h('button', { type: 'button', class: 'quiet' });
  place.append(label, bar, cancel);
  let name = '';
  let last: Progress | null = null;
  let stop: () => void = () => {};
  cancel.addEventListener('click', () => stop());

  const render = () => {
    cancel.textContent = t('cancel');
    bar.ariaLabel = t('own.progress', { name });
    const phase = `phase.${last?.phase ?? 'runtime'}`;
    const parts = [name, isMessage(phase) ? t(phase) : '', last?.file, last?.fraction === undefined ? '' : format.percent(last.fraction)];
    label.textContent = parts.filter(Boolean).join(' · ');
    if (last?.fraction === undefined) bar.removeAttribute('value');
    else bar.value = last.fraction;
  };
  onLanguage(render);
  return {
    start(newName, newStop) {
      [name, stop, last] = [newName, newStop, null];
      place.hidden = false;
      render();
    },
    show(event) {
      last = event;
      render();
    },
    end() { place.hidden = true; },
  };
}

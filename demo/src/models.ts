// The shelf: the models and tokenizers that the page knows, each loaded when it is first used.
import {
  loadModel, loadTokenizer, type LoadOptions, type Model, type ModelInfo, type ModelSource, type Task, type Tokenizer,
} from 'webformer';
import { ERRANDS, type Errand } from './errands';
import { listeners } from './listeners';
import { distinct, lastPart, ownName, tellingPart } from './model-name';
import type { Tab } from './tab-names';

export interface Item {
  readonly id: string;
  readonly name: string;
  readonly builtIn: boolean;
  /** The tabs that can use it. */
  readonly uses: readonly Tab[];
  /** BCP 47 tags of what it translates between, where they are known. */
  readonly languages?: { from: string; to: string };
  model?: Model;
  tokenizer?: Tokenizer;
  /** Of the last text that it made. */
  tokensPerSecond?: number;
  /** Of a load that is under way; undefined while unknown, null when none is. */
  fraction: number | undefined | null;
}

const MODELS_FOLDER = new URL('models/', document.baseURI);
const items: Item[] = [
  { id: 'en-fr', name: 'en-fr', builtIn: true, uses: ['translate', 'tokenize', 'attention'], languages: { from: 'en', to: 'fr' },
    fraction: null },
  { id: 'fr-en', name: 'fr-en', builtIn: true, uses: ['translate'], languages: { from: 'fr', to: 'en' }, fraction: null },
  { id: 'tales', name: 'tales', builtIn: true, uses: ['generate', 'tokenize', 'understand'], fraction: null },
  ...['pos-tags', 'slots', 'intents', 'spam', 'fill-mask'].map((id): Item =>
    ({ id, name: id, builtIn: true, uses: ['understand'], fraction: null })),
];
const openModels = new Map<Item, Promise<Model>>();
const openTokenizers = new Map<Item, Promise<Tokenizer>>();

const changed = listeners<void>();
const added = listeners<Item>();

export const itemsFor = (tab: Tab): Item[] => items.filter((item) => item.uses.includes(tab));
/** Of what the user brought, the last that is for that tab first of all. */
export const broughtFor = (tab: Tab): Item | undefined => items.findLast(({ builtIn, uses }) => !builtIn && uses[0] === tab);
/** The model of the page that translates the other way. */
export const reverseOf = ({ languages }: Item): Item | undefined => languages
  && items.find(({ builtIn, languages: other }) => builtIn && other?.from === languages.to && other.to === languages.from);
/** Those of the page that do it, then the user's that can. */
export const itemsForErrand = ({ task, models }: Errand): Item[] => [
  ...models.map((id) => items.find((item) => item.builtIn && item.id === id)!),
  ...items.filter(({ builtIn, model, uses }) => !builtIn && uses.includes('understand') && model!.info.tasks.includes(task)),
];
export const allItems = (): readonly Item[] => items;
export const bytesInMemory = (): number => items.reduce((sum, item) => sum + (item.model?.info.bytes ?? 0), 0);

/** Calls `listener` when the shelf, or the state of something on it, has changed. */
export function onShelf(listener: () => void): void {
  changed.add(listener);
}

/** Calls `listener` with each model or tokenizer that the user added. */
export function onAdded(listener: (item: Item) => void): void {
  added.add(listener);
}

/** What `load` gives, once for all who ask; asked again after a failure, it tries again. */
function once<R>(opened: Map<Item, Promise<R>>, item: Item, load: () => Promise<R>): Promise<R> {
  const known = opened.get(item);
  if (known) return known;
  const loading = load().catch((error: unknown) => {
    opened.delete(item);
    throw error;
  });
  opened.set(item, loading);
  return loading;
}

async function loadBuiltIn(item: Item): Promise<Model> {
  item.fraction = undefined;
  changed.call();
  try {
    item.model = await loadModel(new URL(`${item.id}/`, MODELS_FOLDER), {
      onProgress: ({ fraction }) => {
        item.fraction = fraction;
        changed.call();
      },
    });
    return item.model;
  } finally {
    item.fraction = null;
    changed.call();
  }
}

/** The model of an item that has one. */
export function openModel(item: Item): Promise<Model> {
  return once(openModels, item, () => loadBuiltIn(item));
}

/** The tokenizer of an item; where the model is not needed yet, without loading the model. Null: it has none. */
export async function openTokenizer(item: Item): Promise<Tokenizer | null> {
  if (item.tokenizer) return item.tokenizer;
  if (item.model) return item.model.tokenizer;
  return once(openTokenizers, item, () => loadTokenizer(new URL(`${item.id}/`, MODELS_FOLDER)));
}

/** What it is for above all comes first. */
function usesOf(model: Model): Tab[] {
  const { kind, tasks }: ModelInfo = model.info;
  if (!model.tokenizer) return [];    // every tab begins with a text
  const can = (...wanted: Task[]) => wanted.some((task) => tasks.includes(task));
  const uses: (Tab | false)[] = [
    can('translation') && 'translate', can('text-generation') && 'generate', 'tokenize', kind === 'encoder-decoder' && 'attention',
  ];
  const others = uses.filter((tab) => tab !== false);
  if (!can(...ERRANDS.map(({ task }) => task))) return others;
  return can('translation', 'text-generation') ? [...others, 'understand'] : ['understand', ...others];
}

let number = 0;

function put(item: Item): Item {
  items.push(item);
  added.call(item);
  changed.call();
  return item;
}

const distinctName = (name: string) => distinct(name, items.filter(({ builtIn }) => !builtIn).map((item) => item.name));

/** Loads a model that the user brought from `path`, and puts it on the shelf. */
export async function addModel(source: ModelSource, path: string, options: LoadOptions): Promise<Item> {
  const model = await loadModel(source, options);
  if (options.signal?.aborted) model.dispose();    // too late for the load to stop
  options.signal?.throwIfAborted();
  const name = distinctName(tellingPart(path) || ownName(model));
  const item: Item = { id: `own-${++number}`, name, builtIn: false, uses: usesOf(model), model, fraction: null };
  openModels.set(item, Promise.resolve(model));
  return put(item);
}

/** The same with a tokenizer alone. */
export async function addTokenizer(source: ModelSource, path: string, options: Pick<LoadOptions, 'signal' | 'onProgress'>): Promise<Item> {
  const tokenizer = await loadTokenizer(source, options);
  options.signal?.throwIfAborted();
  return putTokenizer(tokenizer, tellingPart(path) || lastPart(path));
}

/** Puts a tokenizer that was made on the page on the shelf. */
export function putTokenizer(tokenizer: Tokenizer, name: string): Item {
  return put({ id: `own-${++number}`, name: distinctName(name), builtIn: false, uses: ['tokenize'], tokenizer, fraction: null });
}

/** Gives the memory of a model back. One that the user brought leaves the shelf; an embedded one is loaded again on its next use. */
export function removeItem(item: Item): void {
  item.model?.dispose();
  item.model = undefined;
  item.tokensPerSecond = undefined;
  openModels.delete(item);
  if (!item.builtIn) items.splice(items.indexOf(item), 1);
  changed.call();
}

// The Tokenize tab: one text, every tokenizer on the page side by side.
import { byId, debounce, fillExamples } from './dom';
import { onLanguage, t } from './i18n';
import { nameOf } from './item-name';
import { createMerging } from './merging';
import { itemsFor, onShelf, openTokenizer, type Item } from './models';
import { createNotices } from './notices';
import { createOwnTokenizer } from './own-tokenizer';
import { currentTab, onTab } from './tabs';
import { createTokenizerCard, type TokenizerCard } from './tokenizer-card';
import { makeLinkable, updateUrl } from './url-state';

const EXAMPLES = [
  'Unbelievable! The tokenizers couldn’t agree on “mermaid”.',
  'lowest lower newer wider',
  'Il était une fois, naïve façade, 3.14159 €',
  '옛날 옛적에 🦊🧜‍♀️ lived here',
];
const PAUSE_MS = 60;

export function startTokenize(): void {
  const source = byId('text', HTMLTextAreaElement);
  const special = byId('special-tokens', HTMLInputElement);
  const grid = byId('tokenizers', HTMLDivElement);
  const notices = createNotices(byId('tokenize-notices', HTMLDivElement));
  const cards = new Map<Item, TokenizerCard>();

  function cardOf(item: Item): TokenizerCard {
    const known = cards.get(item);
    if (known) return known;
    const card = createTokenizerCard(() => nameOf(item), (range) => { for (const other of cards.values()) other.light(range); });
    cards.set(item, card);
    return card;
  }

  /** The cards of what is on the shelf, in its order. */
  function layCards(): Item[] {
    const items = itemsFor('tokenize');
    for (const item of cards.keys()) if (!items.includes(item)) cards.delete(item);
    const elements = items.map((item) => cardOf(item).element);
    const same = elements.length === grid.children.length && elements.every((element, i) => element === grid.children[i]);
    if (!same) grid.replaceChildren(...elements);
    return items;
  }

  async function render(): Promise<void> {
    if (currentTab() !== 'tokenize') return;
    byId('text-measure', HTMLElement).textContent = t('tokenize.length', { n: [...source.value].length });
    const failures: unknown[] = [];
    for (const item of layCards()) {
      try {
        const tokenizer = await openTokenizer(item);
        if (tokenizer) cardOf(item).show(tokenizer, source.value, special.checked);
      } catch (error) {
        cardOf(item).clear();
        failures.push(error);
      }
    }
    if (failures.length > 0) notices.show(() => t('tokenize.failed'), failures[0]);
    else notices.clear();
  }

  const typed = debounce(render, PAUSE_MS);
  const changed = () => {
    typed();
    updateUrl();
  };
  source.addEventListener('input', changed);
  special.addEventListener('change', changed);
  fillExamples(byId('tokenize-examples', HTMLDivElement), EXAMPLES, (text) => {
    source.value = text;
    changed();
  }, '');

  let early = source.value;  // typed while the code of this tab was fetched
  source.value = early || EXAMPLES[0];
  const parts = [createMerging(), createOwnTokenizer()];
  makeLinkable('tokenize', {
    read(parameters, refuse) {
      source.value = parameters.get('text') ?? (early || EXAMPLES[0]);
      early = '';
      const wanted = parameters.get('special') ?? '1';
      special.checked = wanted !== '0';
      if (!/^[01]$/.test(wanted)) refuse('special', wanted, '1');
      for (const part of parts) part.read(parameters, refuse);
    },
    write(parameters) {
      parameters.set('text', source.value);
      if (!special.checked) parameters.set('special', '0');
      for (const part of parts) part.write(parameters);
    },
  });
  const tokenizers = () => itemsFor('tokenize').map(({ id }) => id).join();
  let shown = tokenizers();
  onShelf(() => {
    if (tokenizers() === shown) return;
    shown = tokenizers();
    void render();
  });
  onTab(() => void render());
  onLanguage(() => void render());
}

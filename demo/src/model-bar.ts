// Which model a tab works with: a choice where there are several, its facts, and its progress while it loads.
import { byId, h } from './dom';
import * as format from './format';
import { onLanguage, t } from './i18n';
import { nameOf } from './item-name';
import { itemsFor, onAdded, onShelf, type Item } from './models';
import type { Tab } from './tabs';

export interface ModelBar { item(): Item; choose(item: Item): void }

/** `changed` is called when another model is chosen. */
export function createModelBar(place: HTMLElement, tab: Tab, changed: () => void): ModelBar {
  let current = itemsFor(tab)[0];
  const id = `${place.id}-select`;
  const label = h('label', { for: id });
  const select = h('select', { id });
  const facts = h('span', { class: 'model-facts' });
  const progress = h('progress', { max: 1, hidden: true });
  const own = h('a', { href: '#own-model', class: 'own-link', click: (event) => {
    event.preventDefault();    // the address holds the page's state
    byId('own-model', HTMLElement).scrollIntoView();
    byId('pick-folder', HTMLButtonElement).focus({ preventScroll: true });
  } });
  place.append(h('div', { class: 'control inline' }, label, select), facts, own, progress);

  const choose = (item: Item) => {
    if (item === current) return;
    current = item;
    render();
    changed();
  };
  select.addEventListener('change', () => choose(itemsFor(tab)[select.selectedIndex]));

  function render(): void {
    const items = itemsFor(tab);
    if (!items.includes(current)) {
      current = items[0];
      changed();
    }
    label.textContent = t('model');
    own.textContent = t('model.own');
    const names = items.map(nameOf);
    if (select.options.length !== names.length || names.some((name, i) => select.options[i].text !== name)) {
      select.replaceChildren(...names.map((name) => h('option', {}, name)));
    }
    select.selectedIndex = items.indexOf(current);
    const loading = current.fraction !== null;
    progress.hidden = !loading;
    progress.ariaLabel = t('loading');
    if (current.fraction === undefined || current.fraction === null) progress.removeAttribute('value');
    else progress.value = current.fraction;
    const info = current.model?.info;
    facts.textContent = info ? t('model.facts', { type: info.modelType, parameters: format.count(info.parameters), dtype: info.dtype })
      : t(loading ? 'loading' : 'model.onUse');
  }
  onShelf(render);
  onAdded((item) => { if (item.uses[0] === tab) choose(item); });
  onLanguage(render);
  return { item: () => current, choose };
}

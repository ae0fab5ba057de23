// Which model a tab works with: a choice where there are several, its facts, and its progress while it loads.
import { byId, h } from './dom';
import * as format from './format';
import { onLanguage, t } from './i18n';
import { nameOf } from './item-name';
import { broughtFor, itemsFor, onAdded, onShelf, type Item } from './models';
import type { Tab } from './tab-names';

/** `item`: null where there is no model to choose. */
export interface ModelChoice { item(): Item | null; choose(item: Item): void; render(): void }
export interface ModelBar { item(): Item; choose(item: Item): void }

/** Leads to where the user brings a model. */
export function goToOwnModel(): void {
  byId('own-model', HTMLElement).scrollIntoView();
  byId('pick-folder', HTMLButtonElement).focus({ preventScroll: true });
}

/** A choice among `itemsOf()`; `changed` is called when another model is chosen, or the chosen one has left the shelf. */
export function createModelChoice(place: HTMLElement, itemsOf: () => Item[], first: Item | null, changed: () => void): ModelChoice {
  let current = first;
  const id = `${place.id}-select`;
  const label = h('label', { for: id });
  const select = h('select', { id });
  const facts = h('span', { class: 'model-facts' });
  const progress = h('progress', { max: 1, hidden: true });
  const own = h('a', { href: '#own-model', class: 'own-link', click: (event) => {
    event.preventDefault();    // the address holds the page's state
    goToOwnModel();
  } });
  place.append(h('div', { class: 'control inline' }, label, select), facts, own, progress);

  const choose = (item: Item | null) => {
    if (item === current) return;
    current = item;
    render();
    changed();
  };
  select.addEventListener('change', () => choose(itemsOf()[select.selectedIndex] ?? null));

  function render(): void {
    const items = itemsOf();
    if (current ? !items.includes(current) : items.length > 0) return choose(items[0] ?? null);
    label.textContent = t('model');
    own.textContent = t('model.own');
    const names = items.length > 0 ? items.map(nameOf) : [t('model.none')];
    if (select.options.length !== names.length || names.some((name, i) => select.options[i].text !== name)) {
      select.replaceChildren(...names.map((name) => h('option', {}, name)));
    }
    select.disabled = items.length === 0;
    select.selectedIndex = current ? items.indexOf(current) : 0;
    const fraction = current?.fraction ?? null;
    const loading = current !== null && current.fraction !== null;
    progress.hidden = !loading;
    progress.ariaLabel = t('loading');
    if (fraction === null) progress.removeAttribute('value');
    else progress.value = fraction;
    const info = current?.model?.info;
    facts.textContent = info ? t('model.facts', { type: info.modelType, parameters: format.count(info.parameters), dtype: info.dtype })
      : !current ? '' : t(loading ? 'loading' : 'model.onUse');
  }
  onShelf(render);
  onLanguage(render);
  return { item: () => current, choose, render };
}

/** The choice of a tab, to which models that the user brings for it come at once; there is always one. */
export function createModelBar(place: HTMLElement, tab: Tab, changed: () => void): ModelBar {
  const first = broughtFor(tab) ?? itemsFor(tab)[0];
  const { item, choose } = createModelChoice(place, () => itemsFor(tab), first, changed);
  onAdded((added) => { if (added.uses[0] === tab) choose(added); });
  return { item: () => item()!, choose };
}

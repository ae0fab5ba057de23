// The table of what is on the shelf, and the buttons that give memory back.
import { byId, h } from './dom';
import * as format from './format';
import { onLanguage, t } from './i18n';
import { nameOf } from './item-name';
import { useOf } from './item-use';
import { allItems, onShelf, removeItem, type Item } from './models';

function kindOf({ model, tokenizer }: Item): string {
  if (tokenizer) return t('models.tokenizer', { kind: tokenizer.kind });
  return model ? `${model.info.modelType}, ${t(`kind.${model.info.kind}`)}` : t('models.unloaded');
}

function removeButton(item: Item): HTMLButtonElement {
  const label = t(item.builtIn ? 'models.unload' : 'models.remove');
  return h('button', { type: 'button', class: 'quiet', 'aria-label': `${label}: ${nameOf(item)}`, click: () => removeItem(item) }, label);
}

function row(item: Item): HTMLTableRowElement {
  const info = item.model?.info;
  return h('tr', {},
    h('th', { scope: 'row' }, h('bdi', {}, nameOf(item))),
    h('td', {}, kindOf(item), h('span', { class: 'models-use' }, useOf(item))),
    h('td', { class: 'number' }, info ? format.count(info.parameters) : '–'),
    h('td', { class: 'number' }, info ? format.bytes(info.bytes) : '–'),
    h('td', { class: 'models-action' }, (item.model || !item.builtIn) && removeButton(item)));
}

export function startModelsTable(): void {
  const body = byId('models', HTMLTableSectionElement);
  let shown = '';
  const render = () => {
    const rows = allItems().map(row);
    const text = rows.map((one) => one.innerHTML).join();
    if (text === shown) return;    // progress events change nothing here, and a button must keep its focus
    shown = text;
    body.replaceChildren(...rows);
  };
  onShelf(render);
  onLanguage(render);
}

import { isMessage, t } from './i18n';
import type { Item } from './models';

/** What the page calls a model: an embedded one by a name in the user's language. */
export function nameOf(item: Item): string {
  const key = `model.${item.id}`;
  return item.builtIn && isMessage(key) ? t(key) : item.name;
}

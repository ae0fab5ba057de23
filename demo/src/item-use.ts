// What the page can do with a model, in words.
import { language, t } from './i18n';
import type { Item } from './models';

const hasNoTokenizer = ({ model }: Item) => model !== undefined && model.tokenizer === null;

/** In which tabs it can be used; where in none, why. */
export function useOf(item: Item): string {
  if (hasNoTokenizer(item)) return t('use.none');
  return t('use.tabs', { tabs: new Intl.ListFormat(language()).format(item.uses.map((tab) => t(`tab.${tab}`))) });
}

/** What to know of a model that is loaded and can do less here than one might expect; null: there is nothing to say. */
export const remarkOn = (item: Item): string[] | null => (hasNoTokenizer(item) ? [t('use.none'), t('use.none.advice')] : null);

// What the page can do with a model, in words.
import { language, t } from './i18n';
import type { Item } from './models';

const listed = (names: readonly string[]) => new Intl.ListFormat(language()).format(names);

const hasNoTokenizer = ({ model }: Item) => model !== undefined && model.tokenizer === null;
const makesNoText = ({ model }: Item) => model?.info.kind === 'encoder';

/** In which tabs it can be used; where in few or none, why. */
export function useOf(item: Item): string {
  const tabs = listed(item.uses.map((tab) => t(`tab.${tab}`)));
  if (hasNoTokenizer(item)) return t('use.none');
  return t(makesNoText(item) ? 'use.noText' : 'use.tabs', { tabs });
}

/** What to know of a model that is loaded and can do less here than one might expect; null: there is nothing to say. */
export function remarkOn(item: Item): string[] | null {
  if (hasNoTokenizer(item)) return [t('use.none'), t('use.none.advice')];
  if (!makesNoText(item)) return null;
  return [useOf(item), t('use.noText.advice', { tasks: listed(item.model!.info.tasks) })];
}

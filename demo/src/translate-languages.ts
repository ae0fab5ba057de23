// From which language to which: named over the panes, or chosen there, where a model has many; and the button that turns the direction.
import { byId, h } from './dom';
import { language, t } from './i18n';
import { nameOf } from './item-name';
import { reverseOf, type Item } from './models';

/** By the codes of the model, and by the tags of BCP 47; '' where the language is not known. */
export interface Languages { options: { from?: string; to?: string }; tags: { from: string; to: string } }
export interface LanguagesView { current(): Languages; render(): void }

const SIDES = ['from', 'to'] as const;
type Side = typeof SIDES[number];
const PLACES = { from: 'source', to: 'target' } as const;
/** What is chosen at first, where the model has it. */
const USUAL: Readonly<Record<Side, string>> = { from: 'en', to: 'fr' };

/** 'fra_Latn' and 'fr_XX' -> 'fr', 'zho_Hant' -> 'zh-Hant'; '' where a code names no language. */
function tagOf(code: string): string {
  try {
    const locale = new Intl.Locale(code.replace(/_[A-Z]{2}$/, '').replace('_', '-'));
    const isUsual = locale.script === new Intl.Locale(locale.language).maximize().script;
    return isUsual ? locale.language : locale.toString();
  } catch {
    return '';
  }
}

/** `turn` is called with the model of the other way, or null where only the languages have changed places; `changed` when one is chosen. */
export function createLanguages(item: () => Item, turn: (other: Item | null) => void, changed: () => void): LanguagesView {
  const swap = byId('translate-swap', HTMLButtonElement);
  const selects = { from: byId('source-language', HTMLSelectElement), to: byId('target-language', HTMLSelectElement) };
  const chosen = new WeakMap<Item, Record<Side, string>>();
  let listed = '';

  const codes = () => item().model?.info.languages ?? [];

  function choice(): Record<Side, string> | null {
    const known = codes();
    if (known.length < 2) return null;
    const first = (side: Side, otherwise: string) => known.find((code) => tagOf(code) === USUAL[side]) ?? otherwise;
    const made = chosen.get(item()) ?? { from: first('from', known[0]), to: first('to', known[1]) };
    chosen.set(item(), made);
    return made;
  }

  function current(): Languages {
    const made = choice();
    if (made) return { options: made, tags: { from: tagOf(made.from), to: tagOf(made.to) } };
    return { options: {}, tags: item().languages ?? { from: '', to: '' } };
  }

  function list(names: (code: string) => string): void {
    const key = JSON.stringify([language(), codes()]);
    if (key === listed) return;
    listed = key;
    const sorted = codes().map((code) => [names(code), code] as const).toSorted(([a], [b]) => a.localeCompare(b, language()));
    for (const side of SIDES) selects[side].replaceChildren(...sorted.map(([name, code]) => h('option', { value: code }, name)));
  }

  function render(): void {
    const display = new Intl.DisplayNames(language(), { type: 'language' });
    const nameOfTag = (tag: string) => (tag === '' ? undefined : display.of(tag));
    const { tags } = current();
    const made = choice();
    list((code) => nameOfTag(tagOf(code)) ?? code);
    for (const side of SIDES) {
      const label = byId(`${PLACES[side]}-label`, HTMLElement);
      const select = selects[side];
      label.textContent = nameOfTag(tags[side]) ?? t(`translate.${PLACES[side]}`);
      label.classList.toggle('visually-hidden', made !== null);
      select.hidden = made === null;
      if (made) select.value = made[side];
      byId(PLACES[side], HTMLElement).lang = tags[side];
    }
    const other = reverseOf(item());
    swap.hidden = !other && !made;
    swap.ariaLabel = swap.title = other ? t('translate.swap', { name: nameOf(other) }) : t('translate.swapLanguages');
  }

  for (const side of SIDES) {
    selects[side].addEventListener('change', () => {
      choice()![side] = selects[side].value;
      render();
      changed();
    });
  }
  swap.addEventListener('click', () => {
    const made = choice();
    if (made) chosen.set(item(), { from: made.to, to: made.from });
    const other = made ? null : reverseOf(item());
    if (other !== undefined) turn(other);
  });
  return { current, render };
}

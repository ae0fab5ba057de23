// The state in the address, so that a link shows what its sender saw: #tab?name=value&lang=en. Each tab shown is a step of the history.
import { byId, debounce } from './dom';
import { language, onLanguage, setLanguage, t } from './i18n';
import { languageIn } from './i18n/choice';
import { createNotices } from './notices';
import { isTab, TABS, type Tab } from './tab-names';
import { currentTab, onTab, showTab } from './tabs';

/** To be called for a value of a link that cannot be used as it is; `used` is what stands in its place. */
export type Refuse = (name: string, value: string, used: string) => void;

/** What a tab puts into a link, and takes from one. */
export interface Linkable { read(parameters: URLSearchParams, refuse: Refuse): void; write(parameters: URLSearchParams): void }

const linkables = new Map<Tab, Linkable>();
/** What a link gave to tabs that are not started yet. */
const waiting = new Map<Tab, { parameters: URLSearchParams; refuse: Refuse }>();
/** Tells the steps of this visit, whose state the page still holds, from those before a reload. */
const VISIT = performance.timeOrigin;
const MAX_SHOWN = 40;
let writtenTab: Tab = currentTab();
let written = '';

export function makeLinkable(tab: Tab, linkable: Linkable): void {
  linkables.set(tab, linkable);
  const given = waiting.get(tab);
  waiting.delete(tab);
  if (given) linkable.read(given.parameters, given.refuse);
}

function addressOf(tab: Tab): string {
  const parameters = new URLSearchParams(waiting.get(tab)?.parameters);
  linkables.get(tab)?.write(parameters);
  parameters.set('lang', language());
  return `#${tab}?${parameters}`;
}

function write(): void {
  if (location.hash !== written) return;    // a link was followed, which the page hears of only in a moment: it is not to be lost
  written = addressOf(currentTab());
  history.replaceState({ visit: VISIT }, '', written);
}

/** To be called after each change of what a tab writes. */
export const updateUrl: () => void = debounce(write, 250);

function stepTo(tab: Tab): void {
  if (tab === writtenTab) return updateUrl();
  if (location.hash === written) history.replaceState({ visit: VISIT }, '', addressOf(writtenTab));    // with what was typed there last
  history.pushState({ visit: VISIT }, '', written = addressOf(tab));
  writtenTab = tab;
}

/** Shows a tab that the address names already. */
function arriveAt(tab: Tab): void {
  written = location.hash;
  writtenTab = tab;
  showTab(tab);
}

function read(refuse: Refuse): void {
  const [tab, query = ''] = location.hash.slice(1).split('?', 2);
  const parameters = new URLSearchParams(query);
  const wanted = parameters.get('lang');
  const chosen = languageIn(wanted);
  if (chosen && chosen !== language()) setLanguage(chosen);
  if (wanted !== null && !chosen) refuse('lang', wanted, language());
  if (!isTab(tab)) {
    if (query !== '') refuse('#', tab, currentTab());
    return arriveAt(tab === '' ? TABS[0] : currentTab());
  }
  const linkable = linkables.get(tab);
  if (linkable) linkable.read(parameters, refuse);
  else waiting.set(tab, { parameters, refuse });
  arriveAt(tab);
}

/** Takes the state from the address, now and whenever the user changes it. */
export function startUrl(): void {
  const notices = createNotices(byId('link-notices', HTMLDivElement));
  const readAndTell = () => {
    const refused: { name: string; value: string; used: string }[] = [];
    notices.clear();
    read((name, value, used) => {
      refused.push({ name, value: value.slice(0, MAX_SHOWN), used });
      notices.tell(() => t('link.title'), () => refused.map((one) => t('link.refused', one)));
    });
  };
  readAndTell();
  updateUrl();
  onTab(stepTo);
  onLanguage(updateUrl);
  addEventListener('hashchange', () => {
    const tab = location.hash.slice(1).split('?', 1)[0];
    const isOwn = (history.state as { visit?: number } | null)?.visit === VISIT;
    if (isOwn && isTab(tab)) arriveAt(tab);    // going back takes nothing away that was typed since
    else if (location.hash !== written) readAndTell();
  });
}

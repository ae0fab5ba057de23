// The state in the address, so that a link shows what its sender saw: #tab?name=value&lang=en.
import { debounce } from './dom';
import { language, onLanguage, setLanguage } from './i18n';
import { languageIn } from './i18n/choice';
import { currentTab, isTab, onTab, showTab, type Tab } from './tabs';

/** What a tab puts into a link, and takes from one. */
export interface Linkable { read(parameters: URLSearchParams): void; write(parameters: URLSearchParams): void }

const linkables = new Map<Tab, Linkable>();
let written = '';

export function makeLinkable(tab: Tab, linkable: Linkable): void {
  linkables.set(tab, linkable);
}

function write(): void {
  const parameters = new URLSearchParams();
  linkables.get(currentTab())?.write(parameters);
  parameters.set('lang', language());
  written = `#${currentTab()}?${parameters}`;
  history.replaceState(null, '', written);
}

/** To be called after each change of what a tab writes. */
export const updateUrl: () => void = debounce(write, 250);

function read(): void {
  const [tab, query = ''] = location.hash.slice(1).split('?', 2);
  const parameters = new URLSearchParams(query);
  const chosen = languageIn(parameters.get('lang'));
  if (chosen && chosen !== language()) setLanguage(chosen);
  if (!isTab(tab)) return showTab(currentTab());
  linkables.get(tab)?.read(parameters);
  showTab(tab);
}

/** Takes the state from the address, now and whenever the user changes it. */
export function startUrl(): void {
  read();
  onTab(updateUrl);
  onLanguage(updateUrl);
  addEventListener('hashchange', () => {
    if (location.hash !== written) read();
  });
}

// The tabs, as in the ARIA Authoring Practices: arrow keys, Home and End move and choose at once.
import { moveOf } from './keys';
import { listeners } from './listeners';
import { TABS, type Tab } from './tab-names';

const changed = listeners<Tab>();
let current: Tab = 'translate';
let shown = false;

export const currentTab = (): Tab => current;

/** Calls `listener` whenever a tab is shown, and now for the one that is shown already. */
export function onTab(listener: (tab: Tab) => void): void {
  changed.add(listener);
  if (shown) listener(current);
}

/** Calls `start` when that tab is first shown: what it needs is fetched only then, and until it is there the tab is busy. */
export function onFirstUse(tab: Tab, start: () => Promise<void>): void {
  let started = false;
  onTab(async (name) => {
    if (name !== tab || started) return;
    started = true;
    const panel = document.getElementById(tab)!;
    panel.ariaBusy = 'true';
    try {
      await start();
    } catch (error) {
      started = false;    // the next time it may be within reach
      throw error;
    } finally {
      panel.ariaBusy = null;
    }
  });
}

const buttonOf = (tab: Tab) => document.getElementById(`tab-${tab}`) as HTMLButtonElement;

export function showTab(tab: Tab): void {
  current = tab;
  shown = true;
  delete document.documentElement.dataset.tab;    // as early.ts set it
  for (const name of TABS) {
    const button = buttonOf(name);
    button.ariaSelected = String(name === tab);
    button.tabIndex = name === tab ? 0 : -1;
    document.getElementById(name)!.hidden = name !== tab;
  }
  changed.call(tab);
}

export function startTabs(): void {
  for (const [index, name] of TABS.entries()) {
    const button = buttonOf(name);
    button.addEventListener('click', () => showTab(name));
    button.addEventListener('keydown', (event) => {
      const move = moveOf(event);
      if (move === null) return;
      event.preventDefault();
      const count = TABS.length;
      const next = TABS[{ back: index + count - 1, forth: index + 1, first: 0, last: count - 1 }[move] % count];
      showTab(next);
      buttonOf(next).focus();
    });
  }
}

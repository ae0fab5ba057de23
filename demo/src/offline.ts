// The page without a network: its service worker, started when there is nothing better to do.
import { listeners } from './listeners';
import { allItems, onShelf } from './models';

const PAUSE_MS = 2000;
const ready = listeners<void>();

/** Calls `listener` once the page can do without the network. */
export const onOfflineReady = (listener: () => void): void => ready.add(listener);

const isLoading = () => allItems().some(({ fraction }) => fraction !== null);
const savesData = () => (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true;

async function register(): Promise<void> {
  try {
    await navigator.serviceWorker.register('service-worker.js');
    await navigator.serviceWorker.ready;
    ready.call();
  } catch {
    // refused in private windows and by policies, or the page's folder has none: the page then needs the network
  }
}

/** What is kept for later does not compete with what is asked for now: it waits for a pause in which no model is loaded. */
export function startOffline(): void {
  if (!('serviceWorker' in navigator) || savesData()) return;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let started = false;
  const wait = () => {
    clearTimeout(timer);
    if (started || document.readyState !== 'complete' || isLoading()) return;
    timer = setTimeout(() => {
      started = true;
      void register();
    }, PAUSE_MS);
  };
  onShelf(wait);
  addEventListener('load', wait);
  wait();
}

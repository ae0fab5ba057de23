// The button that changes between light and dark.
import { byId } from './dom';
import { onLanguage, t } from './i18n';
import { listeners } from './listeners';
import { chosenTheme, rememberTheme, type Theme } from './theme-choice';

const changed = listeners<void>();

/** Calls `listener` after each change of the colours, for what is painted with them. */
export const onTheme = (listener: () => void): void => changed.add(listener);

export function startTheme(): void {
  const button = byId('theme', HTMLButtonElement);
  const system = matchMedia('(prefers-color-scheme: dark)');
  const theme = (): Theme => chosenTheme() ?? (system.matches ? 'dark' : 'light');
  const show = () => {
    const label = t(theme() === 'dark' ? 'theme.light' : 'theme.dark');
    button.ariaLabel = label;
    button.title = label;
  };
  button.addEventListener('click', () => {
    const next = theme() === 'dark' ? 'light' : 'dark';
    rememberTheme(next);
    document.documentElement.dataset.theme = next;
    show();
    changed.call();
  });
  system.addEventListener('change', () => {
    show();
    changed.call();
  });
  onLanguage(show);
}

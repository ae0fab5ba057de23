import { remember, remembered } from './storage';

export type Theme = 'light' | 'dark';
const NAME = 'theme';

/** What the user chose, or null: as the system says. */
export function chosenTheme(): Theme | null {
  const value = remembered(NAME);
  return value === 'light' || value === 'dark' ? value : null;
}

export function rememberTheme(theme: Theme): void {
  remember(NAME, theme);
}

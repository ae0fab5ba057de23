import { remember, remembered } from '../storage';

export type Language = 'en' | 'ko';
const NAME = 'language';

export function languageIn(value: string | null): Language | null {
  return value === 'en' || value === 'ko' ? value : null;
}

/** The language of the link, else of the last visit, else of the browser. */
export function chosenLanguage(): Language {
  const link = new URLSearchParams(location.hash.split('?', 2)[1] ?? '').get('lang');
  return languageIn(link) ?? languageIn(remembered(NAME)) ?? (navigator.language.startsWith('ko') ? 'ko' : 'en');
}

export function rememberLanguage(language: Language): void {
  remember(NAME, language);
}

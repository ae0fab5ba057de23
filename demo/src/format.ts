// Numbers as people of the page's language write them.
import { language, t } from './i18n';

export const number = (value: number, digits = 0): string =>
  value.toLocaleString(language(), { minimumFractionDigits: digits, maximumFractionDigits: digits });

export function bytes(count: number): string {
  if (count < 1e6) return `${number(count / 1e3)} kB`;
  return count < 1e9 ? `${number(count / 1e6, 1)} MB` : `${number(count / 1e9, 2)} GB`;
}

export const count = (value: number): string =>
  value.toLocaleString(language(), { notation: 'compact', maximumSignificantDigits: 3 });

export const percent = (value: number): string => {
  const digits = value > 0 && value < 0.0995 ? 1 : 0;
  return `${number(value * 100, digits)}%`;
};

export const speed = (tokensPerSecond: number): string => t('speed', { n: number(tokensPerSecond, tokensPerSecond < 20 ? 1 : 0) });

/** With a true minus, and none before a zero. */
export const figure = (value: number, digits = 3): string =>
  number(Math.round(value * 10 ** digits) / 10 ** digits || 0, digits).replace('-', '−');

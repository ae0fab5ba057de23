// The page's messages, with those that only the scripts of this tab say.
import { translator } from './i18n';
import { en } from './i18n/en';
import { readings as english } from './i18n/en/readings';
import { ko } from './i18n/ko';
import { readings as korean } from './i18n/ko/readings';

export const t = translator({ en: { ...en, ...english }, ko: { ...ko, ...korean } });

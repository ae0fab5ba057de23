// The page's messages, with those that only the scripts of this tab say.
import { translator } from './i18n';
import { en } from './i18n/en';
import { heads as english } from './i18n/en/heads';
import { ko } from './i18n/ko';
import { heads as korean } from './i18n/ko/heads';

export const t = translator({ en: { ...en, ...english }, ko: { ...ko, ...korean } });

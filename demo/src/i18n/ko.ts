import type { en } from './en';
import { attention } from './ko/attention';
import { generate } from './ko/generate';
import { machine } from './ko/machine';
import { page } from './ko/page';
import { shelf } from './ko/shelf';
import { tokenize } from './ko/tokenize';
import { translate } from './ko/translate';
import { understand } from './ko/understand';

export const ko: Record<keyof typeof en, string> = {
  ...page, ...translate, ...generate, ...tokenize, ...attention, ...understand, ...machine, ...shelf,
};

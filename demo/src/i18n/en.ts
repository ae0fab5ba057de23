// Every message of the page, in English; `{name}` stands for a value. index.html has the same texts, for the first paint.
import { attention } from './en/attention';
import { generate } from './en/generate';
import { machine } from './en/machine';
import { page } from './en/page';
import { shelf } from './en/shelf';
import { tokenize } from './en/tokenize';
import { translate } from './en/translate';
import { understand } from './en/understand';

export const en = { ...page, ...translate, ...generate, ...tokenize, ...attention, ...understand, ...machine, ...shelf };

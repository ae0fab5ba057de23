import type { en } from './en';
import { activations } from './ko/activations';
import { attend } from './ko/attend';
import { cost } from './ko/cost';
import { depth } from './ko/depth';
import { families } from './ko/families';
import { frame } from './ko/frame';
import { lab } from './ko/lab';
import { masks } from './ko/masks';
import { norms } from './ko/norms';
import { positions } from './ko/positions';
import { scores } from './ko/scores';
import { tokens } from './ko/tokens';
import { walk } from './ko/walk';
import { words } from './ko/words';

export const ko: Record<keyof typeof en, string> = {
  ...activations, ...attend, ...cost, ...depth, ...families, ...frame, ...lab, ...masks,
  ...norms, ...positions, ...scores, ...tokens, ...walk, ...words,
};

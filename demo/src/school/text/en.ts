/** Every message of the Learn tab, in English. */
import { activations } from './en/activations';
import { attend } from './en/attend';
import { cost } from './en/cost';
import { depth } from './en/depth';
import { families } from './en/families';
import { frame } from './en/frame';
import { lab } from './en/lab';
import { masks } from './en/masks';
import { norms } from './en/norms';
import { positions } from './en/positions';
import { scores } from './en/scores';
import { tokens } from './en/tokens';
import { walk } from './en/walk';
import { words } from './en/words';

export const en = {
  ...activations, ...attend, ...cost, ...depth, ...families, ...frame, ...lab, ...masks,
  ...norms, ...positions, ...scores, ...tokens, ...walk, ...words,
};

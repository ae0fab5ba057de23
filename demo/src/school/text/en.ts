/** Every message of the Learn tab, in English. */
import { frame } from './en/frame';
import { masks } from './en/masks';
import { positions } from './en/positions';
import { scores } from './en/scores';

export const en = { ...frame, ...positions, ...scores, ...masks };

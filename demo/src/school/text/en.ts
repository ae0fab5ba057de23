/** Every message of the Learn tab, in English. */
import { frame } from './en/frame';
import { positions } from './en/positions';

export const en = { ...frame, ...positions };

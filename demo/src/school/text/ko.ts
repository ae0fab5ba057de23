import type { en } from './en';
import { frame } from './ko/frame';
import { masks } from './ko/masks';
import { positions } from './ko/positions';
import { scores } from './ko/scores';

export const ko: Record<keyof typeof en, string> = { ...frame, ...positions, ...scores, ...masks };

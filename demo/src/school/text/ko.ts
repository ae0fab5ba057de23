import type { en } from './en';
import { frame } from './ko/frame';
import { positions } from './ko/positions';

export const ko: Record<keyof typeof en, string> = { ...frame, ...positions };

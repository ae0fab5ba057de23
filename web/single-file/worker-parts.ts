// In place of web/parts.ts in the worker of the single file. The module itself comes with each load, and a worker starts no other.
import type * as Parts from '../parts.js';
import { compilePacked } from './unpack.js';

/** Put before this script by worker-script.ts. */
declare const WEBFORMER_EXTRA: string;

export const compilePart: typeof Parts.compilePart = () => null;

export const compileExtraPart: typeof Parts.compileExtraPart = () => compilePacked(WEBFORMER_EXTRA);

// In place of web/parts.ts in the single file, which has the baseline build inside, and its second part.
import baseline from 'embedded:webformer.wasm';
import extra from 'embedded:webformer.extra.wasm';
import type * as Parts from '../parts.js';
import { compilePacked } from './unpack.js';

export const compilePart: typeof Parts.compilePart = (build) => (build === 'simd' ? compilePacked(baseline) : null);

export const compileExtraPart: typeof Parts.compileExtraPart = () => compilePacked(extra);

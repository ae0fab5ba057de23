// The programs of the three texts, by the names of their blocks.
import { review } from './review.mjs';
import { structure } from './structure.mjs';

export const texts = { structure, review };

// The programs of the three texts, by the names of their blocks.
import { overview } from './overview.mjs';
import { review } from './review.mjs';
import { structure } from './structure.mjs';

export const texts = { overview, structure, review };

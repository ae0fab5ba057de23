// The programs of the three texts, by the names of their blocks.
import { structure } from './structure.mjs';

export const texts = { structure };

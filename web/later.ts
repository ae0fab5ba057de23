// What is not built yet is refused by its name.
import { TransformerError } from './errors.js';

export const lacking = (name: string): TransformerError => new TransformerError('unsupported_model', `${name} is not supported yet`);

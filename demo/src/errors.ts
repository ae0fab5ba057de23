// What went wrong, in words that a person can act on.
import { TransformerError } from 'webformer';
import { isMessage, t, type MessageKey } from './i18n';

export interface Explanation { code: string; message: string; advice: string }

/** Something that the page itself refuses. */
export class PageError extends Error {
  constructor(readonly code: string, readonly key: MessageKey) {
    super(key);
  }
}

export const isAborted = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError';

/** The code and message of a TransformerError, and what to do about it. An error of any other type is a fault of the page. */
export function explain(error: unknown): Explanation {
  if (error instanceof PageError) return { code: error.code, message: t(error.key), advice: '' };
  const code = error instanceof TransformerError ? error.code : 'internal_error';
  const message = error instanceof Error ? error.message : String(error);
  const isMissing = error instanceof TransformerError && error.details?.missing !== undefined;
  const key = `advice.${isMissing ? 'missing' : code}`;
  return { code, message, advice: isMessage(key) ? t(key) : '' };
}

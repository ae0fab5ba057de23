// What to call a model that the user brought, so that it can be told from others.
import type { Model } from 'webformer';

/** Names that files and folders of every model have, and those of a place at the hub. */
const EVERY_MODELS = new RegExp(
  '^((pytorch_)?model|consolidated|tokenizer|vocab|config|generation_config|merges|spiece|source|target)([-_.].*)?'
    + '\\.(safetensors|gguf|json|model|spm|txt|bin)$|^(main|master|resolve|models?|checkpoint|download)$', 'i');

/** As a person reads it: the parts of an address are percent-encoded, those of a path on this machine are not. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;    // a percent sign that encodes nothing
  }
}

function partsOf(path: string): string[] {
  const isAddress = /^\w+:\/\//.test(path);
  const place = isAddress ? path.replace(/^\w+:\/\/[^/?#]*|[?#].*$/g, '') : path;
  return place.split(/[/:]/).filter(Boolean).map((part) => (isAddress ? decoded(part) : part));
}

export const lastPart = (path: string): string => partsOf(path).at(-1) ?? path;

/** The last part of a path or address that is not in every model's; '' where there is none. */
export function tellingPart(path: string): string {
  return partsOf(path).findLast((part) => !EVERY_MODELS.test(part)) ?? '';
}

/** What a model's own config.json calls it, or its architecture. */
export function ownName({ info }: Model): string {
  const name = info.config['_name_or_path'];
  return (typeof name === 'string' && tellingPart(name)) || info.modelType;
}

/** `name`, with a number behind it where it is taken. */
export function distinct(name: string, taken: readonly string[]): string {
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${name} (${number})`;
    if (!taken.includes(candidate)) return candidate;
  }
}

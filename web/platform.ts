// What tells node from browsers, in one place.

interface NodeProcess {
  versions?: { node?: string };
  getBuiltinModule?(name: string): unknown;
  cwd?(): string;
}

interface Place {
  document?: { baseURI: string };
  location?: { href: string };
}

const nodeProcess = (globalThis as { process?: NodeProcess }).process;

export const isNode = typeof nodeProcess?.versions?.node === 'string';

/** A module of node's own, without an import that a bundler for browsers would try to resolve. Undefined elsewhere. */
export function nodeModule<T>(name: string): T | undefined {
  return isNode ? (nodeProcess?.getBuiltinModule?.(`node:${name}`) as T | undefined) : undefined;
}

/** A relative address is the page's, or the worker's; in node it is a path from the working folder, as paths are. */
export function absoluteUrl(url: string | URL): string {
  const { document, location } = globalThis as Place;
  const folder = nodeModule<typeof import('node:url')>('url')?.pathToFileURL(`${nodeProcess?.cwd?.()}/`);
  return new URL(url, document?.baseURI ?? location?.href ?? folder).href;
}

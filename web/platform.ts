// What tells node from browsers, in one place.

interface NodeProcess {
  versions?: { node?: string };
  getBuiltinModule?(name: string): unknown;
}

const nodeProcess = (globalThis as { process?: NodeProcess }).process;

export const isNode = typeof nodeProcess?.versions?.node === 'string';

/** A module of node's own, without an import that a bundler for browsers would try to resolve. Undefined elsewhere. */
export function nodeModule<T>(name: string): T | undefined {
  return isNode ? (nodeProcess?.getBuiltinModule?.(`node:${name}`) as T | undefined) : undefined;
}

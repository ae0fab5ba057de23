// Where a model's files are. The calling thread turns what it was given into plain data; the thread that loads opens files by name.
import { TransformerError, invalidArgument } from './errors.js';
import { checkedFile, isFolder, listFolder, openPath, openUrl, pathOfUrl, type Access, type Check } from './fetch.js';
import { forget } from './cache.js';
import { fromBlob, fromBytes, nameOfUrl, type OpenFile } from './files.js';
import { describe } from './options.js';
import { isNode } from './platform.js';
import { Sha256 } from './sha256.js';
import { Turns } from './turns.js';
import type { ModelSource } from './types.js';
import { toBytes } from './values.js';

/** A source as messages carry it. `folder` ends in a slash. */
export type SourceData =
  | { kind: 'folder'; url: string }
  | { kind: 'file'; url: string }
  | { kind: 'path'; path: string }
  | { kind: 'files'; files: [name: string, content: Uint8Array | Blob][] };

const HUB = 'https://huggingface.co/';

function hubFolder(name: string): string {
  const match = /^([\w.-]+\/[\w.-]+)(?:@([\w./-]+))?$/.exec(name);
  if (!match) throw invalidArgument(`source: 'hf:${name}' found, 'hf:org/name' or 'hf:org/name@revision' expected`);
  return `${HUB}${match[1]}/resolve/${encodeURIComponent(match[2] ?? 'main')}/`;
}

function fromUrl(url: URL): SourceData {
  url.hash = '';
  const isPath = URL.canParse('file', url.href);  // not in 'localhost:8080/', whose scheme is 'localhost:'
  if (!isPath && !/^(blob|data):$/.test(url.protocol))
    throw invalidArgument(`source: ${describe(url.href)} found, an address that begins with https:// or http:// expected`);
  return isPath && url.pathname.endsWith('/') ? { kind: 'folder', url: url.href } : { kind: 'file', url: url.href };
}

function fromText(text: string): SourceData {
  if (text === '') throw invalidArgument('source: an empty string found, a URL or path expected');
  if (text.startsWith('hf:')) return { kind: 'folder', url: hubFolder(text.slice(3)) };
  if (isNode && !/^(https?|file|data|blob):/i.test(text)) return { kind: 'path', path: text };
  const base =
    (globalThis as { document?: { baseURI: string }; location?: { href: string } }).document?.baseURI ?? globalThis.location?.href;
  if (!URL.canParse(text, base)) throw invalidArgument(`source: ${describe(text)} is no URL`);
  return fromUrl(new URL(text, base));
}

/** The file's place below the folder that was chosen: '1_Pooling/config.json'. Node's File has none. */
const pathOf = (file: File): string => file.webkitRelativePath?.split('/').slice(1).join('/') || file.name;

function fromFiles(files: Iterable<unknown>): SourceData {
  const list = [...files].map((file, i): [string, Blob] => {
    if (typeof File === 'undefined' || !(file instanceof File))
      throw invalidArgument(`source[${i}]: ${describe(file)} found, a File expected`);
    return [pathOf(file), file];
  });
  return named(list);
}

function fromMap(map: ReadonlyMap<unknown, unknown>): SourceData {
  return named(
    [...map].map(([name, content]) => {
      if (typeof name !== 'string') throw invalidArgument(`source: a key is ${describe(name)}, the name of a file expected`);
      return [name, content instanceof Blob ? content : toBytes(`source '${name}'`, content)];
    }),
  );
}

function named(files: [string, Uint8Array | Blob][]): SourceData {
  if (files.length === 0) throw invalidArgument('source: no files found, at least one expected');
  return { kind: 'files', files };
}

const isFileList = (source: object): source is FileList => typeof FileList !== 'undefined' && source instanceof FileList;

export function toSourceData(source: ModelSource): SourceData {
  if (typeof source === 'string') return fromText(source);
  if (source instanceof URL) return fromUrl(new URL(source));
  if (source instanceof Map) return fromMap(source);
  if (source instanceof Blob) return named([[source instanceof File ? source.name : 'file', source]]);
  if (Array.isArray(source) || (typeof source === 'object' && source !== null && isFileList(source))) return fromFiles(source);
  throw invalidArgument(`source: ${describe(source)} found; a URL, path, 'hf:org/name', File list, Blob or Map of files expected`);
}

/** Where the files of a source lie. */
interface Place {
  /** Names of all files, where they can be listed. */
  names: readonly string[] | null;
  /** Null where `optional` and the file is not there. */
  open(name: string, optional: boolean, check: Check): Promise<OpenFile | null>;
  urlOf?(name: string): string;
}

const checked =
  (open: (name: string, optional: boolean) => Promise<OpenFile | null>): Place['open'] =>
  async (name, optional, check) =>
    checkedFile(await open(name, optional), check);

async function placeOf(source: SourceData, access: Access): Promise<Place> {
  switch (source.kind) {
    case 'folder':
      return folderAt(source.url, access);
    case 'file':
      return oneFile(nameOfUrl(source.url), (check) => openUrl(source.url, access, false, check), source.url);
    case 'path':
      if (await isFolder(source.path)) return folderOnDisk(source.path, access);
      await openPath(source.path, access, false);  // refuses what does not exist, before anything is looked for in it
      return oneFile(source.path.split(/[\\/]/).pop()!, async (check) => checkedFile(await openPath(source.path, access, false), check));
    case 'files':
      return inMemory(new Map(source.files));
  }
}

async function folderAt(url: string, access: Access): Promise<Place> {
  const urlOf = (name: string): string => new URL(name, url).href;
  const names = isNode && url.startsWith('file:') ? await listFolder(pathOfUrl(url)) : null;
  return { names, open: (name, optional, check) => openUrl(urlOf(name), access, optional, check), urlOf };
}

const folderOnDisk = async (path: string, access: Access): Promise<Place> => ({
  names: await listFolder(path),
  open: checked((name, optional) => openPath(`${path.replace(/[\\/]$/, '')}/${name}`, access, optional)),
});

const oneFile = (only: string, open: (check: Check) => Promise<OpenFile | null>, url?: string): Place => ({
  names: [only],
  async open(name, optional, check) {
    if (name === only) return open(check);
    if (optional) return null;
    throw new TransformerError('invalid_file', `${name} is missing: there is only ${only}`, { details: { file: name } });
  },
  ...(url !== undefined && { urlOf: () => url }),
});

const inMemory = (files: ReadonlyMap<string, Uint8Array | Blob>): Place => ({
  names: [...files.keys()],
  open: checked(async (name, optional) => {
    const content = files.get(name);
    if (content !== undefined) return content instanceof Blob ? fromBlob(name, content) : fromBytes(name, content);
    if (optional) return null;
    throw new TransformerError('invalid_file', `${name} is missing from the files that were given`, { details: { file: name } });
  }),
});

/** The files of a source, opened by name. */
export class FileSet {
  readonly #place: Place;
  readonly #integrity: Readonly<Record<string, string>>;
  readonly #opened = new Set<string>();
  readonly #turns: Turns;
  #cachedUrls: string[] = [];

  private constructor(place: Place, integrity: Readonly<Record<string, string>>, turns: Turns) {
    this.#place = place;
    this.#integrity = integrity;
    this.#turns = turns;
  }

  static async at(source: SourceData, access: Access, integrity: Readonly<Record<string, string>> = {}): Promise<FileSet> {
    const turns = new Turns();
    return new FileSet(await placeOf(source, { ...access, turns }), integrity, turns);
  }

  /** Files that were opened and not read to their end are given up. */
  close(): void {
    this.#turns.close();
  }

  /** Names of all files, where they can be listed. */
  get names(): readonly string[] | null {
    return this.#place.names;
  }

  /** Whether it is one file, found by its address. */
  get isAddress(): boolean {
    return this.names?.length === 1 && this.#place.urlOf !== undefined;
  }

  /** Null where `optional` and it is not there. A file that has a checksum fails at its end where it is another. */
  async open(name: string, optional: true): Promise<OpenFile | null>;
  async open(name: string, optional?: false): Promise<OpenFile>;
  async open(name: string, optional: boolean): Promise<OpenFile | null>;
  async open(name: string, optional = false): Promise<OpenFile | null> {
    const url = this.#place.urlOf?.(name);
    const expected = this.#integrity[name];
    const check: Check = expected === undefined ? (body) => body : (body) => withChecksum(name, expected, body, url);
    const file = await this.#place.open(name, optional, check);
    if (!file) return null;
    this.#opened.add(name);
    if ((file.cached || file.resumed) && url !== undefined) this.#cachedUrls.push(url);
    return { ...file, checked: expected !== undefined };
  }

  /** Forgets the cached copies that were used, since one of them is damaged. `before` grows by them; false where it had all of them. */
  async forgetCached(before: Set<string>): Promise<boolean> {
    const urls = this.#cachedUrls, known = before.size;
    this.#cachedUrls = [];
    await Promise.all(urls.map(forget));
    for (const url of urls) before.add(url);
    return before.size > known;
  }

  /** A checksum for a file that was not read protects nothing. */
  checkIntegrityUsed(): void {
    for (const name of Object.keys(this.#integrity)) {
      if (this.#opened.has(name)) continue;
      throw invalidArgument(`integrity: '${name}' is no file that was loaded; there were: ${[...this.#opened].join(', ')}`, {
        file: name,
      });
    }
  }
}

async function* withChecksum(
  name: string, expected: string, body: AsyncIterable<Uint8Array>, url: string | undefined,
): AsyncIterable<Uint8Array> {
  const sum = new Sha256();
  for await (const part of body) {
    sum.update(part);
    yield part;
  }
  const found = sum.hex();
  if (found === expected.toLowerCase()) return;
  if (url !== undefined) await forget(url);
  throw new TransformerError('integrity_error', `${name}: SHA-256 ${found} found, ${expected} expected`, {
    details: { file: name, found, expected },
  });
}

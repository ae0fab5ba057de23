// Downloaded files, kept whole in the browser's Cache Storage. The cache is optional: where it fails, the download goes on without it.
import { fromBlob, nameOfUrl, type OpenFile } from './files.js';
import { CHUNK, dropParts, keepChunk, type KeptParts } from './kept-parts.js';

export type CacheMode = 'default' | 'none' | 'only';

const NAME = 'webformer-1';

/** Null where there is no cache: node, private windows of some browsers, insecure origins. */
async function openCache(): Promise<Cache | null> {
  try {
    return typeof caches === 'undefined' ? null : await caches.open(NAME);
  } catch {
    return null;
  }
}

/** The file from the cache, if it is there, whole, and `isCurrent`. One that is not is deleted. */
export async function openCached(
  url: string,
  mode: CacheMode,
  isCurrent: (stored: Response) => Promise<boolean>,
): Promise<OpenFile | null> {
  if (mode === 'none') return null;
  const cache = await openCache();
  try {
    const stored = await cache?.match(url, { ignoreVary: true });
    if (!stored) return null;
    const blob = await stored.blob();
    const whole = blob.size === Number(stored.headers.get('content-length'));
    if (whole && (mode === 'only' || (await isCurrent(stored)))) return fromBlob(nameOfUrl(url), blob, true);
    await cache!.delete(url);
  } catch (error) {
    if ((error as Error).name === 'AbortError') throw error;
  }
  return null;
}

/** Forgets a file that turned out to be damaged, and what there is of it in part. */
export async function forget(url: string): Promise<void> {
  await dropParts(url);
  try {
    await (await openCache())?.delete(url);
  } catch {
    // without a cache there is nothing to forget
  }
}

/** A file on its way from the network. */
export interface Arriving {
  url: string;
  response: Response;
  /** Of the whole file, where it is known. */
  size: number | undefined;
  /** Its start, where the response is only the rest. */
  kept: KeptParts | null;
}

/**
 * Passes the pieces on, and puts them in the cache at the pace at which they are read. The entry is made only when the last piece was read
 * without an error; until then, and if that never comes, large files are kept as chunks.
 */
export async function* storing(file: Arriving, body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const cache = await openCache();
  if (!cache) return yield* body;
  const entry = new Entry(file);
  let at = 0;
  try {
    for await (const part of body) {
      if (at >= entry.length) await entry.write(part);
      at += part.length;
      yield part;
    }
  } finally {
    await entry.kept();    // a worker that ends with its load would lose the chunk that is being written
  }
  await entry.finish(cache);
}

/** What was read of a file. Blobs keep it out of the heap, on disk where it is large. */
class Entry {
  readonly #file: Arriving;
  readonly #blobs: Blob[];
  /** The pieces since the last of the blobs, and where they begin. */
  #pieces: Uint8Array<ArrayBuffer>[] = [];
  #at: number;
  /** Bytes in all. */
  length: number;
  #keeping: Promise<void> | undefined;

  constructor(file: Arriving) {
    this.#file = file;
    this.#blobs = file.kept ? [file.kept.bytes] : [];
    this.length = this.#at = file.kept?.length ?? 0;
  }

  async write(piece: Uint8Array): Promise<void> {
    for (let rest = piece as Uint8Array<ArrayBuffer>; rest.length > 0; ) {
      const part = rest.subarray(0, CHUNK - (this.length - this.#at));
      this.#pieces.push(part);
      this.length += part.length;
      rest = rest.subarray(part.length);
      if (this.length - this.#at === CHUNK) await this.#endChunk();
    }
  }

  async #endChunk(): Promise<void> {
    const chunk = new Blob(this.#pieces);
    this.#blobs.push(chunk);
    this.#pieces = [];
    await this.#keeping;
    this.#keeping = this.#keep(chunk, this.#at);
    this.#at = this.length;
  }

  /** Only where the server can tell later, by a strong ETag, that the rest belongs to this chunk. */
  async #keep(bytes: Blob, at: number): Promise<void> {
    const { url, size: total, response } = this.#file;
    const etag = response.headers.get('etag');
    if (total !== undefined && etag?.startsWith('"')) await keepChunk({ url, at, bytes, etag, total });
  }

  /** Resolves when all chunks so far are kept, or could not be. */
  async kept(): Promise<void> {
    await this.#keeping;
  }

  async finish(cache: Cache): Promise<void> {
    const { url, response } = this.#file;
    const headers = new Headers({ 'content-length': String(this.length) });
    for (const name of ['content-type', 'etag', 'last-modified']) {
      const value = response.headers.get(name);
      if (value !== null) headers.set(name, value);
    }
    const bytes = new Blob([...this.#blobs, ...this.#pieces]);
    const put = (): Promise<void> => cache.put(url, new Response(bytes, { headers }));
    try {
      await put().catch(() => dropParts(url).then(put));  // the chunks may take the room that the whole needs
    } catch {
      // the quota is exhausted, or the browser keeps nothing
    }
    if (this.#blobs.length > 0) await dropParts(url);
  }
}

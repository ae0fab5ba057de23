// Downloaded files, kept whole in the browser's Cache Storage. The cache is optional: where it fails, the download goes on without it.
import { fromBlob, nameOfUrl, type OpenFile } from './files.js';

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

/** Forgets a file that turned out to be damaged. */
export async function forget(url: string): Promise<void> {
  try {
    await (await openCache())?.delete(url);
  } catch {
    // without a cache there is nothing to forget
  }
}

/**
 * Passes the pieces on, and puts them in the cache at the pace at which they are read. The entry is made only when the last piece was read
 * without an error.
 */
export async function* storing(url: string, response: Response, body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const entry = await startEntry(url, response);
  let whole = false;
  try {
    for await (const part of body) {
      await entry?.write(part);
      yield part;
    }
    whole = true;
  } finally {
    await entry?.end(whole);
  }
}

interface Entry {
  write(part: Uint8Array): Promise<void>;
  end(whole: boolean): Promise<void>;
}

async function startEntry(url: string, response: Response): Promise<Entry | null> {
  const cache = await openCache();
  if (!cache) return null;
  const parts: BlobPart[] = [];
  let length = 0;
  return {
    // A Blob keeps what it is made of out of the heap, on disk where it is large.
    async write(part) {
      parts.push(new Blob([part as Uint8Array<ArrayBuffer>]));
      length += part.length;
    },
    async end(whole) {
      if (!whole) return;
      const headers = new Headers({ 'content-length': String(length) });
      for (const name of ['content-type', 'etag', 'last-modified']) {
        const value = response.headers.get(name);
        if (value !== null) headers.set(name, value);
      }
      try {
        await cache.put(url, new Response(new Blob(parts), { headers }));
      } catch {
        // the quota is exhausted, or the browser keeps nothing
      }
    },
  };
}

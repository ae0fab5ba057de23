// What is there of downloads that did not come to their end: chunks in IndexedDB, each with the ETag of its file, until a later load
// fetches the rest. All of it is optional: where it fails, a download begins at its first byte.

/** Bytes of a chunk; smaller files are not worth it. */
export const CHUNK = 4 << 20;

const DATABASE = 'webformer', STORE = 'chunks', BY_TIME = 'time';
const WEEK_MS = 7 * 24 * 3600 * 1000;

interface Chunk {
  url: string;
  /** Where in the file it begins. */
  at: number;
  /** On disk, but for browsers whose private windows keep no Blobs. */
  bytes: Blob | ArrayBuffer;
  etag: string;
  /** Bytes of the whole file. */
  total: number;
  time: number;
}

/** The start of a file, without gaps. */
export interface KeptParts extends Pick<Chunk, 'etag' | 'total'> {
  length: number;
  bytes: Blob;
}

function openDatabase(): Promise<IDBDatabase> {
  const opening = indexedDB.open(DATABASE, 1);
  return new Promise((resolve, reject) => {
    opening.onupgradeneeded = () => opening.result.createObjectStore(STORE, { keyPath: ['url', 'at'] }).createIndex(BY_TIME, 'time');
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(opening.error);
  });
}

/** One transaction. Undefined where there is no IndexedDB, or it refuses: private windows, opaque origins, no room left. */
async function transact<R>(mode: IDBTransactionMode, work: (chunks: IDBObjectStore) => IDBRequest<R>): Promise<R | undefined> {
  try {
    const database = await openDatabase();
    try {
      return await new Promise<R>((resolve, reject) => {
        const transaction = database.transaction(STORE, mode);
        const request = work(transaction.objectStore(STORE));
        transaction.oncomplete = () => resolve(request.result);
        transaction.onabort = () => reject(transaction.error);
      });
    } finally {
      database.close();
    }
  } catch {
    return undefined;
  }
}

const chunksOf = (url: string): IDBKeyRange => IDBKeyRange.bound([url, 0], [url, Infinity]);

/** What is there of a file; at least one byte of it is not. */
export async function keptPartsOf(url: string): Promise<KeptParts | null> {
  const chunks = (await transact<Chunk[]>('readonly', (store) => store.getAll(chunksOf(url)))) ?? [];
  const [first] = chunks;
  if (!first) return null;
  const { etag, total } = first;
  const parts: Blob[] = [];
  let length = 0;
  for (const chunk of chunks) {
    const bytes = new Blob([chunk.bytes]);
    if (chunk.at !== length || chunk.etag !== etag || chunk.total !== total || length + bytes.size >= total) break;
    parts.push(bytes);
    length += bytes.size;
  }
  return length > 0 ? { etag, total, length, bytes: new Blob(parts) } : null;
}

/** Keeps a chunk, and drops those that nobody came back for. */
export async function keepChunk(chunk: Omit<Chunk, 'time'> & { bytes: Blob }): Promise<void> {
  const time = Date.now();
  const put = (bytes: Chunk['bytes']): Promise<IDBValidKey | undefined> => transact('readwrite', (store) => {
    const old = store.index(BY_TIME).openKeyCursor(IDBKeyRange.upperBound(time - WEEK_MS));
    old.onsuccess = () => {
      if (!old.result) return;
      store.delete(old.result.primaryKey);
      old.result.continue();
    };
    return store.put({ ...chunk, bytes, time });
  });
  (await put(chunk.bytes)) ?? (await put(await chunk.bytes.arrayBuffer()));
}

export async function dropParts(url: string): Promise<void> {
  await transact('readwrite', (store) => store.delete(chunksOf(url)));
}

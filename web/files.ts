// A file that is read once, in pieces, wherever it is.
import { TransformerError } from './errors.js';

export interface OpenFile {
  readonly name: string;
  /** Undefined where the server does not tell. */
  readonly size: number | undefined;
  /** Whether it came from the cache. */
  readonly cached: boolean;
  /** Whether it came from the cache in part, which is what is left of a download that was cut off. */
  readonly resumed?: boolean;
  /** Whether its checksum is known, and held against it at its end: it is then to be read to its end. */
  readonly checked?: boolean;
  /** May be called once. Throws what goes wrong on the way; stopping early gives up the rest. */
  chunks(): AsyncIterable<Uint8Array>;
}

/** What an empty file was to be, its bytes cannot tell: neither can an error that looks into them. */
export function refuseEmpty(name: string, size: number | undefined): void {
  if (size === 0) throw new TransformerError('invalid_file', `${name}: the file is empty`, { details: { file: name } });
}

/** The last part of a URL's path. */
export function nameOfUrl(url: string): string {
  const part = new URL(url).pathname.split('/').pop() ?? '';
  try {
    return decodeURIComponent(part);
  } catch (cause) {
    const message = `${url}: '${part}' found, a name in UTF-8 with percent-encoding expected; a percent sign of the name itself is %25`;
    throw new TransformerError('invalid_argument', message, { details: { url }, cause });
  }
}

/** Pieces of bytes that are in memory already: views, not copies. */
async function* pieces(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  const size = 4 << 20;
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

export async function* readStream(stream: ReadableStream<Uint8Array>): AsyncIterable<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

export const fromBytes = (name: string, bytes: Uint8Array): OpenFile =>
  ({ name, size: bytes.length, cached: false, chunks: () => pieces(bytes) });

/** The content of a Blob may be gone: the browser made room, or the file that was chosen is another now. */
export async function* readBlob(blob: Blob, whose: string): AsyncIterable<Uint8Array> {
  try {
    yield* readStream(blob.stream() as ReadableStream<Uint8Array>);
  } catch (error) {
    throw new TransformerError('invalid_file', `${whose} can no longer be read (${(error as Error).message})`, { cause: error });
  }
}

export const fromBlob = (name: string, blob: Blob, cached = false): OpenFile =>
  ({ name, size: blob.size, cached, chunks: () => readBlob(blob, cached ? `${name} in the cache` : name) });

/** All bytes of a file, in one block. `onChunk` is told the length of each piece. */
export async function readAll(file: OpenFile, onChunk?: (length: number) => void): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of file.chunks()) {
    parts.push(part);
    length += part.length;
    onChunk?.(part.length);
  }
  if (parts.length === 1) return parts[0]!;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

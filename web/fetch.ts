// The one file that goes to the network, and to node's disk. A download is whole, or it is an error that says what came instead.
import { TransformerError, abortedBy, throwIfAborted } from './errors.js';
import { openCached, storing, type CacheMode } from './cache.js';
import { nameOfUrl, readBlob, readStream, type OpenFile } from './files.js';
import { dropParts, keptPartsOf, type KeptParts } from './kept-parts.js';
import { isNode, nodeModule } from './platform.js';
import type { Turns } from './turns.js';

export interface Access {
  headers?: Readonly<Record<string, string>>;
  cache: CacheMode;
  signal?: AbortSignal;
  /** Of the load that the file is opened for. */
  turns?: Turns;
}

const networkError = (message: string, details: Record<string, unknown>, cause?: unknown): TransformerError =>
  new TransformerError('network_error', message, cause === undefined ? { details } : { details, cause });

async function request(url: string, { headers, signal }: Access, method: 'GET' | 'HEAD' = 'GET'): Promise<Response> {
  const isHttp = /^https?:/i.test(url), send = (): Promise<Response> => fetch(url, { method, headers, signal });
  try {
    // Browsers end all requests when the network changes, as between two radios; the same one right after succeeds.
    return await send().catch((error: unknown) => isHttp && !signal?.aborted ? send() : Promise.reject(error));
  } catch (error) {
    if (signal?.aborted) throw abortedBy(signal);
    // Only HTTP has statuses: of an extension's own files, the fetch of one that is not there just fails.
    if (!isHttp) return new Response(null, { status: 404, statusText: '(no such file, or refused)' });
    throw networkError(`${url} could not be reached (${await reasonOf(url, error)})`, { url }, error);
  }
}

/** What node says of a failed request: 'connect ECONNREFUSED 127.0.0.1:9', below its 'fetch failed'. */
function causeOf(error: unknown): string {
  const { message, cause } = error as Error;
  const { code, message: reason } = (cause ?? {}) as Partial<NodeJS.ErrnoException>;
  return reason || code || message;
}

/** Why a request failed, which browsers keep from pages. Where it was CORS, the server still answers one that may not be read. */
async function reasonOf(url: string, error: unknown): Promise<string> {
  const { navigator, origin } = globalThis as Partial<typeof globalThis>;
  if (navigator?.onLine === false) return 'this device is offline';
  if (isNode) return causeOf(error);
  try {
    const { type } = await fetch(url, { method: 'HEAD', mode: 'no-cors', signal: AbortSignal.timeout(3000) });
    if (type === 'opaque')
      return `refused by CORS: its server answers, but lacks Access-Control-Allow-Origin for ${origin}, or leads to a login page`;
  } catch {
    // it was not CORS alone
  }
  return "offline, no such host, refused by CORS, http on a page of https, or blocked by the page's connect-src";
}

const isHtml = (response: Response): boolean => /^\s*(text\/html|application\/xhtml)/i.test(response.headers.get('content-type') ?? '');

/** Null where the file does not exist: the server says so, or sends the HTML of its page for unknown addresses. */
function checkResponse(url: string, response: Response, optional: boolean): Response | null {
  const { status } = response;
  const absent = status === 404 || status === 410;
  const landed = response.redirected ? ` after a redirect to ${response.url}` : '';
  if (optional && (absent || (response.ok && isHtml(response)))) return null;
  if (status === 401 || status === 403) {
    throw networkError(`${url}: status ${status}${landed}, access refused; if the file is private, give 'headers' that allow it`, {
      url,
      status,
    });
  }
  if (!response.ok || status === 206)
    throw networkError(`${url}: status ${status} ${response.statusText}${landed}, 200 expected`, { url, status });
  if (isHtml(response)) {
    throw networkError(
      `${url}: an HTML page came${landed} instead of the file (a login page, or the server's page for unknown addresses)`,
      { url, status },
    );
  }
  return response;
}

/** The length that the body must have, where the server's number counts its bytes as we see them. */
function expectedLength(response: Response): number | undefined {
  const encoding = response.headers.get('content-encoding');
  const length = response.headers.get('content-length');
  if (length === null || (encoding !== null && encoding !== 'identity')) return undefined;
  return Number(length);
}

/** Other origins do not tell that they compress: a body longer than what they sent is then no fault. */
const hidesEncoding = (response: Response): boolean => response.type === 'cors';

/** The body of a response, which brings the bytes of the file from `received` on. */
async function* checkedBody(
  url: string, response: Response, signal: AbortSignal | undefined, received: number, expected: number | undefined,
): AsyncIterable<Uint8Array> {
  const wrong = (cause?: unknown): TransformerError => {
    const counts = `${received} bytes arrived${expected === undefined ? '' : ` of ${expected}`}`;
    return networkError(`${url}: the download is not whole: ${counts}`, { url, received, expected }, cause);
  };
  try {
    for await (const part of response.body ? readStream(response.body) : []) {
      received += part.length;
      yield part;
    }
  } catch (error) {
    if (signal?.aborted) throw abortedBy(signal);
    throw error instanceof TransformerError ? error : wrong(error);
  }
  throwIfAborted(signal);
  if (expected === undefined || received === expected || (received > expected && hidesEncoding(response))) return;
  if (received > expected) await dropParts(url);
  throw wrong();
}

/** Whether the cached file is still what the server has; yes where the server cannot be asked. */
async function isCurrent(url: string, stored: Response, access: Access): Promise<boolean> {
  let head: Response;
  try {
    head = await request(url, access, 'HEAD');
  } catch {
    throwIfAborted(access.signal);
    return true;
  }
  if (!head.ok) return head.status !== 404 && head.status !== 410;
  return ['etag', 'last-modified'].every((name) => {
    const [now, then] = [head.headers.get(name), stored.headers.get(name)];
    return now === null || then === null || now === then;
  });
}

/** What looks at the pieces of a file as they pass, and throws where they are wrong. */
export type Check = (body: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;

/** Opens a URL. Null where `optional` and the file does not exist. Nothing is kept of what `check` refuses. */
export async function openUrl(url: string, access: Access, optional: boolean, check: Check): Promise<OpenFile | null> {
  throwIfAborted(access.signal);
  if (isNode && url.startsWith('file:')) return checkedFile(await openPath(pathOfUrl(url), access, optional), check);
  const fromCache = async (): Promise<OpenFile | null> =>
    checkedFile(await openCached(url, access.cache, (stored) => isCurrent(url, stored, access)), check);
  const cached = await fromCache();
  if (cached) return cached;
  if (access.cache === 'only') {
    if (optional) return null;
    throw networkError(`${url} is not in the cache, and cache: 'only' forbids to fetch it`, { url });
  }
  if (access.cache === 'none') return download(url, access, optional, check);
  const { turns } = access;
  await turns?.take(url, access.signal);
  let file: OpenFile | null = null;
  try {
    file = (await fromCache()) ?? (await download(url, access, optional, check));
  } finally {
    if (!file || file.cached) turns?.give(url);
  }
  return file;
}

/** A file whose pieces `check` looks at. */
export const checkedFile = <F extends OpenFile | null>(file: F, check: Check): F =>
  file && { ...file, chunks: () => check(file.chunks()) };

async function download(url: string, access: Access, optional: boolean, check: Check): Promise<OpenFile | null> {
  const kept = access.cache === 'default' ? await keptPartsOf(url) : null;
  const rest = kept && (await continued(url, access, kept));
  const response = rest?.status === 206 ? rest : checkResponse(url, rest ?? (await request(url, access)), optional);
  if (!response) return null;
  const start = response.status === 206 ? kept : null;
  const size = start?.total ?? expectedLength(response);
  async function* body(): AsyncIterable<Uint8Array> {
    if (start) yield* readBlob(start.bytes, `what was kept of ${url}`);
    yield* checkedBody(url, response!, access.signal, start?.length ?? 0, size);
  }
  async function* chunks(): AsyncIterable<Uint8Array> {
    try {
      yield* access.cache === 'none' ? check(body()) : storing({ url, response: response!, size, kept: start }, check(body()));
    } finally {
      access.turns?.give(url);
    }
  }
  return { name: nameOfUrl(url), size, cached: false, resumed: start !== null, chunks };
}

/** Asks for the rest of a file. Null where the whole is to be asked for; the answer may be the whole already, by any status but 206. */
async function continued(url: string, access: Access, { etag, length, total }: KeptParts): Promise<Response | null> {
  let response: Response;
  try {
    response = await request(url, { ...access, headers: { ...access.headers, range: `bytes=${length}-` } });
  } catch {
    throwIfAborted(access.signal);
    return null;  // where ranges are what the server's CORS forbids
  }
  const { status, headers } = response;
  const fits = headers.get('etag') === etag
    && headers.get('content-range') === `bytes ${length}-${total - 1}/${total}`
    && (headers.get('content-encoding') ?? 'identity') === 'identity';
  if (status !== 416 && (status !== 206 || fits)) return response;
  response.body?.cancel().catch(() => undefined);
  return null;
}

/** The path of a file: URL, in node. */
export const pathOfUrl = (url: string): string => nodeModule<typeof import('node:url')>('url')!.fileURLToPath(url);

function fs(): typeof import('node:fs/promises') {
  const found = nodeModule<typeof import('node:fs/promises')>('fs/promises');
  if (found) return found;
  throw new TransformerError('unsupported_platform', 'files on disk need node 20.16 or newer; elsewhere give a URL, or the bytes');
}

const unreadable = (path: string, cause: unknown): TransformerError =>
  new TransformerError('invalid_argument', `${path}: ${(cause as Error).message}`, { details: { path }, cause });

async function* readFile(path: string, signal: AbortSignal | undefined): AsyncIterable<Uint8Array> {
  const failed = (cause: unknown): never => {
    throw unreadable(path, cause);
  };
  const handle = await fs().open(path).catch(failed);
  try {
    for (;;) {
      throwIfAborted(signal);
      const { bytesRead, buffer } = await handle.read(new Uint8Array(4 << 20)).catch(failed);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

/** Opens a file by its path, in node. Null where `optional` and it does not exist. */
export async function openPath(path: string, access: Access, optional: boolean): Promise<OpenFile | null> {
  throwIfAborted(access.signal);
  const stats = await statOf(path);
  if (stats?.isFile())
    return { name: path.split(/[\\/]/).pop()!, size: stats.size, cached: false, chunks: () => readFile(path, access.signal) };
  if (optional && !stats) return null;
  const problem = stats ? 'neither a file nor a folder' : 'no such file or folder';
  throw new TransformerError('invalid_argument', `${path}: ${problem}`, { details: { path } });
}

async function statOf(path: string): Promise<import('node:fs').Stats | undefined> {
  try {
    return await fs().stat(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw unreadable(path, error);
  }
}

/** Whether a path leads to a folder. */
export const isFolder = async (path: string): Promise<boolean> => (await statOf(path))?.isDirectory() ?? false;

/** Names of the files of a folder on disk. */
export async function listFolder(path: string): Promise<string[]> {
  if (!(await isFolder(path))) throw new TransformerError('invalid_argument', `${path}: no such folder`, { details: { path } });
  return fs().readdir(path);
}

/** The compiled WebAssembly of a URL. */
export async function compileUrl(url: string): Promise<WebAssembly.Module> {
  if (url.startsWith('file:') && isNode) {
    const path = pathOfUrl(url);
    const bytes = await fs().readFile(path).catch((cause: unknown) => {
      throw networkError(`${path} could not be read: the package is not whole here (${(cause as Error).message})`, { url }, cause);
    });
    return WebAssembly.compile(bytes);
  }
  const response = checkResponse(url, await request(url, { cache: 'none' }), false)!;
  const streams = /^application\/wasm\b/i.test(response.headers.get('content-type') ?? '');
  return streams ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

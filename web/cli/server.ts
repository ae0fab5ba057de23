// Serves files on this machine only, with the headers that a page of models is meant to run under.
import { createReadStream, statSync, type Stats } from 'node:fs';
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';

/** No inline script or style, no eval, nothing from elsewhere but the models that the user names by address. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "worker-src 'self'",
  "connect-src 'self' https:",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

const HEADERS = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-cache',
};

const PLAIN = 'text/plain; charset=utf-8';
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.txt': PLAIN,
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.wasm': 'application/wasm',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
};

/** Folders of this machine by where the page sees them: '/', '/model/'; a path without a slash at its end is one file. */
export type Places = Readonly<Record<string, string>>;

interface Found {
  file: string;
  size: number;
  modified: number;
}

/** What lies at a path of the page: nothing outside the folders, no folder but by its index.html. */
function pathIn(places: Places, name: string): string | null {
  const [place] = Object.keys(places)
    .filter((one) => (one.endsWith('/') ? name.startsWith(one) : name === one))
    .sort((a, b) => b.length - a.length);
  if (place === undefined) return null;
  const root = path.resolve(places[place]!);
  if (name === place && !place.endsWith('/')) return root;
  const file = path.join(root, name.slice(place.length));
  return file.startsWith(root.endsWith(path.sep) ? root : root + path.sep) ? file : null;
}

/** Undefined for what no file can be: `index.html/x`, a name that is too long. */
function statsOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function find(places: Places, url: string): Found | null {
  let name;
  try {
    name = decodeURIComponent(new URL(url, 'http://localhost').pathname);
  } catch {
    return null;
  }
  const file = name.includes('\0') ? null : pathIn(places, name.endsWith('/') ? `${name}index.html` : name);
  const stats = file === null ? undefined : statsOf(file);
  return stats?.isFile() ? { file: file!, size: stats.size, modified: stats.mtimeMs } : null;
}

/** The first and last byte of a `Range` header; undefined where there is none to obey, null where it cannot be satisfied. */
function rangeOf(header: string | undefined, size: number): [first: number, last: number] | null | undefined {
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (from === undefined || to === undefined || from + to === '') return undefined;
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  return first <= last ? [first, last] : null;
}

/** A page elsewhere whose name was made to point to this machine asks with its own name. */
const isLocal = (host: string | undefined): boolean => /^(localhost|127\.0\.0\.1)(:\d+)?$/.test(host ?? '');

function answer(places: Places, request: IncomingMessage, response: ServerResponse): void {
  const reply = (status: number, headers: OutgoingHttpHeaders = {}, text = ''): void => {
    response.writeHead(status, { ...HEADERS, ...headers }).end(text);
  };
  if (!isLocal(request.headers.host)) return reply(403, { 'Content-Type': PLAIN }, 'this server answers to localhost only\n');
  if (request.method !== 'GET' && request.method !== 'HEAD') return reply(405, { Allow: 'GET, HEAD' });
  const found = find(places, request.url!);
  if (!found) return reply(404, { 'Content-Type': PLAIN }, 'not found\n');

  const { file, size, modified } = found;
  const tag = `"${size.toString(36)}-${Math.round(modified).toString(36)}"`;
  const type = TYPES[path.extname(file)] ?? 'application/octet-stream';
  const headers: OutgoingHttpHeaders = { 'Content-Type': type, 'Accept-Ranges': 'bytes', ETag: tag };
  if (request.headers['if-none-match'] === tag) return reply(304, headers);
  const changed = request.headers['if-range'] !== undefined && request.headers['if-range'] !== tag;
  const range = changed ? undefined : rangeOf(request.headers.range, size);
  if (range === null) return reply(416, { 'Content-Range': `bytes */${size}` });
  const [start, end] = range ?? [0, size - 1];
  headers['Content-Length'] = end - start + 1;
  if (range) headers['Content-Range'] = `bytes ${start}-${end}/${size}`;
  response.writeHead(range ? 206 : 200, { ...HEADERS, ...headers });
  if (request.method === 'HEAD' || size === 0) return void response.end();
  createReadStream(file, { start, end })
    .on('error', () => response.destroy())
    .pipe(response);
}

export interface RunningServer {
  url: string;
  close(): Promise<void>;
}

/** Serves on loopback; port 0 takes a free one. */
export function serve(places: Places, port = 0): Promise<RunningServer> {
  const server = createServer((request, response) => answer(places, request, response));
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const close = (): Promise<void> =>
        new Promise((closed) => {
          server.close(() => closed());
          server.closeAllConnections();
        });
      resolve({ url: `http://localhost:${(server.address() as AddressInfo).port}/`, close });
    });
  });
}

/** The same at `port`, or at a free one where that is taken. */
export const serveNear = (places: Places, port: number): Promise<RunningServer> =>
  serve(places, port).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error;
    return serve(places);
  });

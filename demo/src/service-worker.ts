// Keeps the whole page for when there is no network. While there is one it always answers, so that a new version shows at once; the files
// of a version are fetched together as its worker is installed, so that what is kept is of one version.

/** What of a service worker's scope TypeScript's library for pages lacks. */
interface Lasting extends Event { waitUntil(work: Promise<unknown>): void }
interface Fetching extends Event { readonly request: Request; respondWith(response: Promise<Response>): void }
interface Scope {
  addEventListener(type: 'install' | 'activate', listener: (event: Lasting) => void): void;
  addEventListener(type: 'fetch', listener: (event: Fetching) => void): void;
  skipWaiting(): Promise<void>;
  readonly clients: { claim(): Promise<void> };
}

/** Written in by demo/build.mjs: a hash of all files that are kept, their names, and those of the models that the package keeps on use. */
declare const VERSION: string;
declare const FILES: readonly string[];
declare const LEFT: readonly string[];

const scope = self as unknown as Scope;
const PREFIX = 'webformer-page-';
const NAME = PREFIX + VERSION;

async function install(): Promise<void> {
  const cache = await caches.open(NAME);
  await cache.addAll(FILES.map((file) => new Request(file, { cache: 'no-cache' })));
  await scope.skipWaiting();
}

async function activate(): Promise<void> {
  const old = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== NAME);
  await Promise.all(old.map((name) => caches.delete(name)));
  await scope.clients.claim();
}

/** As the server would answer: the optional files that a model does not have are missing, rather than out of reach. */
async function kept(request: Request, failure: unknown): Promise<Response> {
  const found = await caches.match(request, { cacheName: NAME, ignoreVary: true, ignoreSearch: request.mode === 'navigate' });
  if (found) return found;
  const exists = LEFT.some((file) => new URL(file, location.href).href === request.url);
  if (request.url.startsWith(new URL('models/', location.href).href) && !exists) return new Response(null, { status: 404 });
  throw failure;
}

scope.addEventListener('install', (event) => event.waitUntil(install()));
scope.addEventListener('activate', (event) => event.waitUntil(activate()));
scope.addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method !== 'GET' || new URL(request.url).origin !== location.origin) return;
  event.respondWith(fetch(request).catch((error: unknown) => kept(request, error)));
});

// A model that is large for the cache and small for everything else, and a server of it that may be told to misbehave.
import { createHash } from 'node:crypto';
import { bert } from '../fixtures/make_models.mjs';
import { bytes, safetensors } from '../fixtures/write_weights.mjs';

export const WEIGHTS = 'model.safetensors';
/** As in web/kept-parts.ts. */
export const CHUNK = 4 << 20;

const files = bert();

/** The weights with 14 MB of a tensor that no model asks for; another `seed`, other numbers in it. */
export function largeWeights(seed = 1) {
  const small = Buffer.from(files.get(WEIGHTS)), length = Number(small.readBigUInt64LE(0)), data = small.subarray(8 + length);
  const numbers = Float32Array.from({ length: 3_500_000 }, (_, i) => (i * seed) % 1000);
  const end = data.length + numbers.byteLength;
  const ballast = { dtype: 'F32', shape: [numbers.length], data_offsets: [data.length, end] };
  const header = { ...JSON.parse(small.subarray(8, 8 + length)), ballast };
  return safetensors(JSON.stringify(header), bytes(data, Buffer.from(numbers.buffer)));
}

export const sha256 = (content) => createHash('sha256').update(content).digest('hex');

/** The range of a request, as its first byte; 0 where the whole is asked for. */
export const startOf = (request) => Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);

/** Answers as servers should, with `content` from the byte that was asked for. `changes`: what it does otherwise. */
export function sendPart(request, response, content, { etag = '"1"', headers = {}, until = Infinity } = {}) {
  const start = startOf(request), part = content.subarray(start), total = content.length;
  if (start > 0) response.setHeader('content-range', `bytes ${start}-${total - 1}/${total}`);
  if (etag) response.setHeader('etag', etag);
  response.setHeader('cache-control', 'no-store');  // Chromium's own cache would ask for other ranges than the package
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.writeHead(start > 0 ? 206 : 200, { 'content-type': 'application/octet-stream', 'content-length': part.length });
  if (request.method === 'HEAD') return response.end();
  if (until >= total) return response.end(part);
  return response.write(content.subarray(start, until), () => setTimeout(() => response.destroy(), 300));
}

/** In a page: loads the model. Its error, or how far the load said that it was. */
export const loadLarge = (page, options = {}) =>
  page.evaluate(async (given) => {
    const { loadModel } = await import('/dist/index.js');
    const events = [];
    try {
      const loaded = await loadModel('/large/', { ...given, onProgress: (event) => events.push(event) });
      loaded.dispose();
    } catch ({ code, message }) {
      return { code, message };
    }
    const ofWeights = events.filter(({ file }) => file === 'model.safetensors');
    return {
      fractions: events.map(({ fraction }) => fraction ?? 0),
      phases: [...new Set(ofWeights.map(({ phase }) => phase))],
      loaded: ofWeights.at(-1).loaded,
    };
  }, options);

/** How many chunks the page's database has. */
export const chunksIn = (page) =>
  page.evaluate(async () => {
    const done = (request) => new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
    if (!(await indexedDB.databases()).some(({ name }) => name === 'webformer')) return 0;
    const database = await done(indexedDB.open('webformer'));
    const count = await done(database.transaction('chunks').objectStore('chunks').count());
    database.close();
    return count;
  });

/** Answers for the model in the folder large/. `state.send(request, response)` sends the weights, `state.gets` notes who asked for them. */
export function largeModel() {
  const state = {
    gets: [],
    send: undefined,
    answer(name, request, response) {
      const file = name.startsWith('large/') && name.slice('large/'.length);
      if (!file || !files.has(file)) return false;
      if (file !== WEIGHTS) return sendPart(request, response, files.get(file));
      if (request.method === 'GET') state.gets.push(request.headers.range ?? 'whole');
      state.send(request, response);
      return true;
    },
  };
  return state;
}

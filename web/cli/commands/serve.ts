// webformer serve: a folder as a site, or a model with a page to try it on.
import { once } from 'node:events';
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { UsageError, defineCommand } from '../arguments.js';
import { writeJson, writeText } from '../output.js';
import { serve, serveNear, type Places } from '../server.js';

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

interface Site {
  places: Places;
  /** What the address ends in. */
  query: string;
}

/** As a query's value that one can read. */
const inQuery = (text: string): string => encodeURIComponent(text).replaceAll('%2F', '/').replaceAll('%3A', ':');

/** The page, the package as the page imports it, and the model, which the page finds by its address. */
const modelPage = (model: Places, source: string): Site => ({
  places: { '/': here('page'), '/webformer/': here('..'), ...model },
  query: `?model=${inQuery(source)}`,
});

/** Refuses a folder that holds neither a site nor a model. */
function checkModel(folder: string): void {
  const names = readdirSync(folder);
  if (names.some((name) => name.endsWith('.gguf'))) return;
  const hasConfig = names.includes('config.json');
  if (hasConfig && names.some((name) => name.endsWith('.safetensors'))) return;
  const missing = hasConfig ? 'model.safetensors' : 'config.json';
  const found = names.length === 0 ? 'the folder is empty' : `${missing} is missing`;
  const expected = 'a model (config.json and model.safetensors, or a .gguf file) or a site (index.html) expected';
  throw new UsageError(`${folder}: ${found}; ${expected}`);
}

/** What the system says of a port, in words that say what to do. */
function explained(error: NodeJS.ErrnoException, port: number): Error {
  if (error.code === 'EADDRINUSE') return new Error(`port ${port} is taken: give another --port, or none for a free one`);
  if (error.code === 'EACCES') return new Error(`port ${port} is not for this user: give a --port from 1024 to 65535, or none`);
  return error;
}

function siteOf(source: string): Site {
  if (/^(hf|https):/.test(source)) return modelPage({}, source);
  if (/^\w+:\/\//.test(source)) throw new UsageError(`${source}: an address that begins with https: expected`);
  const stats = statSync(source, { throwIfNoEntry: false });
  if (!stats) throw new UsageError(`${source || "''"}: no such file or folder`);
  if (!stats.isDirectory() && !(stats.isFile() && /\.(gguf|json|model|spm)$/.test(source)))
    throw new UsageError(`${source}: a folder, a .gguf file, or a tokenizer's file expected`);
  const isFolder = stats.isDirectory();
  if (isFolder && existsSync(path.join(source, 'index.html'))) return { places: { '/': source }, query: '' };
  if (isFolder) checkModel(source);
  const name = path.basename(path.resolve(source)),
    end = isFolder ? '/' : '';
  return modelPage({ [`/model/${name}${end}`]: source }, `model/${encodeURIComponent(name)}${end}`);
}

export const serveCommand = defineCommand({
  name: 'serve',
  summary: 'Serves a model with a page to try it on, or a folder that has a page',
  usage: 'MODEL',
  least: 1,
  most: 1,
  options: {
    port: { kind: 'whole', short: 'p', help: 'default 8080, or a free one where that is taken; 0 is a free one' },
    json: { kind: 'flag', help: 'write the address as JSON' },
  },
  about:
    'A folder with an index.html is served as it is, with the headers that let a page use all of WebAssembly. Only this machine can ' +
    'reach the server; Ctrl-C ends it.',
  examples: ['webformer serve models/tales', 'webformer serve build/site --port 3000', 'webformer serve hf:HuggingFaceTB/SmolLM2-135M'],
  async run([source], { port, json }, signal) {
    if (port !== undefined && port > 65535) throw new UsageError(`--port: ${port} found, 65535 at most expected`);
    const { places, query } = siteOf(source!);
    const server = await (port === undefined ? serveNear(places, 8080) : serve(places, port)).catch((error: NodeJS.ErrnoException) => {
      throw explained(error, port ?? 8080);
    });
    try {
      const url = `${server.url}${query}`;
      await (json ? writeJson({ url }, signal) : writeText(`${url}\n`, signal));
      if (!signal.aborted) await once(signal, 'abort');
    } finally {
      await server.close();
    }
  },
});

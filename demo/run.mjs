// `npm run demo [-- --port N]`: sets up, builds, and serves the page until it is stopped.
import { parseArgs } from 'node:util';
import { build } from '../wasm/build.mjs';
import { DEMO } from './build.mjs';

const { values } = parseArgs({ options: { port: { type: 'string', default: '8080' } } });
if (!await build()) process.exit(1);

const { serveNear } = await import('../dist/cli/server.js');
const { url } = await serveNear({ '/': DEMO }, Number(values.port));
console.log(`\nThe page is at ${url}  (Ctrl+C ends it)`);

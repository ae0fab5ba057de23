// `npm run demo [-- --port N]`: sets up, builds, and serves the page until it is stopped.
import { parseArgs } from 'node:util';
import { build } from '../wasm/build.mjs';
import { DEMO } from './build.mjs';
import { serve } from './serve.mjs';

const { values } = parseArgs({ options: { port: { type: 'string', default: '8080' } } });
if (!await build()) process.exit(1);

const busy = (error) => {
  if (error.code !== 'EADDRINUSE') throw error;
  console.log(`Port ${values.port} is taken; using a free one.`);
  return serve(DEMO);
};
const { url } = await serve(DEMO, Number(values.port)).catch(busy);
console.log(`\nThe page is at ${url}  (Ctrl+C ends it)`);

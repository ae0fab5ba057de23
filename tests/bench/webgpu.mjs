// Prompts of growing length with their attention on the CPU and on the GPU, and the length that calibration chose.
//   node tests/bench/webgpu.mjs [--browser] [--software] [--longest N] [--json FILE]
// In node on the package `webgpu`, or in Chromium; --software takes SwiftShader, which is for trying this program, not for its figures.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromiumPath } from '../../wasm/setup/chromium.mjs';
import { CHROMIUM_OPTIONS, useSoftwareGpu } from '../gpu/software.mjs';

const { values: args } = parseArgs({
  options: {
    browser: { type: 'boolean', default: false },
    software: { type: 'boolean', default: false },
    longest: { type: 'string', default: '4096' },
    json: { type: 'string' },
  },
});
const longest = Number(args.longest);

/** The layers of a model of 134 million parameters, two of them. */
const CONFIG = {
  model_type: 'llama',
  hidden_size: 768,
  num_attention_heads: 12,
  num_key_value_heads: 12,
  num_hidden_layers: 2,
  intermediate_size: 2048,
  vocab_size: 1000,
  max_position_embeddings: longest,
};

/** Milliseconds of a forward pass by length and device. Runs in a page as well, so that it names nothing of this file. */
async function sweep({ entry, config, most }) {
  const { createModel, capabilities } = await import(entry);
  const open = (device) => createModel(config, { device, seed: 1, worker: false });
  const median = async (work) => {
    const times = [];
    for (let i = 0; i < 4; i++) {
      const start = performance.now();
      await work();
      times.push(performance.now() - start);
    }
    return times.slice(1).sort((a, b) => a - b)[1];
  };
  const models = { wasm: await open('wasm'), webgpu: await open('webgpu'), auto: await open('auto') };
  const rows = [];
  for (let length = 64; length <= most; length *= 2) {
    const inputs = { inputIds: [Array.from({ length }, (_, i) => 1 + ((i * 7) % 900))] };
    const row = { length };
    for (const [device, model] of Object.entries(models)) {
      row[device] = await median(() => model.forward(inputs, { logits: 'none' }));
    }
    row.dispatches = (await models.auto.forward(inputs, { logits: 'none' })).gpuDispatches;
    rows.push(row);
  }
  const { webgpu } = await capabilities();
  const { gpuThreshold, deviceReason } = models.auto.info;
  for (const model of Object.values(models)) model.dispose();
  return { adapter: webgpu.adapter, rows, threshold: gpuThreshold, reason: deviceReason };
}

async function sweepInChromium(options) {
  const { chromium } = await import('playwright-core');
  const dist = path.dirname(fileURLToPath(import.meta.resolve('webformer')));
  const types = { '.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm' };
  const server = createServer(({ url }, response) => {
    const file = path.join(dist, path.basename(url));
    if (url === '/') response.setHeader('content-type', 'text/html').end('<!doctype html><title>bench</title>');
    else if (existsSync(file)) response.setHeader('content-type', types[path.extname(file)] ?? 'text/plain').end(readFileSync(file));
    else response.writeHead(404).end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const flags = args.software ? CHROMIUM_OPTIONS : ['--enable-unsafe-webgpu', '--enable-features=Vulkan'];
  const browser = await chromium.launch({ executablePath: chromiumPath() ?? undefined, args: ['--no-sandbox', ...flags] });
  try {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    return await page.evaluate(sweep, { ...options, entry: '/index.js' });
  } finally {
    await browser.close();
    server.close();
  }
}

if (args.software) useSoftwareGpu();
// In node, auto looks for no GPU unless there is one as in a browser.
if (!args.browser) Object.defineProperty(globalThis, 'navigator', { value: { gpu: (await import('webgpu')).create([]) } });
const options = { entry: import.meta.resolve('webformer'), config: CONFIG, most: longest };
const { adapter, rows, threshold, reason } = await (args.browser ? sweepInChromium(options) : sweep(options));

console.log(`${args.browser ? 'Chromium' : `node ${process.version}`}, ${adapter}: milliseconds of a prompt through two layers`);
const cell = (value) => value.toFixed(1).padStart(11);
console.log(['tokens', 'cpu', 'gpu', 'auto'].map((name) => name.padStart(11)).join('') + '   attentions that auto sent to the GPU');
for (const row of rows)
  console.log(String(row.length).padStart(11) + cell(row.wasm) + cell(row.webgpu) + cell(row.auto) + String(row.dispatches).padStart(6));
console.log(threshold === undefined ? `auto: ${reason}` : `auto: the GPU from ${threshold} tokens on`);

if (args.json) {
  // Where auto chose the GPU it must never lose: the worst of those lengths.
  const chosen = rows.filter(({ dispatches }) => dispatches > 0).map(({ wasm, auto }) => wasm / auto);
  const ratio = chosen.length > 0 ? Math.min(...chosen) : 1;
  const last = rows.at(-1);
  writeFileSync(args.json, JSON.stringify([{ work: 'webgpu-prefill', ours: last.auto, peer: last.wasm, ratio, unit: 'ms' }]));
}
process.exit(0);

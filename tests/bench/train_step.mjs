// A training step of the small GPT of the peers' train_step.py: PyTorch's, the native trainer's, and the package's in Chromium.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { serve } from '../../dist/cli/server.js';
import { buildPreset } from '../../wasm/cmake.mjs';
import { chromiumPath } from '../../wasm/setup/chromium.mjs';
import { ROOT } from '../../wasm/setup/paths.mjs';
import { PEERS } from '../../wasm/setup/peers.mjs';
import { findProgram, outputOf, run } from '../../wasm/setup/system.mjs';

const STEPS = 10;

/** A python that has PyTorch: of $PYTHON, of an environment that this makes beside the peers, or of the machine. */
async function pythonWithTorch() {
  const own = path.join(PEERS, 'venv', 'bin', 'python'), machine = findProgram('python3');
  for (const python of [process.env.PYTHON, own, machine])
    if (python && existsSync(python) && outputOf(python, ['-c', 'import torch']) !== null) return python;
  if (!machine) throw new Error('python3 is not on PATH');
  await run(machine, ['-m', 'venv', path.join(PEERS, 'venv')]);
  await run(own, ['-m', 'pip', 'install', '--quiet', '-r', path.join(PEERS, 'requirements.txt')]);
  return own;
}

async function peer() {
  const python = await pythonWithTorch();
  return JSON.parse(await run(python, [path.join(PEERS, 'train_step.py'), '--steps', String(STEPS), '--threads', '1']));
}

function native() {
  const folder = buildPreset('host', ['webformer-train-step']);
  if (!folder) throw new Error('the native build failed');
  return async () => JSON.parse(await run(path.join(folder, 'webformer-train-step'), [String(STEPS)]));
}

/** Runs in the page. Rows of 129 ids are learned from at 128 places, as the peer's are. */
async function stepsInPage(steps) {
  const { loadModel } = await import('/dist/index.js');
  const [width, layers, vocab, length, batch] = [256, 4, 4096, 129, 16], warmup = 3;
  const config = {
    model_type: 'gpt2', architectures: ['GPT2LMHeadModel'],
    vocab_size: vocab, n_embd: width, n_head: 4, n_layer: layers, n_positions: length,
  };
  const shapes = { 'wte.weight': [vocab, width], 'wpe.weight': [length, width], 'ln_f.weight': [width], 'ln_f.bias': [width] };
  for (let i = 0; i < layers; ++i) {
    const parts = {
      'ln_1.weight': [width], 'ln_1.bias': [width], 'ln_2.weight': [width], 'ln_2.bias': [width],
      'attn.c_attn.weight': [width, 3 * width], 'attn.c_attn.bias': [3 * width], 'attn.c_proj.weight': [width, width],
      'attn.c_proj.bias': [width], 'mlp.c_fc.weight': [width, 4 * width], 'mlp.c_fc.bias': [4 * width],
      'mlp.c_proj.weight': [4 * width, width], 'mlp.c_proj.bias': [width],
    };
    for (const [name, shape] of Object.entries(parts)) shapes[`h.${i}.${name}`] = shape;
  }
  const header = {}, size = (shape) => shape.reduce((a, b) => a * b, 1);
  let end = 0;
  for (const [name, shape] of Object.entries(shapes))
    header[`transformer.${name}`] = { dtype: 'F32', shape, data_offsets: [end, end += 4 * size(shape)] };
  const json = new TextEncoder().encode(JSON.stringify(header).padEnd(8 * Math.ceil(JSON.stringify(header).length / 8)));
  const file = new Uint8Array(8 + json.length + end);
  new DataView(file.buffer).setBigUint64(0, BigInt(json.length), true);
  file.set(json, 8);
  const numbers = new Float32Array(file.buffer, 8 + json.length);
  const normal = () => 0.02 * Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
  for (const { shape, data_offsets: [from, to] } of Object.values(header))
    for (let i = from / 4; i < to / 4; ++i) numbers[i] = shape.length === 2 ? normal() : 1;
  for (const [name, { data_offsets: [from, to] }] of Object.entries(header)) if (name.endsWith('.bias')) numbers.fill(0, from / 4, to / 4);

  const model = await loadModel(new Map([['config.json', new TextEncoder().encode(JSON.stringify(config))], ['model.safetensors', file]]));
  const ids = Array.from({ length: batch }, () => Array.from({ length }, () => Math.floor(Math.random() * vocab)));
  const training = model.train({ task: 'batches', rows: [{ inputIds: ids, labels: ids }] },
    { steps: warmup + steps, optimizer: { learningRate: 3e-4, weightDecay: 0.01 } });
  const values = [], loss = [];
  let before = performance.now();
  for await (const step of training) {
    const now = performance.now();
    if (loss.push(step.loss) > warmup) values.push(now - before);
    before = now;
  }
  model.dispose();
  return { unit: 'ms', values, loss: loss.slice(0, 4), median: values.toSorted((a, b) => a - b)[values.length >> 1] };
}

async function inChromium() {
  const server = await serve({ '/dist/': path.join(ROOT, 'dist') });
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage();
    await page.goto(`${server.url}dist/index.js`);
    return await page.evaluate(stepsInPage, STEPS);
  } finally {
    await browser.close();
    await server.close();
  }
}

/** @returns rows of `train-step-native` and `train-step-wasm`; both sides in turn, the best of three runs of each */
export async function trainSteps() {
  const sides = { peer, native: native(), inChromium }, best = {};
  for (let i = 0; i < 3; ++i)
    for (const [name, side] of Object.entries(sides)) {
      const outcome = await side();
      if (!best[name] || outcome.median < best[name].median) best[name] = outcome;
    }
  const { median: theirs, version } = best.peer;
  const row = (work, { median }) => ({ work, ours: median, peer: theirs, ratio: theirs / median, unit: 'ms', name: `PyTorch ${version}` });
  return [row('train-step-native', best.native), row('train-step-wasm', best.inChromium)];
}

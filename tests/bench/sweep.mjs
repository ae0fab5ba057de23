// How cost grows: prompts of 64 to 8192 tokens, the next tokens after each, and the memory of the process at its peak.
//   node tests/bench/sweep.mjs [--longest N] [--dtype int8]
// Each length has a process of its own, with relaxed SIMD. Linear memory, and tokens a second without cliffs, are what to look for:
// attention's part of the work grows with the length, that of the matrices does not.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { relaxedNode } from '../../wasm/setup/nodes.mjs';

const { values: flags } = parseArgs({
  options: { longest: { type: 'string', default: '8192' }, dtype: { type: 'string', default: 'int8' }, length: { type: 'string' } },
});
const SHORTEST = 64, NEW_TOKENS = 17;

/** LLaMA's shape: 134 million parameters with two of its twelve layers and few words are enough to see how cost grows. */
const CONFIG = {
  model_type: 'llama', architectures: ['LlamaForCausalLM'], hidden_size: 768, num_attention_heads: 12, num_key_value_heads: 12,
  num_hidden_layers: 2, intermediate_size: 2048, vocab_size: 1000, eos_token_id: null, max_position_embeddings: 16384,
};

async function measure(length) {
  const { createModel } = await import('webformer');
  const model = await createModel(CONFIG, { device: 'wasm', seed: 1, worker: false, dtype: flags.dtype, maxLength: length + NEW_TOKENS });
  const ids = Array.from({ length }, (_, i) => 1 + ((i * 7) % 900));
  await model.generate(ids.slice(0, SHORTEST), { doSample: false, maxNewTokens: NEW_TOKENS }).result();
  const { usage } = await model.generate(ids, { doSample: false, maxNewTokens: NEW_TOKENS }).result();
  model.dispose();
  const { prefillMs, decodeMs, newTokens } = usage, memory = process.resourceUsage().maxRSS / 1024;
  return { prefill: length / (prefillMs / 1e3), decode: (newTokens - 1) / (decodeMs / 1e3), memory };
}

if (flags.length) {
  console.log(JSON.stringify(await measure(Number(flags.length))));
  process.exit(0);
}
console.log(`two layers of LLaMA 134 M, ${flags.dtype}: tokens a second, and MiB of memory`);
console.log(`${'tokens'.padStart(8)}${'prefill'.padStart(10)}${'decode'.padStart(10)}${'memory'.padStart(10)}`);
for (let length = SHORTEST; length <= Number(flags.longest); length *= 2) {
  const args = [fileURLToPath(import.meta.url), '--dtype', flags.dtype, '--length', String(length)];
  const { status, stdout, stderr } = spawnSync(relaxedNode, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  const { prefill, decode, memory } = JSON.parse(stdout);
  console.log(String(length).padStart(8) + [prefill, decode, memory].map((value) => value.toFixed(0).padStart(10)).join(''));
}

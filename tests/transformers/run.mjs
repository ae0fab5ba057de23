// Models that are trained and saved here give the same logits under transformers, go on there, and come back.
//   node tests/transformers/run.mjs [PYTHON]      where PYTHON has torch and transformers, and peft for the adapters; default: python3
// Needs the built package. Prints the largest difference of each model's logits; ends with 'N passed, N failed'.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createModel, loadModel, trainTokenizer } from 'webformer';
import { ROOT } from '../../wasm/setup/paths.mjs';

const FOLDER = path.join(ROOT, 'build/transformers');
const TEXT = 'the quick brown fox jumps over the lazy dog';
/** Between sums of floats in another order. */
const TOLERANCE = 1e-4;

const SIZES = { vocab_size: 64, initializer_range: 0.1 };
const ENCODER = { hidden_size: 32, num_attention_heads: 4, num_hidden_layers: 2, intermediate_size: 64, max_position_embeddings: 64 };
const CONFIGS = {
  bert: { model_type: 'bert', architectures: ['BertForSequenceClassification'], id2label: { 0: 'a', 1: 'b' }, ...ENCODER, ...SIZES },
  'bert-mlm': { model_type: 'bert', architectures: ['BertForMaskedLM'], ...ENCODER, ...SIZES },
  gpt2: {
    model_type: 'gpt2', architectures: ['GPT2LMHeadModel'], n_embd: 32, n_head: 4, n_layer: 2, n_positions: 64, eos_token_id: 1, ...SIZES,
  },
  llama: {
    model_type: 'llama', architectures: ['LlamaForCausalLM'], num_key_value_heads: 2, rms_norm_eps: 1e-6, ...ENCODER, ...SIZES,
  },
  t5: {
    model_type: 't5', architectures: ['T5ForConditionalGeneration'], d_model: 32, d_kv: 8, d_ff: 64, num_heads: 4, num_layers: 2,
    feed_forward_proj: 'gated-gelu', tie_word_embeddings: false, pad_token_id: 0, eos_token_id: 1, decoder_start_token_id: 0, ...SIZES,
  },
  marian: {
    model_type: 'marian', architectures: ['MarianMTModel'], d_model: 32, encoder_layers: 2, decoder_layers: 2, encoder_attention_heads: 4,
    decoder_attention_heads: 4, encoder_ffn_dim: 64, decoder_ffn_dim: 64, max_position_embeddings: 64, activation_function: 'swish',
    scale_embedding: true, pad_token_id: 0, eos_token_id: 1, decoder_start_token_id: 0, forced_eos_token_id: 1, init_std: 0.1, ...SIZES,
  },
};

const DECODER = { ...ENCODER, num_key_value_heads: 2, ...SIZES };
const SEQ2SEQ = {
  d_model: 32, encoder_layers: 2, decoder_layers: 2, encoder_attention_heads: 4, decoder_attention_heads: 4, encoder_ffn_dim: 64,
  decoder_ffn_dim: 64, max_position_embeddings: 64, init_std: 0.1, pad_token_id: 0, bos_token_id: 2, eos_token_id: 1,
  decoder_start_token_id: 1, ...SIZES,
};
const LABELS = { id2label: { 0: 'a', 1: 'b' } };
/** What a new model of each of the other families is saved as. */
Object.assign(CONFIGS, {
  albert: { model_type: 'albert', architectures: ['AlbertForMaskedLM'], embedding_size: 16, ...ENCODER, ...SIZES },
  'bert-tags': { model_type: 'bert', architectures: ['BertForTokenClassification'], ...LABELS, ...ENCODER, ...SIZES },
  bart: { model_type: 'bart', architectures: ['BartForConditionalGeneration'], ...SEQ2SEQ },
  bloom: { model_type: 'bloom', architectures: ['BloomForCausalLM'], hidden_size: 32, n_head: 4, n_layer: 2, ...SIZES },
  cohere: { model_type: 'cohere', architectures: ['CohereForCausalLM'], bos_token_id: 2, eos_token_id: 1, ...DECODER },
  distilbert: {
    model_type: 'distilbert', architectures: ['DistilBertForSequenceClassification'], ...LABELS, dim: 32, n_heads: 4, n_layers: 2,
    hidden_dim: 64, max_position_embeddings: 64, ...SIZES,
  },
  electra: { model_type: 'electra', architectures: ['ElectraForMaskedLM'], embedding_size: 16, ...ENCODER, ...SIZES },
  gemma2: { model_type: 'gemma2', architectures: ['Gemma2ForCausalLM'], head_dim: 8, query_pre_attn_scalar: 8, ...DECODER },
  gpt_neox: { model_type: 'gpt_neox', architectures: ['GPTNeoXForCausalLM'], ...ENCODER, ...SIZES },
  'llama-labels': { model_type: 'llama', architectures: ['LlamaForSequenceClassification'], ...LABELS, pad_token_id: 0, ...DECODER },
  m2m100: { model_type: 'm2m_100', architectures: ['M2M100ForConditionalGeneration'], ...SEQ2SEQ },
  mistral: { model_type: 'mistral', architectures: ['MistralForCausalLM'], ...DECODER },
  modernbert: {
    model_type: 'modernbert', architectures: ['ModernBertForMaskedLM'], pad_token_id: 0, bos_token_id: 2, eos_token_id: 1,
    cls_token_id: 2, sep_token_id: 1, ...ENCODER, ...SIZES,
  },
  opt: {
    model_type: 'opt', architectures: ['OPTForCausalLM'], hidden_size: 32, num_attention_heads: 4, num_hidden_layers: 2, ffn_dim: 64,
    max_position_embeddings: 64, word_embed_proj_dim: 32, pad_token_id: 0, ...SIZES,
  },
  phi: { model_type: 'phi', architectures: ['PhiForCausalLM'], ...DECODER },
  qwen2: { model_type: 'qwen2', architectures: ['Qwen2ForCausalLM'], ...DECODER },
  qwen3: { model_type: 'qwen3', architectures: ['Qwen3ForCausalLM'], head_dim: 8, ...DECODER },
  roberta: {
    model_type: 'roberta', architectures: ['RobertaForSequenceClassification'], ...LABELS, pad_token_id: 1, ...ENCODER, ...SIZES,
  },
  starcoder2: {
    model_type: 'starcoder2', architectures: ['Starcoder2ForCausalLM'], sliding_window: 4, bos_token_id: 2, eos_token_id: 1, ...DECODER,
  },
});

const IDS = [[5, 9, 17, 33, 2, 41], [6, 7, 8, 60, 10, 11]];
const rowsOf = (ids) => ids.map((row) => [...row]);

function inputsFor(info) {
  if (info.kind === 'encoder-decoder') return { inputIds: rowsOf(IDS), decoderInputIds: [[3, 5, 7, 9], [3, 6, 4, 2]] };
  return { inputIds: rowsOf(IDS) };
}

function labelsFor(info) {
  if (info.tasks.includes('text-classification')) return [0, 1];
  if (info.labels.length > 0) return IDS.map((row) => row.map((id) => id % 2));
  return info.kind === 'encoder-decoder' ? [[5, 7, 9, 1], [6, 4, 2, 1]] : rowsOf(IDS);
}

const NAMES = { inputIds: 'input_ids', decoderInputIds: 'decoder_input_ids' };
const renamed = (inputs) => Object.fromEntries(Object.entries(inputs).map(([name, ids]) => [NAMES[name], ids]));

const logitsOf = async (model) => [...(await model.forward(inputsFor(model.info))).logits.data];
const distance = (a, b) => a.reduce((most, x, i) => Math.max(most, Math.abs(x - b[i])), a.length === b.length ? 0 : Infinity);

function write(folder, files) {
  mkdirSync(folder, { recursive: true });
  for (const [name, bytes] of files) writeFileSync(path.join(folder, name), bytes);
}

function train(model, options) {
  const row = { ...inputsFor(model.info), labels: labelsFor(model.info) };
  return model.train({ task: 'batches', rows: [row] }, { seed: 1, optimizer: { learningRate: 3e-3 }, ...options }).result();
}

/** Trains a model, saves it with an adapter beside it, and writes what it gives. */
async function save(name, tokenizer) {
  const model = await createModel(CONFIGS[name], { seed: 7, tokenizer });
  await train(model, { steps: 5 });
  const logits = await logitsOf(model);
  const folder = path.join(FOLDER, name);
  write(folder, await model.save());
  await train(model, { steps: 5, lora: { rank: 3, alpha: 6 } });
  write(path.join(folder, 'adapter'), await model.saveAdapter());
  const expected = {
    inputs: renamed(inputsFor(model.info)), labels: labelsFor(model.info), logits, adapter: await logitsOf(model),
    text: TEXT, ids: tokenizer.encode(TEXT).ids,
  };
  writeFileSync(path.join(folder, 'expected.json'), JSON.stringify(expected));
  model.dispose();
  return expected;
}

/** What transformers found, and the model that it trained on, here again. */
async function compare(name, expected) {
  const folder = path.join(FOLDER, name);
  const found = JSON.parse(readFileSync(path.join(folder, 'found.json'), 'utf8'));
  const model = await loadModel(path.join(folder, 'again'));
  const back = distance(await logitsOf(model), found.logits);
  const before = (await model.forward({ ...inputsFor(model.info), labels: labelsFor(model.info) })).loss;
  const { loss } = await train(model, { steps: 10 });
  model.dispose();
  const adapter = found.adapter === undefined ? 'no peft' : found.adapter.toExponential(1);
  console.log(`${name.padEnd(14)} there ${found.distance.toExponential(1)}, adapter ${adapter}, back ${back.toExponential(1)}; `
    + `loss ${before.toFixed(3)} became ${loss.toFixed(3)}`);
  const faults = [];
  if (Object.keys(found.problems).length > 0) faults.push(`transformers misses or does not know ${JSON.stringify(found.problems)}`);
  if (Math.max(found.distance, found.adapter ?? 0, back) > TOLERANCE) faults.push(`more than ${TOLERANCE} apart`);
  if (found.ids && JSON.stringify(found.ids) !== JSON.stringify(expected.ids)) faults.push(`ids ${found.ids}, ${expected.ids} expected`);
  if (!(loss < before)) faults.push('it does not go on learning');
  for (const fault of faults) console.log(`  not ok: ${fault}`);
  return faults.length === 0;
}

rmSync(FOLDER, { recursive: true, force: true });
const tokenizer = await trainTokenizer('bpe', [TEXT], { vocabSize: 64, specialTokens: ['<pad>', '</s>', '<unk>'], unknownToken: '<unk>' });
const names = Object.keys(CONFIGS), expected = [];
for (const name of names) expected.push(await save(name, tokenizer));
const [, , python = 'python3'] = process.argv;
const { status } = spawnSync(python, [path.join(import.meta.dirname, 'check_saved.py'), FOLDER], { stdio: 'inherit' });
if (status !== 0) process.exit(1);
let passed = 0;
for (const [i, name] of names.entries()) if (await compare(name, expected[i])) passed++;
console.log(`${passed} passed, ${names.length - passed} failed`);
process.exit(passed === names.length ? 0 : 1);

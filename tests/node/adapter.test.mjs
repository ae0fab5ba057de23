// LoRA adapters: learned beside weights that stay as they are, saved as PEFT's files, merged.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createModel, loadModel, trainTokenizer } from 'webformer';
import { WIDTH, bert, linear, llama, marian } from '../fixtures/make_models.mjs';
import { changed, opened, rejects } from './support.mjs';

const INPUTS = { inputIds: [[5, 7, 9, 6, 2]] };
const DATA = { task: 'text-generation', rows: ['hello world'] };
const OPTIONS = { steps: 30, seed: 1, optimizer: { learningRate: 0.02 }, lora: { rank: 4, alpha: 8 } };

const logitsOf = async (model, inputs = INPUTS) => [...(await model.forward(inputs)).logits.data];
const distance = (a, b) => a.reduce((most, x, i) => Math.max(most, Math.abs(x - b[i])), a.length === b.length ? 0 : Infinity);
const namesIn = (file) => {
  const length = Number(new DataView(file.buffer, file.byteOffset).getBigUint64(0, true));
  return Object.keys(JSON.parse(new TextDecoder().decode(file.subarray(8, 8 + length)))).filter((name) => name !== '__metadata__').sort();
};

test('an adapter learns, and a fresh model with its files gives the same; so does one that is merged or saved', async (t) => {
  const model = await opened(t, llama());
  const before = await logitsOf(model);
  const losses = [];
  for await (const { loss } of model.train(DATA, OPTIONS)) losses.push(loss);
  assert.ok(losses.at(-1) < 0.7 * losses[0], `${losses[0]} became ${losses.at(-1)}`);
  const learned = await logitsOf(model);
  assert.ok(distance(before, learned) > 0.01);

  const files = await model.saveAdapter();
  assert.deepEqual([...files.keys()], ['adapter_config.json', 'adapter_model.safetensors']);
  const config = JSON.parse(new TextDecoder().decode(files.get('adapter_config.json')));
  assert.deepEqual(
    [config.peft_type, config.task_type, config.r, config.lora_alpha, config.target_modules, config.fan_in_fan_out],
    ['LORA', 'CAUSAL_LM', 4, 8, ['q_proj', 'v_proj'], false],
  );
  assert.deepEqual(namesIn(files.get('adapter_model.safetensors')), [0, 1].flatMap((layer) => ['q', 'v'].flatMap((one) =>
    ['A', 'B'].map((matrix) => `base_model.model.model.layers.${layer}.self_attn.${one}_proj.lora_${matrix}.weight`))));

  const other = await opened(t, llama());
  await other.loadAdapter(files);
  assert.deepEqual(await logitsOf(other), learned);
  const saved = await opened(t, await other.save());
  assert.ok(distance(await logitsOf(saved), learned) < 1e-4);
  await other.mergeAdapter();
  assert.ok(distance(await logitsOf(other), learned) < 1e-4);
  await rejects(other.saveAdapter(), 'invalid_argument', /has none/);
});

test('a worker and the calling thread learn the same adapter, and generate with it', async (t) => {
  const texts = [];
  for (const worker of [true, false]) {
    const model = await opened(t, llama(), { worker });
    const lora = { rank: 8, alpha: 32, targets: ['q_proj', 'v_proj', 'up_proj', 'down_proj'] };
    await model.train(DATA, { ...OPTIONS, steps: 100, lora }).result();
    texts.push(await model.generate('hello', { maxNewTokens: 6, doSample: false }).text());
  }
  assert.deepEqual(texts, [' world', ' world']);
});

test('a quantized model stays quantized while its adapter learns', async (t) => {
  const tokenizer = await trainTokenizer('char', ['hello world'], { vocabSize: 64, specialTokens: ['<eos>'] });
  const config = {
    model_type: 'llama', architectures: ['LlamaForCausalLM'], vocab_size: 64, hidden_size: 128, num_hidden_layers: 2, eos_token_id: 0,
    num_attention_heads: 4, intermediate_size: 128, max_position_embeddings: 64, initializer_range: 0.05,
  };
  const made = await createModel(config, { tokenizer, seed: 2 });
  t.after(() => made.dispose());
  const model = await opened(t, await made.save(), { dtype: 'int8' });
  const { bytes } = model.info;
  const { loss } = await model.train(DATA, { ...OPTIONS, steps: 60 }).result();
  assert.ok(loss < 1, `${loss}`);
  assert.equal(model.info.dtype, 'int8');
  assert.equal(model.info.bytes, bytes);
  const learned = await logitsOf(model);
  await model.mergeAdapter();
  assert.equal(model.info.dtype, 'f32');
  const after = await logitsOf(model), largest = Math.max(...learned.map(Math.abs));
  assert.ok(distance(after, learned) < 0.03 * largest, `${distance(after, learned)} of ${largest}`);
});

test('a new head for labels is learned and saved with the adapter', async (t) => {
  const make = () => bert({
    architecture: 'BertForSequenceClassification', config: { id2label: { 0: 'animal', 1: 'walk' } },
    head: { ...linear('bert.pooler.dense', WIDTH, WIDTH), ...linear('classifier', 2, WIDTH) },
  });
  const model = await opened(t, make());
  const rows = [{ text: 'the fox', label: 'animal' }, { text: 'i walk', label: 'walk' }];
  await model.train({ task: 'text-classification', rows }, { ...OPTIONS, steps: 60 }).result();
  const files = await model.saveAdapter();
  assert.deepEqual(JSON.parse(new TextDecoder().decode(files.get('adapter_config.json'))).modules_to_save, ['classifier']);
  const other = await opened(t, make());
  await other.loadAdapter(files);
  const found = await other.classify(rows.map(({ text }) => text));
  assert.deepEqual(found.map(([{ label }]) => label), ['animal', 'walk']);
  assert.deepEqual(found, await model.classify(rows.map(({ text }) => text)));
});

test('an encoder-decoder has its cross-attention adapted too', async (t) => {
  const model = await opened(t, marian());
  await model.train({ task: 'translation', rows: [{ source: 'i love', target: 'je aime' }] }, { ...OPTIONS, steps: 2 }).result();
  const names = namesIn((await model.saveAdapter()).get('adapter_model.safetensors'));
  assert.ok(names.includes('base_model.model.model.decoder.layers.1.encoder_attn.v_proj.lora_B.weight'), names.join());
  assert.ok(names.includes('base_model.model.model.encoder.layers.0.self_attn.q_proj.lora_A.weight'), names.join());
});

test('a training goes on with the adapter that the model has, or from a checkpoint', async (t) => {
  const data = { ...DATA, rows: ['hello world', 'good night', 'the end'] };
  const options = { ...OPTIONS, batchSize: 1, steps: 6 };
  const losses = async (model, given) => {
    const all = [];
    for await (const { loss } of model.train(data, given)) all.push(loss);
    return all;
  };
  let checkpoint;
  const model = await opened(t, llama());
  const expected = await losses(model, { ...options, checkpointEvery: 4, onCheckpoint: (bytes) => (checkpoint = bytes) });
  assert.deepEqual(await losses(await opened(t, llama()), { ...options, resume: checkpoint }), expected.slice(4));
  const [next] = await losses(model, { ...options, steps: 1 });
  assert.ok(next < expected[0]);
  await rejects(model.train(data, { steps: 1 }).result(), 'invalid_argument', /lora: missing/);
  await rejects(model.train(data, { ...options, lora: { rank: 2 } }).result(), 'invalid_argument', /rank: 2 found.*rank 4/);
  await model.mergeAdapter();
  await model.train(data, { steps: 1 }).result();
});

test('what is no adapter of the model is refused, and the model stays as it is', async (t) => {
  const model = await opened(t, llama());
  const before = await logitsOf(model);
  await rejects(model.mergeAdapter(), 'invalid_argument', /has none/);
  const elsewhere = { ...OPTIONS, lora: { rank: 2, targets: ['c_attn'] } };
  await rejects(model.train(DATA, elsewhere).result(), 'invalid_argument', /c_attn found.*q_proj/);
  const other = await loadModel(marian());
  await other.train({ task: 'translation', rows: [{ source: 'i', target: 'je' }] }, { ...OPTIONS, steps: 1 }).result();
  const files = await other.saveAdapter();
  other.dispose();
  await rejects(model.loadAdapter(files), 'weight_mismatch', /encoder_attn/);
  await rejects(model.loadAdapter(changed(files, { 'adapter_model.safetensors': null })), 'invalid_file', /adapter_model.safetensors/);
  await rejects(model.loadAdapter(changed(files, { 'adapter_config.json': '{' })), 'invalid_file', /adapter_config.json/);
  await rejects(model.loadAdapter(changed(files, { 'adapter_config.json': '{"peft_type": "IA3"}' })), 'unsupported_model', /IA3/);
  const run = model.train(DATA, { ...OPTIONS, steps: 1000 });
  await rejects(model.loadAdapter(files), 'busy', /training/);
  for await (const _ of run) break;
  assert.ok(distance(before, await logitsOf(await opened(t, llama()))) === 0);
});

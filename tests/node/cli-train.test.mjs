// `webformer train`: from files of rows to a folder that loads.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { loadModel } from 'webformer';
import { WIDTH, bert, linear, llama, writeFolder } from '../fixtures/make_models.mjs';
import { fails, objects, start } from './cli-support.mjs';
import { temporaryFolder } from './support.mjs';

/** Runs it to its end; gives what it wrote. */
async function runs(...args) {
  const { child, ended } = start('train', ...args);
  child.stdin.end();
  const { code, stdout, stderr } = await ended;
  assert.equal(code, 0, stderr);
  return { stdout, stderr };
}

function classifier(t) {
  const folder = temporaryFolder(t);
  const [model, out, data] = ['model', 'out', 'rows.jsonl'].map((name) => path.join(folder, name));
  writeFolder(model, bert({
    architecture: 'BertForSequenceClassification', config: { id2label: { 0: 'animal', 1: 'walk' } },
    head: { ...linear('bert.pooler.dense', WIDTH, WIDTH), ...linear('classifier', 2, WIDTH) },
  }));
  const rows = [['the fox', 'animal'], ['a mouse', 'animal'], ['i walk', 'walk'], ['walking', 'walk']];
  writeFileSync(data, rows.map(([text, label]) => JSON.stringify({ text, label })).join('\n'));
  return { folder, model, out, data, args: [model, '--task', 'text-classification', '--data', data, '--out', out] };
}

test('a classifier is trained, validated and saved', async (t) => {
  const { out, data, args } = classifier(t);
  const { stderr } = await runs(...args, '--validation', data, '--steps', '40', '--learning-rate', '0.01', '--seed', '1');
  assert.match(stderr, /step 40 loss \d\.\d+, validation \d\.\d+ \(100\.0 %\), \d+ tokens\/s, 0 s left\n$/);
  const model = await loadModel(out);
  t.after(() => model.dispose());
  const [[best]] = await model.classify('the fox');
  assert.equal(best.label, 'animal');
});

test('with --json each step is a line; --resume goes on from the checkpoint', async (t) => {
  const { out, args } = classifier(t);
  const options = ['--steps', '6', '--batch-size', '2', '--json', '--checkpoint-every', '4'];
  const steps = objects((await runs(...args, ...options)).stdout);
  assert.deepEqual(steps.map(({ step }) => step), [1, 2, 3, 4, 5, 6]);
  assert.ok(existsSync(path.join(out, 'checkpoint.safetensors')));
  const longer = objects((await runs(...args, ...options, '--steps', '8', '--resume')).stdout);
  assert.deepEqual(longer.map(({ step }) => step), [7, 8]);
});

test('texts are lines, and an adapter is saved alone', async (t) => {
  const folder = temporaryFolder(t);
  const [model, out, data] = ['model', 'out', 'texts.txt'].map((name) => path.join(folder, name));
  writeFolder(model, llama());
  writeFileSync(data, 'hello world\n\ngood night\r\n');
  const lora = ['--lora-rank', '2', '--lora-target', 'q_proj'];
  await runs(model, '--task', 'text-generation', '--data', data, '--out', out, ...lora, '--epochs', '2');
  assert.equal(JSON.parse(readFileSync(path.join(out, 'adapter_config.json'), 'utf8')).r, 2);
  assert.ok(!existsSync(path.join(out, 'model.safetensors')));
});

test('what is missing or wrong is said', async (t) => {
  const { folder, model, args } = classifier(t);
  await fails(['train', model], 2, /--task: missing/);
  await fails(['train', ...args, '--data', path.join(folder, 'x.csv')], 2, /x\.csv: a file \.jsonl, \.tsv or \.txt expected/);
  const wrong = path.join(folder, 'wrong.jsonl');
  writeFileSync(wrong, '{"text": "a", "label": "run"}\n');
  await fails(['train', ...args, '--data', wrong], 1, /rows\[4\]\.label: run found, one of animal, walk expected/);
  writeFileSync(wrong, '{');
  await fails(['train', ...args, '--data', wrong], 2, /wrong\.jsonl:1: /);
});

test('a byte order mark is no part of the first row', async (t) => {
  const { out, data, args } = classifier(t);
  writeFileSync(data, `\uFEFF${readFileSync(data, 'utf8')}`);
  await runs(...args, '--steps', '1');
  assert.ok(existsSync(path.join(out, 'model.safetensors')));
});

test('an option that the library refuses is named as it was typed, and wrong usage', async (t) => {
  const { args } = classifier(t);
  const wrong = { 'learning-rate': -1, clip: -1, 'weight-decay': -2, 'lora-rank': 0, dropout: 2, 'batch-size': 0 };
  for (const [option, value] of Object.entries(wrong))
    await fails(['train', ...args, `--${option}=${value}`], 2, new RegExp(`^webformer train: --${option}: ${value} found`));
});

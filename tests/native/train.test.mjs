// webformer-train: what it writes, and what is left of a run that was killed. WEBFORMER_TRAIN names the program.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { WIDTH, bert, linear, llama, writeFolder } from '../fixtures/make_models.mjs';

const PROGRAM = process.env.WEBFORMER_TRAIN;
const LABELS = { id2label: { 0: 'animal', 1: 'walk' } };

function folders(t, files) {
  const folder = mkdtempSync(path.join(tmpdir(), 'webformer-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const model = path.join(folder, 'model');
  writeFolder(model, files);
  return { folder, model, out: path.join(folder, 'out') };
}

function start(...args) {
  const child = spawn(PROGRAM, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) child[name].setEncoding('utf8').on('data', (text) => (output[name] += text));
  return { child, output, ended: once(child, 'close').then(([code, signal]) => ({ code, signal, ...output })) };
}

async function succeeds(...args) {
  const { code, stdout, stderr } = await start(...args).ended;
  assert.equal(code, 0, stderr);
  return stdout;
}

async function fails(code, pattern, ...args) {
  const { code: found, stdout, stderr } = await start(...args).ended;
  assert.equal(found, code, stderr);
  assert.match(stderr, pattern);
  assert.equal(stdout, '');
}

/** The lines of curve.csv as objects, without the speed, which no two runs share. */
function curveOf(out) {
  const [names, ...lines] = readFileSync(path.join(out, 'curve.csv'), 'utf8').trimEnd().split('\n').map((line) => line.split(','));
  const isShared = ([name]) => name !== 'tokens_per_second';
  return lines.map((cells) => Object.fromEntries(names.map((name, i) => [name, cells[i]]).filter(isShared)));
}

function classifier(t) {
  const places = folders(t, bert({
    architecture: 'BertForSequenceClassification', config: LABELS,
    head: { ...linear('bert.pooler.dense', WIDTH, WIDTH), ...linear('classifier', 2, WIDTH) },
  }));
  const data = path.join(places.folder, 'rows.tsv');
  writeFileSync(data, 'label\ttext\nanimal\tthe fox\nanimal\ta mouse\nwalk\ti walk\nwalk\twalking\n');
  return { ...places, data, args: [places.model, '--task', 'text-classification', '--data', data, '--out', places.out] };
}

const RATE = ['--learning-rate', '0.01', '--batch-size', '2', '--seed', '3', '--dropout', '0.1'];

test('a run writes a folder with the model, its curve, and what validation found', async (t) => {
  const { out, data, args } = classifier(t);
  await succeeds(...args, ...RATE, '--epochs', '30', '--validation', data, '--clip', '1');
  const names = readdirSync(out).sort();
  for (const name of ['config.json', 'model.safetensors', 'tokenizer.json', 'tokenizer_config.json', 'checkpoint.safetensors', 'curve.csv'])
    assert.ok(names.includes(name), names.join());
  assert.ok(!names.some((name) => name.endsWith('.partial')));
  const curve = curveOf(out);
  assert.equal(curve.length, 60);
  assert.equal(curve[0].validation_loss, '');
  assert.equal(curve[59].accuracy, '1');
  assert.ok(Number(curve[59].validation_loss) < 0.2 * Number(curve[1].validation_loss));
  // What was written trains on.
  const again = path.join(out, 'again');
  await succeeds(out, '--task', 'text-classification', '--data', data, '--out', again, '--steps', '1');
  assert.ok(Number(curveOf(again)[0].loss) < 0.2);
});

/** The step of a run's last checkpoint. */
function checkpointed(out) {
  const file = readFileSync(path.join(out, 'checkpoint.safetensors'));
  const header = JSON.parse(file.subarray(8, 8 + Number(file.readBigUInt64LE())).toString());
  return Number(header.__metadata__.steps);
}

/** The last step whose line stands whole in curve.csv. */
function lastStep(out) {
  if (!existsSync(path.join(out, 'curve.csv'))) return 0;
  const lines = readFileSync(path.join(out, 'curve.csv'), 'utf8').split('\n').slice(1, -1);
  return lines.length > 0 ? Number.parseInt(lines.at(-1), 10) : 0;
}

test('a kill at any moment loses no more than what came after a checkpoint, and the run goes on as if there had been none', async (t) => {
  const { folder, out, args } = classifier(t);
  const every = 7, steps = 1200, options = [...RATE, '--steps', String(steps), '--checkpoint-every', String(every)];
  const straight = path.join(folder, 'straight');
  await succeeds(...args.slice(0, -1), straight, ...options);
  const interrupted = [...args, ...options, '--resume'];
  let kept = 0;
  for (const more of [10, 25, 60, 111]) {
    const { child, ended } = start(...interrupted);
    let running = true;
    ended.then(() => (running = false));
    while (running && lastStep(out) < kept + more) await new Promise((resolve) => setTimeout(resolve, 1));
    child.kill('SIGKILL');
    const { signal } = await ended, made = lastStep(out);
    assert.equal(signal, 'SIGKILL', `it ended by itself after ${made} steps`);
    kept = checkpointed(out);
    assert.equal(kept % every, 0);
    // Between a step's line in the curve and the end of the writing of its checkpoint, the one before is the last.
    assert.ok(made - kept <= every, `${made} steps were made, ${kept} kept`);
  }
  await succeeds(...interrupted);
  assert.deepEqual(curveOf(out), curveOf(straight));
  assert.deepEqual(readFileSync(path.join(out, 'model.safetensors')), readFileSync(path.join(straight, 'model.safetensors')));
});

test('a kill while a checkpoint is written leaves the one before', async (t) => {
  const { out, args } = classifier(t);
  await succeeds(...args, ...RATE, '--steps', '20');
  writeFileSync(path.join(out, 'checkpoint.safetensors.partial'), 'half of a checkpoint');
  await succeeds(...args, ...RATE, '--steps', '30', '--resume');
  assert.equal(checkpointed(out), 30);
  assert.equal(curveOf(out).length, 30);
});

test('several threads make the same model each time, of the losses of one', async (t) => {
  const { folder, args } = classifier(t);
  const run = async (name, threads) => {
    const out = path.join(folder, name);
    await succeeds(...args.slice(0, -1), out, '--steps', '40', '--learning-rate', '0.01', '--batch-size', '4', '--threads', threads);
    return { losses: curveOf(out).map(({ loss }) => Number(loss)), model: readFileSync(path.join(out, 'model.safetensors')) };
  };
  const one = await run('one', '1'), three = await run('three', '3'), again = await run('again', '3');
  assert.deepEqual(again, three);
  for (const [i, loss] of one.losses.slice(0, 10).entries())
    assert.ok(Math.abs(three.losses[i] - loss) <= 1e-3 * loss, `${three.losses[i]} for ${loss}`);
  await fails(2, /--threads: 0 found/, ...args, '--threads', '0');
  await fails(2, /--threads: 5000 found, at most 1024 expected/, ...args, '--threads', '5000');
});

test('SIGTERM ends it after the step that runs, with a checkpoint', async (t) => {
  const { out, args } = classifier(t);
  const { child, ended } = start(...args, ...RATE, '--steps', '100000000');
  while (!existsSync(path.join(out, 'curve.csv')) || curveOf(out).length < 3) await new Promise((resolve) => setTimeout(resolve, 10));
  child.kill('SIGTERM');
  const { code } = await ended;
  assert.equal(code, 128 + 15);
  assert.ok(existsSync(path.join(out, 'checkpoint.safetensors')));
  assert.ok(!existsSync(path.join(out, 'model.safetensors')));
});

test('early stop ends it, and the best weights are saved', async (t) => {
  const { out, folder, args } = classifier(t);
  // What is to be found in the validation data contradicts the rest: it gets worse from some step on.
  const validation = path.join(folder, 'other.jsonl');
  writeFileSync(validation, '{"text": "the fox", "label": "walk"}\n{"text": "i walk", "label": "animal"}\n');
  await succeeds(...args, ...RATE, '--steps', '500', '--validation', validation, '--validate-every', '1', '--early-stop', '4');
  const losses = curveOf(out).map(({ validation_loss }) => Number(validation_loss));
  assert.ok(losses.length < 500);
  const best = losses.indexOf(Math.min(...losses));
  assert.equal(losses.length - 1 - best, 4);
  const again = path.join(folder, 'again');
  await succeeds(out, ...args.slice(1, -1), again, '--steps', '1', '--learning-rate', '0', '--validation', validation);
  assert.ok(Math.abs(Number(curveOf(again)[0].validation_loss) - losses[best]) < 1e-5);
});

test('texts are lines, adapters are saved alone or merged, and new models begin at random', async (t) => {
  const { folder, model, out } = folders(t, llama());
  const data = path.join(folder, 'texts.txt');
  writeFileSync(data, 'hello world\n\ngood night\r\n');
  const args = [model, '--task', 'text-generation', '--data', data, '--steps', '3', '--learning-rate', '0.01'];
  await succeeds(...args, '--out', out, '--lora-rank', '2', '--lora-target', 'q_proj', '--dtype', 'int8');
  assert.ok(existsSync(path.join(out, 'adapter_model.safetensors')));
  assert.ok(!existsSync(path.join(out, 'model.safetensors')));
  assert.deepEqual(JSON.parse(readFileSync(path.join(out, 'adapter_config.json'), 'utf8')).target_modules, ['q_proj']);
  const merged = path.join(folder, 'merged');
  await succeeds(...args, '--out', merged, '--lora-rank', '2', '--merge', '--save-dtype', 'f16');
  assert.ok(existsSync(path.join(merged, 'model.safetensors')));
  rmSync(path.join(model, 'model.safetensors'));
  const fresh = path.join(folder, 'fresh');
  await succeeds(...args, '--out', fresh, '--fresh');
  assert.ok(Math.abs(Number(curveOf(fresh)[0].loss) - Math.log(258)) < 0.5); // of 256 bytes and two others
});

test('what is wrong is said, with the line, and ends it with 1; a wrong command line with 2', async (t) => {
  const { folder, model, out, args } = classifier(t);
  assert.match(await succeeds('--help'), /^Usage: webformer-train MODEL/);
  await fails(2, /one MODEL expected/);
  await fails(2, /--task: missing/, model);
  await fails(2, /--step is no option/, ...args, '--step', '3');
  await fails(2, /--steps: x found, a number expected/, ...args, '--steps', 'x');
  await fails(2, /--checkpoint-every: 0 found, a whole number of at least 1 expected/, ...args, '--checkpoint-every', '0');
  await fails(2, /--help: 1 found, no value expected/, '--help=1');
  await fails(1, /steps: 1.5 found, a whole number/, ...args, '--steps', '1.5');
  await fails(1, /both found/, ...args, '--steps', '1', '--epochs', '1');
  const wrong = path.join(folder, 'wrong.jsonl');
  writeFileSync(wrong, '{"text": "a", "label": "walk"}\n{"text": "a", "label": "run"}\n');
  await fails(1, /wrong\.jsonl:2\.label: run found, one of animal, walk expected \(invalid_argument\)/, ...args, '--data', wrong);
  writeFileSync(wrong, '{"text": \n');
  await fails(1, /wrong\.jsonl:1.*\(invalid_file\)/, ...args, '--data', wrong);
  await fails(1, /nowhere.config.json: cannot be opened/, path.join(folder, 'nowhere'), ...args.slice(1));
  writeFileSync(path.join(folder, 'checkpoint.safetensors'), 'cut off');
  await fails(1, /checkpoint.*\(invalid_file\)/, ...args.slice(0, -1), folder, '--resume');
  assert.ok(!existsSync(out));
});

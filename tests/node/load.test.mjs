import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { loadModel, loadTokenizer } from 'webformer';
import { bert, llama, marian, writeFolder } from '../fixtures/make_models.mjs';
import { safetensors } from '../fixtures/write_weights.mjs';
import { changed, fileServer, opened, rejects, serve, temporaryFolder } from './support.mjs';

const files = bert();
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');
const asFiles = (map) => [...map].map(([name, bytes]) => new File([bytes], name));

test('a model comes from a path, a file: URL, an address, files, or a Map', async (t) => {
  const folder = temporaryFolder(t);
  writeFolder(folder, files);
  const address = await serve(t, fileServer(files));
  const expected = await (await opened(t, files)).forward({ inputIds: [[2, 5, 3]] });
  for (const source of [
    folder,
    folder + '/',
    pathToFileURL(folder + '/'),
    address,
    new URL(address),
    asFiles(files),
    new Map([...files].map(([name, bytes]) => [name, new Blob([bytes])])),
  ]) {
    const model = await opened(t, source);
    assert.equal(model.info.modelType, 'bert');
    assert.ok(model.tokenizer, 'the tokenizer was found');
    assert.deepEqual((await model.forward({ inputIds: [[2, 5, 3]] })).logits, expected.logits);
  }
});

test('info tells what the model is', async (t) => {
  const { info } = await opened(t, marian());
  assert.equal(info.kind, 'encoder-decoder');
  assert.deepEqual(info.tasks, ['translation', 'text2text-generation']);
  assert.equal(info.dtype, 'f32');
  assert.equal(info.device, 'wasm');
  assert.equal(info.width, 16);
  assert.equal(info.config.d_model, 16);
  assert.deepEqual(info.unusedWeights, []);
  assert.ok(info.bytes >= info.parameters * 4, `${info.bytes} bytes for ${info.parameters} parameters`);
});

/** Large enough for int8: small matrices stay as they are. */
const TALES = fileURLToPath(new URL('../../demo/models/tales/', import.meta.url));

test('weights are kept as dtype asks, in fewer bytes', async (t) => {
  const bytes = {};
  for (const dtype of ['f32', 'f16', 'int8']) {
    const { info } = await opened(t, TALES, { dtype });
    assert.equal(info.dtype, dtype);
    bytes[dtype] = info.bytes;
  }
  assert.ok(bytes.f16 < bytes.f32 && bytes.int8 < bytes.f16, JSON.stringify(bytes));
});

test('shards are read by their index', async (t) => {
  const whole = files.get('model.safetensors'),
    length = Number(Buffer.from(whole).readBigUInt64LE(0));
  const header = JSON.parse(Buffer.from(whole).subarray(8, 8 + length)),
    names = Object.keys(header);
  const shard = (some) => {
    let at = 0;
    const parts = some.map((name) =>
      whole.subarray(8 + length + header[name].data_offsets[0], 8 + length + header[name].data_offsets[1]),
    );
    const table = Object.fromEntries(some.map((name, i) => [name, { ...header[name], data_offsets: [at, (at += parts[i].length)] }]));
    return new Uint8Array(safetensors(JSON.stringify(table), Buffer.concat(parts)));
  };
  const halves = [names.slice(0, 9), names.slice(9)],
    fileOf = (i) => `model-0000${i + 1}-of-00002.safetensors`;
  const index = {
    metadata: { total_size: whole.length },
    weight_map: Object.fromEntries(halves.flatMap((half, i) => half.map((name) => [name, fileOf(i)]))),
  };
  const sharded = changed(files, {
    'model.safetensors': null,
    'model.safetensors.index.json': JSON.stringify(index),
    [fileOf(0)]: shard(halves[0]),
    [fileOf(1)]: shard(halves[1]),
  });
  const model = await opened(t, sharded),
    same = await opened(t, files);
  assert.deepEqual((await model.forward({ inputIds: [[2, 5, 3]] })).logits, (await same.forward({ inputIds: [[2, 5, 3]] })).logits);
  await rejects(loadModel(changed(sharded, { [fileOf(1)]: null })), 'invalid_file', /model-00002-of-00002\.safetensors is missing/);
  const twice = changed(sharded, { [fileOf(1)]: shard([...halves[1], names[0]]) });
  await rejects(loadModel(twice), 'invalid_file', /model-00002-of-00002\.safetensors: tensor ".*" is in it, though .*index\.json says/);
  const unlisted = { ...index, weight_map: { ...index.weight_map } };
  delete unlisted.weight_map[names[0]];
  await rejects(
    loadModel(changed(twice, { 'model.safetensors.index.json': JSON.stringify(unlisted) })),
    'invalid_file',
    /model-00002-of-00002\.safetensors: tensor ".*" is in it, and in a file before it/,
  );
  const ghost = { ...index, weight_map: { ...index.weight_map, ghost: fileOf(0) } };
  await rejects(
    loadModel(changed(sharded, { 'model.safetensors.index.json': JSON.stringify(ghost) })),
    'invalid_file',
    /model-00001-of-00002\.safetensors: tensor "ghost" is not in it/,
  );
});

test('progress never goes back and ends at 1', async (t) => {
  const address = await serve(t, fileServer(files));
  for (const source of [address, files]) {
    const events = [];
    await opened(t, source, { onProgress: (event) => events.push(event) });
    const fractions = events.map(({ fraction }) => fraction).filter((fraction) => fraction !== undefined);
    assert.equal(events[0].phase, 'runtime');
    assert.deepEqual({ phase: events.at(-1).phase, fraction: fractions.at(-1) }, { phase: 'ready', fraction: 1 });
    assert.deepEqual(
      fractions,
      [...fractions].sort((a, b) => a - b),
    );
    assert.ok(events.some(({ phase, file, loaded, total }) => phase === 'download' && file === 'model.safetensors' && loaded === total));
  }
});

test('what onProgress throws ends the load and comes back unchanged', async () => {
  const mine = new Error('mine');
  await assert.rejects(
    loadModel(files, {
      onProgress() {
        throw mine;
      },
    }),
    (error) => error === mine,
  );
});

test('checksums are held against the files', async (t) => {
  const right = sha256(files.get('model.safetensors'));
  await opened(t, files, { integrity: { 'model.safetensors': right.toUpperCase() } });
  const error = await rejects(
    loadModel(files, { integrity: { 'model.safetensors': '0'.repeat(64) } }),
    'integrity_error',
    /model\.safetensors/,
  );
  assert.equal(error.details.found, right);
  await rejects(
    loadModel(files, { integrity: { 'model.safetensor': right } }),
    'invalid_argument',
    /'model\.safetensor' is no file that was loaded/,
  );
});

test('what is wrong with the files is said so that one can act on it', async (t) => {
  const weights = files.get('model.safetensors');
  const cases = [
    [{ 'config.json': null }, 'invalid_file', /config\.json is missing/],
    [{ 'config.json': '' }, 'invalid_file', /config\.json/],
    [{ 'config.json': '{"model_type": "bert"' }, 'invalid_file', /config\.json/],
    [{ 'config.json': '{"model_type": "mamba"}' }, 'unsupported_model', /mamba.*bert/s],
    [{ 'model.safetensors': null }, 'invalid_file', /no weights found: model\.safetensors/],
    [{ 'model.safetensors': null, 'pytorch_model.bin': 'x' }, 'invalid_file', /pytorch_model\.bin is a pickle.*safetensors/],
    [{ 'model.safetensors': '' }, 'invalid_file', /model\.safetensors/],
    [{ 'model.safetensors': weights.subarray(0, 100) }, 'invalid_file', /model\.safetensors/],
    [{ 'model.safetensors': weights.subarray(0, weights.length - 2) }, 'invalid_file', /model\.safetensors/],
    [{ 'model.safetensors': '<!doctype html><html>' }, 'invalid_file', /HTML/],
    [{ 'model.safetensors': 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n' }, 'invalid_file', /LFS/],
    [
      { 'config.json': Buffer.from(files.get('config.json')).toString().replace('"intermediate_size":32', '"intermediate_size":48') },
      'weight_mismatch',
      /\[32, 16\].*\[48, 16\]|\[48, 16\].*\[32, 16\]/s,
    ],
    [
      { 'config.json': Buffer.from(files.get('config.json')).toString().replace('"num_hidden_layers":2', '"num_hidden_layers":3') },
      'weight_missing',
      /layer\.2|layers?\.2/,
    ],
    [{ 'tokenizer.json': '<html>' }, 'invalid_file', /tokenizer\.json/],
    [{ 'tokenizer.json': '{}' }, 'invalid_file', /tokenizer\.json/],
    [{ 'generation_config.json': '[' }, 'invalid_file', /generation_config\.json/],
    [{ 'modules.json': '{}' }, 'invalid_file', /modules\.json/],
  ];
  for (const [changes, code, pattern] of cases) await rejects(loadModel(changed(files, changes)), code, pattern);
  const folder = temporaryFolder(t);
  writeFolder(folder, new Map([['config.json', files.get('config.json')]]));
  await rejects(loadModel(folder), 'invalid_file', /no weights found.*there is only config\.json/);
  await rejects(loadModel(folder + '/nowhere'), 'invalid_argument', /nowhere: no such file or folder/);
});

/** Files that are a part of a model only, and what is missing beside them, for a model and for a tokenizer. */
const LONE = {
  'model.safetensors': ['config.json', 'tokenizer.json'],
  'model-00001-of-00002.safetensors': ['config.json', 'tokenizer.json'],
  'pytorch_model.bin': ['config.json', 'tokenizer.json'],
  'model.onnx': ['config.json', 'tokenizer.json'],
  'model.zip': ['config.json', 'tokenizer.json'],
  'photo.png': ['config.json', 'tokenizer.json'],
  'config.json': ['model.safetensors', 'tokenizer.json'],
  'generation_config.json': ['config.json', 'tokenizer.json'],
  'model.safetensors.index.json': ['config.json', 'tokenizer.json'],
  'tokenizer.json': ['config.json', null],
  'tokenizer_config.json': ['config.json', 'tokenizer.json'],
  'special_tokens_map.json': ['config.json', 'tokenizer.json'],
  'added_tokens.json': ['config.json', 'tokenizer.json'],
  'vocab.txt': ['config.json', null],
  'vocab.json': ['config.json', 'merges.txt'],
  'merges.txt': ['config.json', 'tokenizer.json'],
};

test('a file alone that is only a part of something is refused with what is missing and what to do', async (t) => {
  const folder = temporaryFolder(t);
  const bytes = (name) => files.get(name) ?? new Uint8Array(Buffer.from(name.endsWith('.json') ? '{}' : '#version: 0.2\na b\n'));
  const address = await serve(t, (request, response) => response.end(Buffer.from(bytes(request.url.slice(1)))));
  for (const [name, [model, tokenizer]] of Object.entries(LONE)) {
    writeFolder(folder, new Map([[name, bytes(name)]]));
    for (const source of [new Map([[name, bytes(name)]]), new File([bytes(name)], name), `${folder}/${name}`, address + name]) {
      const error = await rejects(loadModel(source), 'invalid_file');
      assert.equal(error.details.missing, model);
      for (const said of [model, name, 'whole folder', '.gguf']) assert.ok(error.message.includes(said), error.message);
      if (source === address + name) assert.match(error.message, /the address of a folder ends in '\/'/);
      if (tokenizer) assert.match((await rejects(loadTokenizer(source), 'invalid_file')).message, new RegExp(tokenizer));
    }
  }
  const empty = await rejects(loadModel(temporaryFolder(t)), 'invalid_file', /config\.json is missing; the folder is empty/);
  assert.equal(empty.details.missing, 'config.json');
});

test('an empty file is called empty, whatever its name promises', async (t) => {
  const nothing = new Uint8Array(), folder = temporaryFolder(t);
  for (const name of ['config.json', 'model.safetensors', 'tokenizer.json']) {
    const error = await rejects(loadModel(changed(files, { [name]: nothing })), 'invalid_file');
    assert.equal(error.message, `${name}: the file is empty`);
    assert.deepEqual(error.details, { file: name });
  }
  for (const name of ['model.gguf', 'spiece.model', 'vocab.txt', 'tokenizer.json']) {
    writeFolder(folder, new Map([[name, nothing]]));
    for (const source of [new Map([[name, nothing]]), `${folder}/${name}`]) {
      await rejects(loadTokenizer(source), 'invalid_file', /^[\w.]+: the file is empty$/);
      if (name.endsWith('.gguf')) await rejects(loadModel(source), 'invalid_file', /^model\.gguf: the file is empty$/);
    }
  }
  const pickled = { 'model.safetensors': null, 'pytorch_model.bin': nothing };
  await rejects(loadModel(changed(files, pickled)), 'invalid_file', /; pytorch_model\.bin is empty\./);
  pickled['pytorch_model.bin'] = 'PK';
  await rejects(loadModel(changed(files, pickled)), 'invalid_file', /; pytorch_model\.bin is a pickle, /);
  await rejects(loadModel(new Map([['pytorch_model.bin', nothing]])), 'invalid_file', /; pytorch_model\.bin is empty\./);
});

test('an address whose name is no percent-encoding is refused, and one that is leads to its file', async (t) => {
  const address = await serve(t, fileServer(new Map([['100%.json', files.get('tokenizer.json')]])));
  for (const name of ['100%.json', '%zz.gguf', '%E0%A4.json']) {    // a lone sign, no hexadecimal digits, half a character
    const url = address + name;
    for (const load of [loadModel, loadTokenizer]) {
      const { message } = await rejects(load(url), 'invalid_argument');
      assert.ok(message.startsWith(`${url}: '${name}' found, a name in UTF-8 with percent-encoding expected`), message);
    }
  }
  const tokenizer = await loadTokenizer(`${address}100%25.json`);
  assert.equal(tokenizer.kind, 'wordpiece');
});

test('a tokenizer with more tokens than the model has rows is refused', async () => {
  const tokenizer = JSON.parse(Buffer.from(files.get('tokenizer.json')));
  tokenizer.model.vocab.extra = 20;
  const error = await rejects(
    loadModel(changed(files, { 'tokenizer.json': JSON.stringify(tokenizer) })),
    'vocab_mismatch',
    /21 tokens.*20/,
  );
  assert.deepEqual(error.details, { tokenizer: 21, model: 20 });
});

test('a tokenizer comes alone, from a folder or from one file of any name', async (t) => {
  const folder = temporaryFolder(t);
  writeFolder(folder, files);
  const address = await serve(t, fileServer(files));
  const only = files.get('tokenizer.json');
  for (const source of [
    folder,
    `${folder}/tokenizer.json`,
    address,
    `${address}tokenizer.json`,
    files,
    new Map([['tokenizer.json', only]]),
    new File([only], 'my.json'),
    new Map([['vocab.txt', new Uint8Array(Buffer.from('[UNK]\n[CLS]\n[SEP]\nthe\nfox\n'))]]),
  ]) {
    const tokenizer = await loadTokenizer(source);
    assert.equal(tokenizer.kind, 'wordpiece');
    assert.deepEqual(tokenizer.encode('The fox').tokens, ['[CLS]', 'the', 'fox', '[SEP]']);
  }
  await rejects(loadTokenizer(new Map([['config.json', files.get('config.json')]])), 'invalid_file', /no tokenizer found/);
});

test('the WebAssembly file may be given, as bytes or by its address', async (t) => {
  const wasm = readFileSync(new URL('webformer.wasm', import.meta.resolve('webformer')));
  await opened(t, files, { wasmBinary: wasm });
  assert.ok(wasm.byteLength > 1000, 'the bytes are still there');
  await opened(t, files, { wasmUrl: new URL('webformer.wasm', import.meta.resolve('webformer')) });
  const address = await serve(t, (request, response) => (request.url === '/x.wasm' ? response.end(wasm) : response.writeHead(404).end()));
  await opened(t, files, { wasmUrl: `${address}x.wasm` });
  await rejects(loadModel(files, { wasmUrl: `${address}y.wasm` }), 'network_error', /y\.wasm: status 404/);
  await rejects(loadModel(files, { wasmBinary: new Uint8Array(8) }), 'unsupported_platform');
  structuredClone(wasm.buffer, { transfer: [wasm.buffer] });
  await rejects(loadModel(files, { wasmBinary: wasm }), 'invalid_argument', /transferred/);
});

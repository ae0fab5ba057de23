// Checksums of `integrity`, computed while the files pass; the right ones are node's own.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { loadModel, loadTokenizer } from 'webformer';
import { bert } from '../fixtures/make_models.mjs';
import { bytes, gguf, keyValue, text, u32, u64 } from '../fixtures/write_weights.mjs';
import { changed, fileServer, opened, range, rejects, serve } from './support.mjs';

const files = bert();
const sha256 = (content) => createHash('sha256').update(content).digest('hex');

test('a checksum is right at every length of the last block', async () => {
  const tokenizer = Buffer.from(files.get('tokenizer.json'));
  for (const spaces of range(66)) {
    const padded = Buffer.concat([tokenizer, Buffer.alloc(spaces, ' ')]);
    assert.ok(await loadTokenizer(new Map([['tokenizer.json', padded]]), { integrity: { 'tokenizer.json': sha256(padded) } }));
  }
  await rejects(loadTokenizer(files, { integrity: { 'tokenizer.json': sha256('') } }), 'integrity_error', /tokenizer\.json: SHA-256/);
});

test('a checksum does not depend on the pieces in which a file comes', async (t) => {
  const weights = files.get('model.safetensors');
  const integrity = { 'model.safetensors': sha256(weights) };
  for (const piece of [1000, 63, 64, 65]) {
    const address = await serve(t, async (request, response) => {
      if (request.url !== '/model.safetensors') return fileServer(files)(request, response);
      for (let at = 0; at < weights.length; at += piece) {
        response.write(weights.subarray(at, at + piece));
        if (at % 8 === 0) await new Promise(setImmediate);
      }
      response.end();
    });
    await opened(t, address, { integrity });
  }
});

test('a file that arrives damaged is refused though it could be read', async (t) => {
  const weights = files.get('model.safetensors');
  const damaged = Uint8Array.from(weights);
  damaged[weights.length - 2] ^= 1;
  const address = await serve(t, fileServer(changed(files, { 'model.safetensors': damaged })));
  await opened(t, address);
  const error = await rejects(loadModel(address, { integrity: { 'model.safetensors': sha256(weights) } }), 'integrity_error');
  assert.deepEqual(error.details, { file: 'model.safetensors', found: sha256(damaged), expected: sha256(weights) });
});

/** A byte-level BPE of two tokens, and a tensor that belongs to nothing. */
function tokenizerInGguf() {
  const STRING = 8, ARRAY = 9;
  const string = (content) => bytes(u64(content.length), text(content));
  const strings = (...contents) => bytes(u32(STRING), u64(contents.length), ...contents.map(string));
  return gguf({
    values: [
      keyValue('general.architecture', STRING, string('llama')),
      keyValue('tokenizer.ggml.model', STRING, string('gpt2')),
      keyValue('tokenizer.ggml.tokens', ARRAY, strings('a', 'b')),
      keyValue('tokenizer.ggml.merges', ARRAY, strings()),
    ],
    tensors: [{ name: 'a', sizes: [8], type: 0, offset: 0, data: new Uint8Array(32) }],
  });
}

test('a GGUF file of which only the tokenizer is wanted is checked to its end', async () => {
  const whole = tokenizerInGguf();
  const load = (content) => loadTokenizer(new Map([['a.gguf', content]]), { integrity: { 'a.gguf': sha256(whole) } });
  assert.deepEqual((await load(whole)).encode('ba').ids, [1, 0]);
  const damaged = Buffer.from(whole);
  damaged[damaged.length - 1] ^= 1;
  await rejects(load(damaged), 'integrity_error');
});

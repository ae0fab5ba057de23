// A saved model is the one that was loaded: the same tensors by the same names, the same logits.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { createModel, trainTokenizer } from 'webformer';
import { bert, llama, marian } from '../fixtures/make_models.mjs';
import { changed, opened, rejects } from './support.mjs';

const MODELS = path.join(process.env.WEBFORMER_SHARED ?? path.join(import.meta.dirname, '../../../shared'), 'golden/models');

const half = (bits) => {
  const sign = bits >> 15 ? -1 : 1, exponent = (bits >> 10) & 31, fraction = bits & 1023;
  return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -24 * fraction);
};
const READERS = {
  F32: (view, at) => view.getFloat32(4 * at, true),
  F16: (view, at) => half(view.getUint16(2 * at, true)),
  BF16: (view, at) => new Float32Array(new Uint32Array([view.getUint16(2 * at, true) << 16]).buffer)[0],
};

/** The tensors of a safetensors file: name to { dtype, shape, data }. */
function tensorsOf(file) {
  const view = new DataView(file.buffer, file.byteOffset, file.length);
  const start = 8 + Number(view.getBigUint64(0, true));
  const { __metadata__, ...header } = JSON.parse(new TextDecoder().decode(file.subarray(8, start)));
  const tensors = Object.entries(header).filter(([, { dtype }]) => dtype in READERS);
  return new Map(tensors.map(([name, { dtype, shape, data_offsets: [begin, end] }]) => {
    const numbers = new DataView(file.buffer, file.byteOffset + start + begin, end - begin);
    const count = shape.reduce((a, b) => a * b, 1);
    return [name, { dtype, shape, data: Float32Array.from({ length: count }, (_, i) => READERS[dtype](numbers, i)) }];
  }));
}

const configOf = (folder) => JSON.parse(new TextDecoder().decode(folder.get('config.json')));

/** Ids that every tiny model has. */
function inputsFor(info) {
  const inputIds = [[5, 7, 9, 6, 2], [8, 5, 4, 7, 2]];
  return info.kind === 'encoder-decoder' ? { inputIds, decoderInputIds: [[3, 5, 7], [3, 6, 4]] } : { inputIds };
}

const scoresOf = ({ logits, startLogits, lastHiddenState }) => (logits ?? startLogits ?? lastHiddenState).data;

const distance = (a, b) => a.reduce((worst, x, i) => Math.max(worst, Math.abs(x - b[i])), a.length === b.length ? 0 : Infinity);

for (const [name, make] of Object.entries({ bert, llama, marian })) {
  test(`${name}: what was saved loads again, with its tokenizer, and gives the same logits`, async (t) => {
    const model = await opened(t, make());
    const saved = await model.save();
    const again = await opened(t, saved);
    const inputs = inputsFor(model.info);
    assert.deepEqual(scoresOf(await again.forward(inputs)), scoresOf(await model.forward(inputs)));
    assert.deepEqual(again.info, model.info);
    for (const side of ['tokenizer', 'targetTokenizer']) {
      assert.equal(again[side].vocabSize, model[side].vocabSize);
      assert.deepEqual(again[side].encode('hello world').ids, model[side].encode('hello world').ids);
    }
  });
}

test('half the bytes in f16, within its rounding, and config.json says so', async (t) => {
  const model = await opened(t, llama());
  const [whole, halves] = [await model.save(), await model.save({ dtype: 'f16' })];
  const wide = tensorsOf(whole.get('model.safetensors')), narrow = tensorsOf(halves.get('model.safetensors'));
  assert.deepEqual([...narrow.keys()], [...wide.keys()]);
  for (const [name, { dtype, data }] of narrow) {
    assert.equal(dtype, 'F16');
    data.forEach((x, i) => assert.ok(Math.abs(x - wide.get(name).data[i]) <= Math.abs(x) * 2 ** -11 + 2 ** -25, `${name}[${i}]`));
  }
  const typed = changed(llama(), { 'config.json': JSON.stringify({ ...configOf(llama()), torch_dtype: 'bfloat16' }) });
  assert.equal(configOf(await (await opened(t, typed)).save({ dtype: 'f16' })).torch_dtype, 'float16');
});

test('quantized weights are saved as the numbers that they stand for', async (t) => {
  const config = {
    model_type: 'llama', architectures: ['LlamaForCausalLM'], vocab_size: 128, hidden_size: 136, num_hidden_layers: 1,
    num_attention_heads: 2, intermediate_size: 128, max_position_embeddings: 16, initializer_range: 0.3,
  };
  const made = await createModel(config, { seed: 3 });
  t.after(() => made.dispose());
  const folder = await made.save();
  const model = await opened(t, folder, { dtype: 'int8' });
  assert.equal(model.info.dtype, 'int8');
  const original = tensorsOf(folder.get('model.safetensors'));
  let changedNumbers = 0;
  for (const [name, { data, shape }] of tensorsOf((await model.save()).get('model.safetensors'))) {
    const cols = shape.at(-1), expected = original.get(name).data;
    data.forEach((x, i) => {
      // A scale for each 64 numbers of a row: their largest is 127.
      const column = i % cols, first = i - (column % 64);
      const step = Math.max(...expected.subarray(first, Math.min(first + 64, i - column + cols)).map(Math.abs)) / 127;
      assert.ok(Math.abs(x - expected[i]) <= 0.501 * step, `${name}[${i}]: ${x}, ${expected[i]}`);
      changedNumbers += x !== expected[i];
    });
  }
  assert.ok(changedNumbers > 50_000, `${changedNumbers} numbers were rounded`);
});

test('a new model is saved by the names of its family, and loads again', async (t) => {
  const sizes = { vocab_size: 40, initializer_range: 0.3 };
  const configs = {
    gpt2: { model_type: 'gpt2', architectures: ['GPT2LMHeadModel'], n_embd: 16, n_head: 2, n_layer: 2, n_positions: 32, ...sizes },
    t5: {
      model_type: 't5', architectures: ['T5ForConditionalGeneration'], d_model: 16, d_kv: 8, d_ff: 32, num_heads: 2, num_layers: 2,
      feed_forward_proj: 'relu', pad_token_id: 0, eos_token_id: 1, decoder_start_token_id: 0, ...sizes,
    },
    bert: {
      model_type: 'bert', architectures: ['BertForSequenceClassification'], hidden_size: 16, num_attention_heads: 2, num_hidden_layers: 2,
      intermediate_size: 32, max_position_embeddings: 32, ...sizes,
    },
    roberta: {
      model_type: 'roberta', architectures: ['RobertaForTokenClassification'], hidden_size: 16, num_attention_heads: 2,
      num_hidden_layers: 1, intermediate_size: 32, max_position_embeddings: 32, pad_token_id: 1, ...sizes,
    },
  };
  const named = {
    gpt2: {
      'transformer.wte.weight': [40, 16], 'transformer.h.1.attn.c_attn.weight': [16, 48], 'transformer.h.0.mlp.c_fc.weight': [16, 64],
    },
    t5: {
      'shared.weight': [40, 16], 'encoder.block.1.layer.1.DenseReluDense.wi.weight': [32, 16], 'encoder.final_layer_norm.weight': [16],
    },
    bert: { 'bert.pooler.dense.weight': [16, 16], 'classifier.weight': [2, 16], 'bert.embeddings.LayerNorm.bias': [16] },
    roberta: { 'classifier.weight': [2, 16], 'roberta.encoder.layer.0.output.dense.weight': [16, 32] },
  };
  for (const [name, config] of Object.entries(configs)) {
    const model = await createModel(config, { seed: 3 });
    t.after(() => model.dispose());
    const saved = await model.save();
    const tensors = tensorsOf(saved.get('model.safetensors'));
    for (const [tensor, shape] of Object.entries(named[name])) assert.deepEqual(tensors.get(tensor)?.shape, shape, tensor);
    const again = await opened(t, saved);
    assert.deepEqual(scoresOf(await again.forward(inputsFor(again.info))), scoresOf(await model.forward(inputsFor(model.info))), name);
    assert.equal(again.info.parameters, model.info.parameters);
  }
});

test('a tokenizer without files of its own is saved with the class and the special tokens that transformers asks for', async (t) => {
  const specialTokens = ['<pad>', '</s>', '<unk>'];
  const tokenizer = await trainTokenizer('bpe', ['the fox'], { vocabSize: 20, specialTokens, unknownToken: '<unk>' });
  const config = {
    model_type: 'gpt2', architectures: ['GPT2LMHeadModel'], n_embd: 16, n_head: 2, n_layer: 1, n_positions: 32, vocab_size: 20,
    eos_token_id: 1, bos_token_id: null, pad_token_id: 0,
  };
  const model = await createModel(config, { tokenizer });
  t.after(() => model.dispose());
  const saved = await model.save();
  assert.deepEqual(JSON.parse(new TextDecoder().decode(saved.get('tokenizer_config.json'))), {
    tokenizer_class: 'PreTrainedTokenizerFast', eos_token: '</s>', pad_token: '<pad>', unk_token: '<unk>',
  });
  assert.deepEqual((await opened(t, saved)).tokenizer.encode('the fox').ids, tokenizer.encode('the fox').ids);
});

test('what cannot be saved yet is refused by its name', async (t) => {
  const model = await opened(t, bert());
  await rejects(model.save({ dtype: 'int8' }), 'unsupported_model', /int8/);
  await rejects(model.save({ dtype: 'f64' }), 'invalid_argument', /dtype.*'f32', 'f16'/);
  await rejects(model.save({ type: 'f16' }), 'invalid_argument', /did you mean 'dtype'/);
  const gguf = readFileSync(path.join(import.meta.dirname, '../fixtures/quantized.gguf'));
  const quantized = await opened(t, new Map([['quantized.gguf', new Uint8Array(gguf)]])).catch(() => null);
  if (quantized) await rejects(quantized.save(), 'unsupported_model', /GGUF/);
});

/** Tensors that are computed, not learned: position ids, masks, sinusoids. transformers makes them itself. */
const isComputed = (name, config) =>
  /position_ids$|inv_freq$|\.attn\.(masked_)?bias$/.test(name) ||
  (/^(marian|pegasus|m2m_100)$/.test(config.model_type) && name.endsWith('embed_positions.weight'));

if (existsSync(MODELS)) {
  for (const name of readdirSync(MODELS)) {
    test(`${name}: every tensor of transformers' file comes back`, async (t) => {
      const folder = path.join(MODELS, name);
      const model = await opened(t, folder, { dtype: 'f32', worker: false });
      const saved = tensorsOf((await model.save()).get('model.safetensors'));
      const unused = new Set(model.info.unusedWeights);
      let compared = 0;
      for (const file of readdirSync(folder).filter((file) => file.endsWith('.safetensors'))) {
        for (const [tensor, { shape, data }] of tensorsOf(new Uint8Array(readFileSync(path.join(folder, file))))) {
          if (isComputed(tensor, model.info.config) || unused.has(tensor)) continue;
          assert.deepEqual(saved.get(tensor)?.shape, shape, tensor);
          assert.equal(distance(data, saved.get(tensor).data), 0, tensor);
          compared++;
        }
      }
      assert.equal(saved.size, compared, 'and no other');
      t.diagnostic(`${compared} tensors, ${unused.size} unused`);
    });
  }
}

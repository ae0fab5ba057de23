// createLayer: PyTorch's modules by their options and weight names. Small values by hand, and PyTorch's where they are at hand.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attention, causalMask, createLayer, positionalEncoding } from 'webformer';
import { missing, openGolden } from './golden-modules.mjs';
import { range, rejects } from './support.mjs';

const tensor = (shape, ...data) => ({ data: Float32Array.from(data), shape });
const noise = (...shape) => tensor(shape, ...range(shape.reduce((a, b) => a * b)).map((i) => Math.sin(i * i + 1)));
const close = (got, want, allowed = 1e-5) => {
  assert.equal(got.length, want.length);
  want.forEach((x, i) => assert.ok(Math.abs(got[i] - x) <= allowed, `[${i}] is ${got[i]}, ${x} expected`));
};

async function made(t, ...args) {
  const layer = await createLayer(...args);
  t.after(() => layer.dispose());
  return layer;
}

/** [B,S] as what broadcasts to [B,1,T,S]. */
const toKeyMask = (mask) => mask && { data: mask.data, shape: [mask.shape[0], 1, 1, mask.shape[1]] };

test("multi-head attention is PyTorch's: self, causal, cross, other widths, four linears, grouped heads", { skip: missing }, async (t) => {
  const golden = openGolden('03_multi_head');
  for (const [name, about] of Object.entries(golden.about.cases)) {
    const input = (of) => golden.of('in', name, of), key = input('memory') ?? input('key');
    const options = { embed_dim: about.d_model, num_heads: about.heads, num_kv_heads: about.kv_heads, kdim: about.kdim, vdim: about.vdim };
    const weights = golden.weights(name);
    const layer = await made(t, 'multiHeadAttention', { ...options, bias: [...weights.keys()].some((of) => of.endsWith('bias')) }, weights);
    const inputs = { query: input('x'), ...(key && { key }), ...(input('value') && { value: input('value') }) };
    const causal = name === 'self_causal' || about.kv_heads !== undefined; // the cases of grouped heads do not say so
    const result = await layer.forward(inputs, { mask: toKeyMask(input('key_mask')), causal });
    golden.compare(name, 'out', result.output);
    golden.compare(name, 'weights', result.weights);
  }
  assert.equal(golden.compared, 16);
});

test("feed-forward layers are PyTorch's with every activation, gated or not", { skip: missing }, async (t) => {
  const golden = openGolden('04_ffn');
  const activations = { gelu_tanh: 'gelu_pytorch_tanh', swiglu: 'silu', geglu: 'gelu' };
  for (const [name, about] of Object.entries(golden.about.cases)) {
    if (!about.d_ff) continue; // of other subjects
    const gated = name.endsWith('glu'), activation = activations[name] ?? name;
    const options = { d_model: about.d_model, dim_feedforward: about.d_ff, activation, gated, bias: !gated };
    const layer = await made(t, 'feedForward', options, golden.weights(name));
    golden.compare(name, 'out', (await layer.forward({ input: golden.of('in', name, 'x') })).output);
  }
  assert.equal(golden.compared, 6);
});

test("norms and blocks are PyTorch's: before and after, encoder and decoder, stacks of two", { skip: missing }, async (t) => {
  const golden = openGolden('06_blocks');
  for (const [name, about] of Object.entries(golden.about.cases)) {
    const input = (of) => golden.of('in', name, of), weights = golden.weights(name);
    const block = {
      d_model: about.d_model, nhead: about.heads, dim_feedforward: about.d_ff, activation: about.activation, layer_norm_eps: about.eps,
      norm_first: name.endsWith('_pre'),
    };
    if (/^(layer|rms)_norm/.test(name)) {
      if (name === 'layer_norm_eps_outside') continue; // no module of PyTorch's
      const kind = name.startsWith('rms') ? 'rmsNorm' : 'layerNorm';
      const layer = await made(t, kind, { normalized_shape: [32], eps: about.eps }, weights);
      golden.compare(name, 'out', (await layer.forward({ input: input('x') })).output);
    } else if (name.startsWith('encoder')) {
      const layer = await made(t, 'encoderLayer', block, weights);
      golden.compare(name, 'out', (await layer.forward({ src: input('x') }, { mask: toKeyMask(input('key_mask')) })).output);
    } else if (name.startsWith('decoder')) {
      const layer = await made(t, 'decoderLayer', block, weights);
      const options = { causal: true, memoryMask: toKeyMask(input('memory_mask')) };
      golden.compare(name, 'out', (await layer.forward({ tgt: input('x'), memory: input('memory') }, options)).output);
    } else if (name === 'stacks') {
      const below = (start) => new Map([...weights].filter(([of]) => of.startsWith(start)).map(([of, w]) => [of.slice(start.length), w]));
      const encoder = await made(t, 'encoder', { ...block, num_layers: 2 }, below('encoder.'));
      const decoder = await made(t, 'decoder', { ...block, num_layers: 2 }, below('decoder.'));
      const { output: memory } = await encoder.forward({ src: input('x') });
      golden.compare(name, 'encoded', memory);
      golden.compare(name, 'decoded', (await decoder.forward({ tgt: input('x'), memory })).output);
    }
  }
  assert.equal(golden.compared, 13);
});

test('a transformer is its encoder and its decoder, with a norm after each, and masks of their own', async (t) => {
  const block = { d_model: 8, nhead: 2, dim_feedforward: 12, activation: 'gelu', norm_first: true };
  const whole = await made(t, 'transformer', { ...block, num_encoder_layers: 2, num_decoder_layers: 1 });
  const below = (start) =>
    new Map([...whole.weights].filter(([of]) => of.startsWith(start)).map(([of, w]) => [of.slice(start.length), w]));
  const encoder = await made(t, 'encoder', { ...block, num_layers: 2, norm: true }, below('encoder.'));
  const decoder = await made(t, 'decoder', { ...block, num_layers: 1, norm: true }, below('decoder.'));
  const src = noise(2, 5, 8), tgt = noise(2, 3, 8), mask = tensor([2, 1, 1, 5], 1, 1, 1, 0, 0, 1, 1, 1, 1, 1);
  const { output: memory } = await encoder.forward({ src }, { mask });
  const { output } = await decoder.forward({ tgt, memory }, { memoryMask: mask, causal: true });
  assert.deepEqual(await whole.forward({ src, tgt }, { mask, memoryMask: mask, causal: true }), { memory, output });
  assert.deepEqual(await whole.forward({ src, tgt, tgt_mask: causalMask(3) }, { mask, memoryMask: mask }), { memory, output });
  const unmasked = await whole.forward({ src, tgt });
  assert.notDeepEqual(unmasked.output, output);
});

test('linear, norms and embeddings compute their formulas on any number of axes', async (t) => {
  const weights = new Map([['weight', tensor([1, 2], 3, -1)], ['bias', tensor([1], 10)]]);
  const linear = await made(t, 'linear', { in_features: 2, out_features: 1 }, weights);
  assert.deepEqual((await linear.forward({ input: tensor([2], 1, 2) })).output, tensor([1], 11));
  assert.deepEqual((await linear.forward({ input: tensor([1, 2, 2], 1, 2, 3, 4) })).output, tensor([1, 2, 1], 11, 15));
  const norm = await made(t, 'layerNorm', { normalized_shape: 2, eps: 0 });
  assert.deepEqual((await norm.forward({ input: tensor([2, 2], 1, 3, 8, 4) })).output, tensor([2, 2], -1, 1, 1, -1));
  const rms = await made(t, 'rmsNorm', { normalized_shape: 2 }, new Map([['weight', tensor([2], 5, 10)]]));
  close((await rms.forward({ input: tensor([1, 2], 3, 4) })).output.data, [15 / Math.sqrt(12.5), 40 / Math.sqrt(12.5)]);
  const table = new Map([['weight', tensor([3, 2], 0, 1, 2, 3, 4, 5)]]);
  const embedding = await made(t, 'embedding', { num_embeddings: 3, embedding_dim: 2 }, table);
  assert.deepEqual((await embedding.forward({ input: tensor([2, 1], 2, 0) })).output, tensor([2, 1, 2], 4, 5, 0, 1));
  await rejects(embedding.forward({ input: tensor([2], 1, 3) }), 'invalid_argument', /input\[1\]: 3 found, a whole number less than 3/);
  await rejects(embedding.forward({ input: tensor([1], 0.5) }), 'invalid_argument', /0.5 found/);
});

test('positions are added to each item of a batch, as far as the table goes', async (t) => {
  const layer = await made(t, 'positionalEncoding', { d_model: 4, max_len: 3 });
  const { data } = await positionalEncoding('sinusoidal', { length: 3, width: 4 });
  const { output } = await layer.forward({ input: tensor([2, 3, 4], ...Array(24).fill(1)) });
  close(output.data, [...data, ...data].map((x) => x + 1));
  const saved = new Map([['pe', tensor([1, 3, 4], ...data)]]); // the buffer of the modules that textbooks write
  close((await (await made(t, 'positionalEncoding', { d_model: 4 }, saved)).forward({ input: noise(1, 4) })).output.data, [
    ...noise(1, 4).data.map((x, i) => x + data[i]),
  ]);
  await rejects(layer.forward({ input: noise(4, 4) }), 'context_full', /4 positions found, max_len is 3/);
});

test('attention with unit weights is the function attention, with any mask, causal across, and without a batch', async (t) => {
  const unit = tensor([2, 2], 1, 0, 0, 1);
  const weights = new Map([['in_proj_weight', tensor([6, 2], ...unit.data, ...unit.data, ...unit.data)], ['out_proj.weight', unit]]);
  const layer = await made(t, 'multiHeadAttention', { embed_dim: 2, num_heads: 1, bias: false }, weights);
  const query = noise(3, 2), key = noise(4, 2), value = tensor([4, 2], ...range(8));
  const mask = tensor([3, 4], 1, 1, 0, 0, 0, 1, 0, 1, 1, 1, 1, 0);
  for (const options of [{}, { mask }, { causal: true }, { mask, causal: true }]) {
    const got = await layer.forward({ query, key, value }, options), want = await attention(query, key, value, options);
    assert.deepEqual([got.output.shape, got.weights.shape], [[3, 2], [1, 3, 4]]);
    close(got.output.data, [...want.output.data]);
    close(got.weights.data, [...want.weights.data]);
  }
  const self = await layer.forward({ query, key: query }, { causal: true });
  assert.deepEqual(await layer.forward({ query }, { causal: true }), self);
});

test('without weights a layer starts as PyTorch\'s do, with its names and shapes', async (t) => {
  const shapes = (layer) => Object.fromEntries([...layer.weights].map(([name, { shape }]) => [name, shape.join('x')]));
  const layer = await made(t, 'decoderLayer', { d_model: 6, nhead: 3, dim_feedforward: 10 });
  assert.deepEqual(shapes(layer), {
    'self_attn.in_proj_weight': '18x6', 'self_attn.in_proj_bias': '18', 'self_attn.out_proj.weight': '6x6', 'self_attn.out_proj.bias': '6',
    'multihead_attn.in_proj_weight': '18x6', 'multihead_attn.in_proj_bias': '18', 'multihead_attn.out_proj.weight': '6x6',
    'multihead_attn.out_proj.bias': '6', 'linear1.weight': '10x6', 'linear1.bias': '10', 'linear2.weight': '6x10', 'linear2.bias': '6',
    'norm1.weight': '6', 'norm1.bias': '6', 'norm2.weight': '6', 'norm2.bias': '6', 'norm3.weight': '6', 'norm3.bias': '6',
  });
  const again = await made(t, 'decoderLayer', { d_model: 6, nhead: 3, dim_feedforward: 10 }, layer.weights);
  const inputs = { tgt: noise(2, 3, 6), memory: noise(2, 4, 6) };
  assert.deepEqual(await again.forward(inputs), await layer.forward(inputs));
  const largest = Math.max(...layer.weights.get('linear1.weight').data.map(Math.abs));
  assert.ok(largest > 0.2 && largest <= 1 / Math.sqrt(6), `${largest}`);
  for (const [kind, options] of [
    ['linear', { in_features: 2, out_features: 3, bias: false }], ['embedding', { num_embeddings: 3, embedding_dim: 2 }],
    ['feedForward', { d_model: 4, gated: true }], ['multiHeadAttention', { embed_dim: 8, num_heads: 4, num_kv_heads: 2, kdim: 5 }],
    ['multiHeadAttention', { embed_dim: 4, num_heads: 2, kdim: 3, vdim: 5 }],
    ['encoder', { d_model: 4, nhead: 2, num_layers: 2, norm: true }],
    ['encoderLayer', { d_model: 4, nhead: 2, bias: false, batch_first: true, dropout: 0 }],
    ['decoderLayer', { d_model: 4, nhead: 2, bias: false, attention_bias: true }],
  ]) await made(t, kind, options);
  const bare = await made(t, 'encoderLayer', { d_model: 4, nhead: 2, dim_feedforward: 8, attention_bias: false });
  const biases = [...bare.weights.keys()].filter((name) => name.endsWith('bias'));
  assert.deepEqual(biases, ['linear1.bias', 'linear2.bias', 'norm1.bias', 'norm2.bias']);
  await rejects(createLayer('encoderLayer', { d_model: 4, nhead: 2, attention_bias: 1 }), 'invalid_argument', /attention_bias: 1 found/);
});

/** Options of a whole model of golden/modules. */
const modelOptions = ({ d_model, heads, d_ff, layers, vocab, max_length, eps }) => ({
  d_model, nhead: heads, dim_feedforward: d_ff, num_layers: layers, vocab_size: vocab, max_position_embeddings: max_length,
  layer_norm_eps: eps,
});

test("a gpt is PyTorch's, with positions learned or computed, and norms before or after", { skip: missing }, async (t) => {
  const golden = openGolden('09_gpt'), { prenorm, postnorm } = golden.about.cases;
  const before = { ...modelOptions(prenorm), norm_first: true, attention_bias: false, positions: 'sinusoidal', activation: 'relu' };
  for (const [name, options] of Object.entries({ prenorm: before, postnorm: modelOptions(postnorm) })) {
    const layer = await made(t, 'gpt', options, golden.weights(name));
    golden.compare(name, 'logits', (await layer.forward({ input_ids: golden.of('in', name, 'ids') })).logits);
  }
  assert.equal(golden.compared, 2);
});

test("a bert is PyTorch's, with padding, segments, and the next sentence", { skip: missing }, async (t) => {
  const golden = openGolden('08_bert_pretraining'), input = (name) => golden.of('in', 'textbook', name);
  const options = { ...modelOptions(golden.about.cases.textbook), next_sentence: true };
  const layer = await made(t, 'bert', options, golden.weights('textbook'));
  const ids = { input_ids: input('input_ids'), attention_mask: input('attention_mask'), token_type_ids: input('segment_ids') };
  const { logits, lastHiddenState, nextSentenceLogits } = await layer.forward(ids);
  golden.compare('textbook', 'nsp_logits', nextSentenceLogits);
  // What padding would give is not computed.
  const seen = ({ data, shape }, width) => ({ data: data.filter((_, i) => ids.attention_mask.data[Math.floor(i / width)] !== 0), shape });
  for (const [name, got, width] of [['mlm_logits', logits, 40], ['hidden', lastHiddenState, 32]]) {
    const want = golden.of('out', 'textbook', name);
    assert.deepEqual(got.shape, want.shape);
    close(seen(got, width).data, [...seen(want, width).data], 1e-4);
  }
});

test('without weights a gpt and a bert start as textbooks write them, and take one text too', async (t) => {
  const options = { d_model: 8, nhead: 2, dim_feedforward: 12, num_layers: 2, vocab_size: 11, max_position_embeddings: 6 };
  const gpt = await made(t, 'gpt', options), bert = await made(t, 'bert', { ...options, next_sentence: true });
  assert.deepEqual(gpt.weights.get('blocks.1.self_attn.attention.W_q.weight').shape, [8, 8]);
  assert.deepEqual(bert.weights.get('segment_embedding.weight').shape, [2, 8]);
  const one = await gpt.forward({ input_ids: tensor([4], 1, 2, 3, 4) }), two = await gpt.forward({ input_ids: tensor([1, 3], 1, 2, 3) });
  assert.deepEqual(one.logits.shape, [4, 11]);
  close(two.logits.data, [...one.logits.data.subarray(0, 33)], 1e-4); // what comes later changes nothing before
  const again = await made(t, 'gpt', options, gpt.weights);
  assert.deepEqual((await again.forward({ input_ids: tensor([1, 3], 1, 2, 3) })).logits, two.logits);
  assert.deepEqual((await bert.forward({ input_ids: tensor([2], 1, 2) })).nextSentenceLogits.shape, [2]);
  await rejects(gpt.forward({ input_ids: tensor([1], 11) }), 'invalid_argument', /11/);
  await rejects(gpt.forward({ ids: tensor([1], 1) }), 'invalid_argument', /unknown option 'ids'/);
  await rejects(gpt.forward({ input_ids: tensor([1, 1, 1], 1) }), 'invalid_argument', /input_ids: shape \[1, 1, 1\]/);
  await rejects(gpt.forward({ input_ids: tensor([7], ...range(7)) }), 'context_full');
});

test('layers refuse what does not fit, by name', async (t) => {
  const block = { d_model: 4, nhead: 2, dim_feedforward: 4 };
  await rejects(createLayer('gpt', {}), 'invalid_argument', /createLayer\('gpt'\): vocab_size is missing/);
  await rejects(createLayer('conv', {}), 'invalid_argument', /kind: "conv" found/);
  await rejects(createLayer('linear', { in_features: 2 }), 'invalid_argument', /out_features is missing/);
  await rejects(createLayer('linear', { in_feature: 2 }), 'invalid_argument', /did you mean 'in_features'/);
  await rejects(createLayer('linear', { in_features: 0, out_features: 1 }), 'invalid_argument', /in_features: 0 found/);
  await rejects(createLayer('encoderLayer', { ...block, nhead: 3 }), 'invalid_argument', /3 attention heads do not divide/);
  await rejects(createLayer('encoderLayer', { ...block, activation: 'mish' }), 'invalid_argument', /activation is "mish"/);
  await rejects(createLayer('encoderLayer', { ...block, batch_first: false }), 'invalid_argument', /batch_first/);
  await rejects(createLayer('multiHeadAttention', { embed_dim: 8, num_heads: 4, num_kv_heads: 3 }), 'invalid_argument', /num_kv_heads: 3/);
  const weight = tensor([1, 2], 1, 2), sizes = { in_features: 2, out_features: 1 }, plain = { ...sizes, bias: false };
  await rejects(createLayer('linear', sizes, new Map([['weight', weight]])), 'weight_missing', /bias/);
  await rejects(createLayer('linear', plain, new Map([['weight', tensor([2, 1], 1, 2)]])), 'weight_mismatch', /\[2, 1\]/);
  await rejects(createLayer('linear', plain, new Map([['weight', weight], ['extra', weight]])), 'invalid_argument', /extra/);
  await rejects(createLayer('linear', sizes, { weight }), 'invalid_argument', /a Map of tensors/);

  const layer = await made(t, 'decoderLayer', block), tgt = noise(2, 3, 4);
  await rejects(layer.forward({ tgt }), 'invalid_argument', /decoderLayer: memory: undefined found/);
  await rejects(layer.forward({ tgt, memory: noise(2, 3, 5) }), 'invalid_argument', /memory: a last axis of 5 found, 4 expected/);
  await rejects(layer.forward({ tgt, memory: noise(1, 3, 4) }), 'invalid_argument', /memory: shape \[1, 3, 4\] found/);
  await rejects(layer.forward({ tgt, memory: tgt, src: tgt }), 'invalid_argument', /unknown option 'src'/);
  await rejects(layer.forward({ tgt, memory: tgt }, { mask: noise(2, 3, 3) }), 'invalid_argument', /mask: shape \[2, 3, 3\]/);
  await rejects((await made(t, 'encoderLayer', block)).forward({ src: tgt }, { memoryMask: tgt }), 'invalid_argument', /'memoryMask'/);
  layer.dispose();
  layer.dispose();
  await rejects(layer.forward({ tgt, memory: tgt }), 'disposed');
});

test("the pieces are in 'webformer/layers' too, the same ones", async () => {
  const whole = await import('webformer'), pieces = await import('webformer/layers');
  assert.deepEqual(Object.keys(pieces).sort(), [
    'attention', 'causalMask', 'cosineSimilarity', 'createLayer', 'loadWordVectors', 'oneHot', 'paddingMask', 'positionalEncoding',
  ]);
  for (const [name, piece] of Object.entries(pieces)) assert.equal(piece, whole[name], name);
});

const BLOCK = { d_model: 8, nhead: 2, dim_feedforward: 12 }, BLOCK_FFN = { d_model: 8, dim_feedforward: 12 };

/** PyTorch's weights of a block, its in_proj cut into three. */
function cutWeights(weights, width) {
  const cut = new Map();
  for (const [name, { data, shape }] of weights) {
    const [, before, kind] = /^(.*)in_proj_(weight|bias)$/.exec(name) ?? [];
    if (kind === undefined) cut.set(name.replace('out_proj.', 'o.'), { data, shape });
    else {
      const size = data.length / 3;
      ['q', 'k', 'v'].forEach((part, i) =>
        cut.set(`${before}${part}.${kind}`, { data: data.slice(i * size, (i + 1) * size), shape: [width, ...shape.slice(1)] }));
    }
  }
  return cut;
}

const renamed = (weights, ...rules) =>
  new Map([...weights].map(([name, tensor]) => [rules.reduce((text, [from, to]) => text.replace(from, to), name), tensor]));

const PART = /(^|\.)([qkvo])\.(?=weight|bias)/;
const LONG = { q: 'query', k: 'key', v: 'value', o: 'output' };

test("textbooks' names of weights are those of PyTorch's modules", async (t) => {
  const source = noise(2, 3, 8);
  const attentive = await made(t, 'multiHeadAttention', { embed_dim: 8, num_heads: 2 });
  const linears = cutWeights(attentive.weights, 8), expected = await attentive.forward({ query: source });
  for (const form of ['W_$2', 'W$2', 'w_$2', '$2', '$2_proj', '$2_linear', (_, before, part) => `${LONG[part]}.`]) {
    const names = renamed(linears, [PART, typeof form === 'string' ? `${form}.` : form]);
    const layer = await made(t, 'multiHeadAttention', { embed_dim: 8, num_heads: 2 }, names);
    assert.deepEqual([...layer.weights.keys()], [...names.keys()]);
    assert.deepEqual(await layer.forward({ query: source }), expected);
  }

  const forward = await made(t, 'feedForward', { d_model: 8, dim_feedforward: 12 }), output = await forward.forward({ input: source });
  for (const [first, second] of [['0', '2'], ['ffn.0', 'ffn.2'], ['net.0', 'net.3'], ['fc1', 'fc2'], ['mlp.w_1', 'mlp.w_2']]) {
    const names = renamed(forward.weights, ['linear1', first], ['linear2', second]);
    const layer = await made(t, 'feedForward', { d_model: 8, dim_feedforward: 12 }, names);
    assert.deepEqual(await layer.forward({ input: source }), output);
  }

  for (const kind of ['encoderLayer', 'decoderLayer', 'encoder', 'decoder']) {
    const options = { ...BLOCK, ...(/Layer/.test(kind) ? {} : { num_layers: 2, norm: true }) }, isDecoder = kind.startsWith('decoder');
    const inputs = isDecoder ? { tgt: source, memory: noise(2, 4, 8) } : { src: source };
    const own = await made(t, kind, options), want = await own.forward(inputs), cut = cutWeights(own.weights, 8);
    for (const rules of [
      [['self_attn.', 'self_attn.W_'], ['multihead_attn.', 'cross_attn.W_'], ['linear1', 'ffn.0'], ['linear2', 'ffn.2']],
      [['self_attn.', 'attn.W'], ['multihead_attn.', 'cross_attention.W'], ['linear', 'fc'], [/norm(?=\d)/, 'ln'], ['layers', 'blocks']],
      [['self_attn.', 'attention.w_'], ['multihead_attn.', 'src_attn.w_'], ['linear', 'feed_forward.w_']],
    ]) {
      const layer = await made(t, kind, options, renamed(cut, ...rules));
      assert.deepEqual(await layer.forward(inputs), want);
    }
  }
  const twice = new Map([['fc1.weight', noise(12, 8)], ['linear1.weight', noise(12, 8)]]);
  await rejects(createLayer('feedForward', BLOCK_FFN, twice), 'invalid_argument', /'fc1.weight' and 'linear1.weight' are the same weight/);
});

test('a layer says what is wrong with its options and weights, of which none is in a file', async () => {
  const linear = { in_features: 2, out_features: 2 };
  for (const [kind, options, weights, code, pattern] of [
    ['linear', linear, { weight: noise(2, 3), bias: noise(2) }, 'weight_mismatch', /^weight: shape \[2, 3\] found, \[2, 2\] expected from/],
    ['linear', linear, { weight: noise(2, 2) }, 'weight_missing', /that the options ask for are not among the weights: bias$/],
    ['feedForward', BLOCK_FFN, { 'ffn.0.weight': noise(8), 'ffn.0.bias': noise(12), 'ffn.2.weight': noise(8, 12), 'ffn.2.bias': noise(8) },
      'weight_mismatch', /^ffn\.0\.weight: shape/],
    ['encoderLayer', { ...BLOCK, nhead: 3 }, undefined, 'invalid_argument', /^the options: 3 attention heads/],
    ['gpt', { ...BLOCK, num_layers: 1, vocab_size: 5 }, { 'ln_f.weight': noise(8) }, 'weight_missing', /that the options ask for/],
  ]) {
    const { message } = await rejects(createLayer(kind, options, weights && new Map(Object.entries(weights))), code, pattern);
    assert.doesNotMatch(message, /config\.json|file/);
  }
});

// The programs of the third text, "the Transformer again", a test for each of its blocks (its headings; what a heading has beside it):
//
//   1 Overview                three styles                     1 encoder, decoder, and both
//   2 Self-attention          "it" and "cat"                   2 a pronoun looks at its noun
//                             class SelfAttention              2 SelfAttention
//   3 Causal masking          "I love NLP"                     3 what is predicted, and from what
//                             create_causal_mask               3 create_causal_mask
//                             class CausalSelfAttention        3 CausalSelfAttention
//   4 Encoder and decoder     class TransformerEncoderBlock    4 TransformerEncoderBlock
//                             class TransformerDecoderBlock    4 TransformerDecoderBlock
//   5 Positional encoding     class PositionalEncoding         5 PositionalEncoding
//                             class LearnablePositionalEncoding  5 LearnablePositionalEncoding
//   6 Complete models         class GPTModel                   6 GPTModel
//                             its generate                     6 generate
//                             class BERTModel                  6 BERTModel
//   7 Objectives              masked language modeling         7 a masked word
//                             causal language modeling         7 the next word
//                             sequence to sequence             7 from text to text
//   8 PyTorch's own           nn.TransformerEncoder, Decoder   8 built-in encoder and decoder on [32, 100, 512]
//   Key code                  causal mask                      key code: causal mask
//                             split into heads                 key code: heads
//                             scaled dot product               key code: scaled dot product
import { attention, causalMask, createLayer, loadModel, paddingMask, trainTokenizer } from 'webformer';
import { pipeline } from 'webformer/pipeline';
import { close, equal, ok, shaped } from './check.mjs';
import { MultiHeadAttention, blockShapes, drawn, embedding, linearShapes, matrix, unpacked } from './modules.mjs';
import * as reference from './reference.mjs';
import {
  argmax, below, filled, folder, idTensor, item, last, mergeHeads, plus, randn, renamed, splitHeads, tensor, toRows,
} from './tensors.mjs';

const { part } = reference;
const BATCH = 2, LENGTH = 5, WIDTH = 16, HEADS = 4, INNER = 24, VOCABULARY = 13;
const LINEARS = ['W_q', 'W_k', 'W_v', 'W_o'];
const SIZES = { d_model: WIDTH, num_heads: HEADS, d_ff: INNER, num_layers: 2, vocab_size: VOCABULARY, max_len: 12 };
const everyLinear = Object.assign({}, ...LINEARS.map((name) => linearShapes(name, WIDTH, WIDTH)));
const shapesOf = (attentionName, start = '') => blockShapes({
  start, width: WIDTH, inner: INNER, attentions: [attentionName], linears: LINEARS, attentionBias: true, ffn: ['ffn.0', 'ffn.2'],
});
const blockOf = (weights, attentionName) => reference.textBlock(weights, [attentionName], LINEARS, ['ffn.0', 'ffn.2']);

/** Multi-head attention to itself. */
class SelfAttention {
  static async from(use, weights, heads) {
    const made = new SelfAttention();
    made.attention = await MultiHeadAttention.from(use, weights, LINEARS, heads);
    return made;
  }

  forward(x, mask) {
    return this.attention.forward(x, x, x, mask);
  }
}

/** The same with a mask of its own, made once for the longest text. */
class CausalSelfAttention {
  static async from(use, weights, heads, maxLength = 512) {
    const made = new CausalSelfAttention();
    made.attention = await SelfAttention.from(use, weights, heads);
    made.mask = causalMask(maxLength);
    return made;
  }

  forward(x) {
    const length = x.shape[1], all = this.mask.shape[0], mask = filled([length, length], 0);
    for (let t = 0; t < length; t++) mask.data.set(this.mask.data.subarray(t * all, t * all + length), t * length);
    return this.attention.forward(x, mask);
  }
}

/** The text's blocks are the package's encoder layer, with a GELU, and names of their own. */
const blockFrom = async (use, weights, { d_model, num_heads, d_ff }) => {
  const options = { d_model, nhead: num_heads, dim_feedforward: d_ff, activation: 'gelu', dropout: 0.1 };
  const names = [[/^self_attn\.(attention\.)?W_(.)/, 'attention.W$2'], [/^ffn\.0/, 'ffn.linear1'], [/^ffn\.2/, 'ffn.linear2']];
  return use(await createLayer('encoderLayer', options, renamed(weights, names)));
};
const blocksFrom = async (use, weights, sizes) => {
  const blocks = [];
  for (let i = 0; i < sizes.num_layers; i++) blocks.push(await blockFrom(use, below(weights, `blocks.${i}.`), sizes));
  return blocks;
};

/** Rows of a table by ids. */
async function embeddingFrom(use, table) {
  const layer = use(await embedding(table));
  return async (ids) => (await layer.forward({ input: idTensor(ids) })).output;
}

/** Rows of a table for the positions 0, 1, …, added to each item. */
class LearnablePositionalEncoding {
  static async from(use, table, offset = 0) {
    const made = new LearnablePositionalEncoding();
    made.embed = await embeddingFrom(use, table);
    made.offset = offset;
    return made;
  }

  async forward(x) {
    const positions = Array.from({ length: x.shape[1] }, (_, t) => t + this.offset);
    return plus(x, await this.embed([positions]));
  }
}

class GPTModel {
  static async from(use, weights, sizes) {
    const made = new GPTModel(), table = weights.get('token_embedding.weight');
    made.tokens = await embeddingFrom(use, table);
    made.positions = await LearnablePositionalEncoding.from(use, weights.get('position_embedding.weight'));
    made.blocks = await blocksFrom(use, weights, sizes);
    made.ln_f = use(await createLayer('layerNorm', { normalized_shape: sizes.d_model }, below(weights, 'ln_f.')));
    made.head = use(await matrix(table));
    return made;
  }

  async forward(ids) {
    let x = await this.positions.forward(await this.tokens(ids));
    for (const block of this.blocks) x = (await block.forward({ src: x }, { causal: true })).output;
    const { output } = await this.ln_f.forward({ input: x });
    return (await this.head.forward({ input: output })).output;
  }

  /** Draws each token from softmax(logits / temperature). `uniform`: numbers from 0 to 1. */
  async generate(ids, count, uniform, temperature = 1) {
    for (let i = 0; i < count; i++) {
      const rows = toRows(last(await this.forward(ids)));
      ids = ids.map((row, b) => [...row, multinomial(reference.softmax(rows[b].map((x) => x / temperature)), uniform())]);
    }
    return ids;
  }
}

/** The first id at which the sum of the probabilities is beyond a number from 0 to 1. */
function multinomial(probabilities, uniform) {
  let sum = 0;
  const at = probabilities.findIndex((p) => (sum += p) > uniform);
  return at < 0 ? argmax(probabilities) : at;
}

const gptShapes = Object.assign(
  { 'token_embedding.weight': [VOCABULARY, WIDTH], 'position_embedding.weight': [12, WIDTH], 'ln_f.weight': [WIDTH], 'ln_f.bias': [WIDTH] },
  ...[0, 1].map((i) => shapesOf('self_attn.attention', `blocks.${i}.`)),
);
const modelOptions = ({ d_model, num_heads, d_ff, num_layers, vocab_size, max_len }) => ({
  d_model, nhead: num_heads, dim_feedforward: d_ff, num_layers, vocab_size, max_position_embeddings: max_len,
});
/** config.json of the same GPT. */
const gptConfig = ({ num_layers, ...sizes }) => {
  const { num_layers: _, ...options } = modelOptions(sizes), layers = { num_encoder_layers: 0, num_decoder_layers: num_layers };
  return { ...options, ...layers, model_type: 'transformer', activation: 'gelu', positions: 'learned', pad_token_id: 0 };
};
const sizesOf = ({ d_model, heads, d_ff, layers, vocab, max_length }) =>
  ({ d_model, num_heads: heads, d_ff, num_layers: layers, vocab_size: vocab, max_len: max_length });

/** Blocks behind embeddings and before the last norm, in float64. */
function hiddenInFloat64(weights, x, attentionName, seen) {
  x = reference.plus(x, { data: weights.get('position_embedding.weight').data.subarray(0, LENGTH * WIDTH) });
  for (let i = 0; i < SIZES.num_layers; i++)
    x = reference.runBlock(blockOf(below(weights, `blocks.${i}.`), attentionName), x, { heads: HEADS, seen, activation: 'gelu' });
  return reference.layerNorm(x, part(weights, 'ln_f'));
}
const gptInFloat64 = (weights, ids) => {
  const table = weights.get('token_embedding.weight'), x = reference.embed(ids, table);
  return reference.linear(hiddenInFloat64(weights, x, 'self_attn.attention', reference.causal), { weight: table });
};

class BERTModel {
  static async from(use, weights, sizes) {
    const made = new BERTModel();
    made.tokens = await embeddingFrom(use, weights.get('token_embedding.weight'));
    made.segments = await embeddingFrom(use, weights.get('segment_embedding.weight'));
    made.positions = await LearnablePositionalEncoding.from(use, weights.get('position_embedding.weight'));
    made.blocks = await blocksFrom(use, weights, sizes);
    made.ln_f = use(await createLayer('layerNorm', { normalized_shape: sizes.d_model }, below(weights, 'ln_f.')));
    return made;
  }

  /** @param mask [B,1,1,T], 0 where there is padding */
  async forward(inputIds, segmentIds = inputIds.map((row) => row.map(() => 0)), mask) {
    let x = plus(await this.positions.forward(await this.tokens(inputIds)), await this.segments(segmentIds));
    for (const block of this.blocks) x = (await block.forward({ src: x }, { mask })).output;
    return (await this.ln_f.forward({ input: x })).output;
  }
}
const bertShapes = Object.assign(
  { 'token_embedding.weight': [VOCABULARY, WIDTH], 'position_embedding.weight': [12, WIDTH], 'segment_embedding.weight': [2, WIDTH],
    'ln_f.weight': [WIDTH], 'ln_f.bias': [WIDTH] },
  ...[0, 1].map((i) => shapesOf('self_attn', `blocks.${i}.`)),
);

const IDS = [[3, 1, 4, 1, 5], [9, 2, 6, 7, 0]];

export const review = {
  async '1 encoder, decoder, and both'({ use }) {
    const options = modelOptions(SIZES), ids = { input_ids: idTensor(IDS) };
    const bert = use(await createLayer('bert', options)), gpt = use(await createLayer('gpt', options));
    shaped((await bert.forward(ids)).lastHiddenState, BATCH, LENGTH, WIDTH);
    shaped((await gpt.forward(ids)).logits, BATCH, LENGTH, VOCABULARY);
    const block = { d_model: WIDTH, nhead: HEADS, dim_feedforward: INNER, num_encoder_layers: 2, num_decoder_layers: 2 };
    const both = use(await createLayer('transformer', block)), tgt = randn(1, BATCH, 3, WIDTH);
    const { output, memory } = await both.forward({ src: randn(2, BATCH, LENGTH, WIDTH), tgt }, { causal: true });
    shaped(output, BATCH, 3, WIDTH);
    shaped(memory, BATCH, LENGTH, WIDTH);
    // What the encoder reads reaches what the decoder says.
    const other = await both.forward({ src: randn(3, BATCH, LENGTH, WIDTH), tgt }, { causal: true });
    ok(output.data.some((x, i) => Math.abs(x - other.output.data[i]) > 1e-3), 'the source makes no difference');
  },

  async '2 a pronoun looks at its noun'() {
    const text = 'The cat sat on the mat because it was tired';
    const tokenizer = await trainTokenizer('word', [text], { vocabSize: 20, specialTokens: ['[UNK]'] });
    const { tokens } = tokenizer.encode(text), [it, cat, mat] = ['it', 'cat', 'mat'].map((word) => tokens.indexOf(word));
    equal([tokens.length, it, cat, mat], [10, 7, 1, 5]);
    // Training would make the pronoun's query like the noun's key; here it is.
    const key = randn(4, tokens.length, 64), query = { ...key, data: key.data.slice() };
    query.data.set(key.data.subarray(cat * 64, (cat + 1) * 64), it * 64);
    const { weights } = await attention(query, key, key), row = toRows(weights)[it];
    equal(argmax(row), cat);
    ok(row[cat] > 0.9 && row[mat] < 0.05, `${row[cat]}, ${row[mat]}`);
    const batch = (x) => ({ ...x, shape: [1, ...x.shape] });
    close(weights.data, reference.attend(batch(query), batch(key), batch(key)).weights.data);
  },

  async '2 SelfAttention'({ use, golden }) {
    const weights = drawn(5, everyLinear), x = randn(6, BATCH, LENGTH, WIDTH), layer = await SelfAttention.from(use, weights, HEADS);
    const parts = LINEARS.map((name) => part(weights, name));
    for (const [mask, seen] of [[undefined, undefined], [paddingMask(IDS, 0), reference.unpadded(IDS)]]) {
      const got = await layer.forward(x, mask), want = reference.multiHead(parts, x, x, x, { heads: HEADS, seen });
      shaped(got.output, BATCH, LENGTH, WIDTH);
      shaped(got.weights, BATCH, HEADS, LENGTH, LENGTH);
      close(got.output, want.output);
      close(got.weights, want.weights);
    }
    // The text fills hidden scores with -1e9, which is all the same to softmax unless all are hidden. Then it gives the mean of all
    // values; here, as in F.scaled_dot_product_attention, there is nothing to give.
    const blind = await layer.forward(x, filled([1, 1, 1, LENGTH], 0));
    ok(blind.weights.data.every((weight) => weight === 0));
    await golden('03_multi_head', async (file) => {
      const input = file.of('in', 'self', 'x'), seen = file.of('in', 'self', 'key_mask');
      const made = await SelfAttention.from(use, unpacked(file.weights('self'), LINEARS), file.about.cases.self.heads);
      const got = await made.forward(input, { ...seen, shape: [seen.shape[0], 1, 1, seen.shape[1]] });
      file.compare('self', 'out', got.output);
      file.compare('self', 'weights', got.weights);
    });
  },

  async '3 what is predicted, and from what'({ use }) {
    const tokenizer = await trainTokenizer('word', ['I love NLP'], { vocabSize: 10, specialTokens: ['<unk>', '<eos>'] });
    const { ids } = tokenizer.encode('I love NLP'), sentence = [...ids, tokenizer.idOf('<eos>')];
    equal(tokenizer.decode(ids), 'I love NLP');
    const model = await GPTModel.from(use, drawn(7, gptShapes), SIZES), together = item(await model.forward([sentence]), 0);
    for (let t = 1; t < sentence.length; t++)
      close(item(last(await model.forward([sentence.slice(0, t)])), 0), item(together, t - 1), 2e-5);
  },

  async '3 create_causal_mask'() {
    equal(causalMask(4), tensor([[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]]));
  },

  async '3 CausalSelfAttention'({ use, golden }) {
    const weights = drawn(8, everyLinear), x = randn(9, BATCH, LENGTH, WIDTH), parts = LINEARS.map((name) => part(weights, name));
    const got = await (await CausalSelfAttention.from(use, weights, HEADS)).forward(x);
    const want = reference.multiHead(parts, x, x, x, { heads: HEADS, seen: reference.causal });
    close(got.output, want.output);
    close(got.weights, want.weights);
    await golden('03_multi_head', async (file) => {
      const own = unpacked(file.weights('self_causal'), LINEARS), { heads } = file.about.cases.self_causal;
      const made = await (await CausalSelfAttention.from(use, own, heads)).forward(file.of('in', 'self_causal', 'x'));
      file.compare('self_causal', 'out', made.output);
      file.compare('self_causal', 'weights', made.weights);
    });
  },

  async '4 TransformerEncoderBlock'({ use }) {
    const weights = drawn(10, shapesOf('self_attn')), x = randn(11, BATCH, LENGTH, WIDTH);
    const block = await blockFrom(use, weights, SIZES), want = blockOf(weights, 'self_attn');
    close((await block.forward({ src: x })).output, reference.runBlock(want, x, { heads: HEADS, activation: 'gelu' }));
    const { output } = await block.forward({ src: x }, { mask: paddingMask(IDS, 0) });
    shaped(output, BATCH, LENGTH, WIDTH);
    close(output, reference.runBlock(want, x, { heads: HEADS, activation: 'gelu', seen: reference.unpadded(IDS) }));
  },

  async '4 TransformerDecoderBlock'({ use }) {
    const weights = drawn(12, shapesOf('self_attn.attention')), x = randn(13, BATCH, LENGTH, WIDTH);
    const { output } = await (await blockFrom(use, weights, SIZES)).forward({ src: x }, { causal: true });
    const run = { heads: HEADS, activation: 'gelu', seen: reference.causal };
    close(output, reference.runBlock(blockOf(weights, 'self_attn.attention'), x, run));
  },

  async '5 PositionalEncoding'({ use }) {
    const layer = use(await createLayer('positionalEncoding', { d_model: WIDTH, max_len: 5000, dropout: 0.1 }));
    const x = randn(14, BATCH, 300, WIDTH);
    close((await layer.forward({ input: x })).output, reference.plus(x, reference.sinusoids(300, WIDTH)));
  },

  async '5 LearnablePositionalEncoding'({ use, golden }) {
    const table = randn(15, 512, WIDTH), x = randn(16, BATCH, LENGTH, WIDTH);
    const rows = { data: table.data.subarray(0, LENGTH * WIDTH) };
    close((await (await LearnablePositionalEncoding.from(use, table)).forward(x)), reference.plus(x, rows));
    await golden('05_positions', async (file) => {
      const { offset } = file.about.cases.learned, own = file.weights('learned').get('pos_embedding.weight');
      const layer = await LearnablePositionalEncoding.from(use, own, offset);
      file.compare('learned', 'out', await layer.forward(file.of('in', 'learned', 'x')));
    });
  },

  async '6 GPTModel'({ use, golden }) {
    const weights = drawn(17, gptShapes), logits = await (await GPTModel.from(use, weights, SIZES)).forward(IDS);
    shaped(logits, BATCH, LENGTH, VOCABULARY);
    close(logits, gptInFloat64(weights, IDS), 2e-5);
    const whole = use(await createLayer('gpt', modelOptions(SIZES), weights));
    close((await whole.forward({ input_ids: idTensor(IDS) })).logits, logits, 2e-5);
    await golden('09_gpt', async (file) => {
      const gpt = await GPTModel.from(use, file.weights('postnorm'), sizesOf(file.about.cases.postnorm));
      file.compare('postnorm', 'logits', await gpt.forward(toRows(file.of('in', 'postnorm', 'ids'))));
    });
  },

  async '6 generate'({ use, golden }) {
    const weights = drawn(18, gptShapes), gpt = await GPTModel.from(use, weights, SIZES), prompt = [3, 1, 4], temperature = 1.5;
    const uniforms = [0.9, 0.2, 0.6, 0.4], numbers = [...uniforms], want = [...prompt];
    const chances = (ids) => {
      const padded = [...ids, ...Array(LENGTH).fill(0)].slice(0, LENGTH), row = gptInFloat64(weights, [padded]);
      return reference.softmax(Array.from(item(item(row, 0), ids.length - 1).data, (x) => x / temperature));
    };
    for (let i = 0; i < 2; i++) want.push(multinomial(chances(want), uniforms[i]));
    equal(await gpt.generate([prompt], 2, () => numbers.shift(), temperature), [want]);
    // The package's own sampling: as often as softmax says, and the same again from the same seed.
    const model = use(await loadModel(folder(gptConfig(SIZES), weights))), draws = 2000;
    const options = { doSample: true, temperature, topK: 0, seed: 7, maxNewTokens: 1, numReturnSequences: draws };
    const { sequences } = await model.generate([prompt], options).result();
    const probabilities = chances(prompt), counts = Array(VOCABULARY).fill(0);
    for (const row of sequences) counts[row[3]]++;
    const chiSquare = counts.reduce((sum, n, i) => sum + (n - draws * probabilities[i]) ** 2 / (draws * probabilities[i]), 0);
    ok(chiSquare < 32.9, `chi-square ${chiSquare}: beyond 99.9 % of 12 degrees of freedom`);
    equal((await model.generate([prompt], options).result()).sequences, sequences);
    await golden('09_gpt', async (file) => {
      const sizes = sizesOf(file.about.cases.postnorm), own = file.weights('postnorm'), start = toRows(file.of('in', 'postnorm', 'prompt'));
      const textbook = await GPTModel.from(use, own, sizes);
      // The colder, the greedier.
      file.compare('postnorm', 'greedy', tensor(await textbook.generate(start, 8, () => 0.5, 1e-3)));
      const same = use(await loadModel(folder(gptConfig(sizes), own)));
      file.compare('postnorm', 'greedy', tensor((await same.generate(start, { maxNewTokens: 8, eosTokenId: [] }).result()).sequences));
    });
  },

  async '6 BERTModel'({ use, golden }) {
    const weights = drawn(19, bertShapes), model = await BERTModel.from(use, weights, SIZES);
    const segments = [[0, 0, 0, 1, 1], [0, 0, 1, 1, 1]], mask = paddingMask(IDS, 0);
    const hidden = await model.forward(IDS, segments, mask);
    shaped(hidden, BATCH, LENGTH, WIDTH);
    const words = reference.embed(IDS, weights.get('token_embedding.weight'));
    const x = reference.plus(words, reference.embed(segments, weights.get('segment_embedding.weight')));
    close(hidden, hiddenInFloat64(weights, x, 'self_attn', reference.unpadded(IDS)), 2e-5);
    const none = await model.forward([IDS[0]]), zeros = await model.forward([IDS[0]], [[0, 0, 0, 0, 0]]);
    equal(none, zeros, 'without segments');
    const own = new Map([...weights, ['mlm_bias', filled([VOCABULARY], 0)]]);
    const whole = use(await createLayer('bert', modelOptions(SIZES), own));
    const inputs = { input_ids: idTensor(IDS), token_type_ids: tensor(segments), attention_mask: { ...mask, shape: [BATCH, LENGTH] } };
    const { lastHiddenState } = await whole.forward(inputs); // which does not compute padding
    close(item(lastHiddenState, 0), item(hidden, 0), 2e-5);
    close(toRows(item(lastHiddenState, 1)).slice(0, 4).flat(), toRows(item(hidden, 1)).slice(0, 4).flat(), 2e-5);
    await golden('08_bert_pretraining', async (file) => {
      const input = (name) => file.of('in', 'textbook', name), rows = (name) => toRows(input(name)), seen = input('attention_mask');
      const bert = await BERTModel.from(use, file.weights('textbook'), sizesOf(file.about.cases.textbook));
      const output = await bert.forward(rows('input_ids'), rows('segment_ids'), { ...seen, shape: [seen.shape[0], 1, 1, seen.shape[1]] });
      file.compare('textbook', 'hidden', output);
    });
  },

  async '7 a masked word'({ use, model }) {
    // The tiny BERT knows few words, and has learned nothing: what it predicts is a matter of its weights.
    const unmask = use(await pipeline('fill-mask', await model('bert'))), text = 'The [MASK] saw the mouse.';
    const found = await unmask(text, { top_k: 20 }), { ids } = unmask.tokenizer.encode(text);
    const { logits } = await unmask.model.forward({ inputIds: [ids] });
    const chances = reference.softmax(toRows(item(logits, 0))[ids.indexOf(unmask.tokenizer.idOf('[MASK]'))]);
    close(found.map(({ score }) => score), chances.toSorted((a, b) => b - a));
    equal(found[0].token, argmax(chances));
    equal(found.find(({ token_str }) => token_str === 'fox').sequence, 'the fox saw the mouse.');
  },

  async '7 the next word'({ use, model }) {
    const teller = use(await loadModel(await model('tales'), { dtype: 'f32' })), { ids } = teller.tokenizer.encode('Once upon a time');
    const { logits, loss } = await teller.forward({ inputIds: [ids], labels: [ids] });
    // Each position predicts the one after it.
    const rows = toRows(item(logits, 0)).slice(0, -1).flat(), shape = [ids.length - 1, logits.shape[2]];
    close([loss], [reference.crossEntropy({ data: Float64Array.from(rows), shape }, ids.slice(1))]);
    const next = argmax(toRows(item(logits, 0)).at(-1));
    equal((await teller.generate('Once upon a time', { doSample: false, maxNewTokens: 1 }).result()).sequences, [[...ids, next]]);
  },

  async '7 from text to text'({ use, model }) {
    const translator = use(await pipeline('translation', await model('en-fr')));
    const output = await translator('Where is the station?', { num_beams: 4, max_new_tokens: 40 });
    equal(output, [{ translation_text: 'Où se trouve la gare ?' }]);
  },

  async '8 built-in encoder and decoder on [32, 100, 512]'({ use }) {
    const block = { d_model: 512, nhead: 8, dim_feedforward: 2048, dropout: 0.1, batch_first: true }, x = randn(20, 32, 100, 512);
    const encoder = use(await createLayer('encoder', { ...block, num_layers: 6 }));
    const { output: encoded } = await encoder.forward({ src: x });
    shaped(encoded, 32, 100, 512);
    const decoder = use(await createLayer('decoder', { ...block, num_layers: 6 }));
    const { output: decoded } = await decoder.forward({ tgt: x, memory: encoded });
    shaped(decoded, 32, 100, 512);
    // Float64 has time for one of the items, which are computed apart.
    const one = (of) => ({ data: item(of, 17).data, shape: [1, 100, 512] });
    const layers = (stack, of, run) => Array.from({ length: 6 }, (_, i) => reference.torchBlock(below(stack.weights, `layers.${i}.`)))
      .reduce((h, layer) => reference.runBlock(layer, h, run), of);
    const memory = layers(encoder, one(x), { heads: 8 });
    close(one(encoded), memory, 1e-4);
    close(one(decoded), layers(decoder, one(x), { heads: 8, memory }), 1e-4);
  },

  async 'key code: causal mask'() {
    const [q, k, v] = [21, 22, 23].map((seed) => randn(seed, 1, LENGTH, WIDTH));
    const masked = await attention(q, k, v, { mask: causalMask(LENGTH) });
    close(masked.output, reference.attend(q, k, v, { seen: reference.causal }).output);
    equal((await attention(q, k, v, { causal: true })).weights, masked.weights);
    toRows(item(masked.weights, 0)).forEach((row, t) => ok(row.slice(t + 1).every((weight) => weight === 0), 'the future is seen'));
  },

  async 'key code: heads'() {
    const q = randn(24, BATCH, LENGTH, WIDTH), split = splitHeads(q, HEADS);
    shaped(split, BATCH, HEADS, LENGTH, WIDTH / HEADS);
    for (const [b, h, t, d] of [[0, 0, 0, 0], [1, 2, 3, 1], [1, 3, 4, 3]])
      equal(split.data[((b * HEADS + h) * LENGTH + t) * 4 + d], q.data[(b * LENGTH + t) * WIDTH + h * 4 + d]);
    equal(mergeHeads(split), q);
    // As the heads of attention, they give what the formula gives with the heads side by side.
    const { output } = await attention(split, split, split);
    close(mergeHeads(output), reference.attend(q, q, q, { heads: HEADS }).output);
  },

  async 'key code: scaled dot product'() {
    const [q, k, v] = [[25, 3], [26, 7], [27, 7]].map(([seed, length]) => randn(seed, length, WIDTH));
    const { output, weights } = await attention(q, k, v), batch = (x) => ({ ...x, shape: [1, ...x.shape] });
    shaped(output, 3, WIDTH);
    shaped(weights, 3, 7);
    const want = reference.attend(batch(q), batch(k), batch(v));
    close(output.data, want.output.data);
    close(weights.data, want.weights.data);
  },
};

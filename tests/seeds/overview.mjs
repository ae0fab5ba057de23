// The programs of the first text, "an overview of the Transformer", a test for each of its blocks that computes something:
//
//   1.1  the three tasks of NLP           1.1 classify, tag, generate
//   1.2  text, tokens, embedding, model   1.2 from a text to an output
//   2.2  BPE on four words                2.2 BPE by hand
//   2.3  who uses which tokenizer         2.3 BPE, WordPiece, SentencePiece
//   3.1  one-hot vectors                  3.1 one-hot vectors
//   3.2  king - man + woman               3.2 king - man + woman; 3.2 vectors learned from a text
//   3.3  the cosine                       3.3 cosine similarity
//   5.1  "it" and "animal"                5.1 a token looks at all tokens
//   5.2  a data base of keys and values   5.2 a soft look-up
//   5.3  the formula in four steps        5.3 scores, scale, softmax, sum
//   5.4  why to scale                     5.4 the variance of q k^T
//   6.2  heads, joined, projected         6.2 heads side by side, and W^O
//   6.3  the formula of MultiHead         6.3 MultiHead
//   6.4  h = 8, d_model = 512             6.4 eight heads of 64
//   7.1  encoder and decoder, N times     7.1 six layers a side
//   7.2  the encoder step by step         7.2 the encoder step by step
//   7.3  the decoder's three parts        7.3 the decoder step by step
//   7.4  three kinds of attention         7.4 self, masked and cross
//   8.1  FFN(x)                           8.1 FFN; 8.1 SwiGLU
//   8.2  512 to 2048 and back             8.2 each position apart
//   9.1  sinusoidal_encoding              9.1 sinusoidal_encoding
//   9.2  PE(pos + k) from PE(pos)         9.2 a shift is linear
//   9.3  other encodings                  9.3 learned, RoPE, ALiBi, T5
//   10.1 x + Sublayer(x)                  10.1 residual
//   10.2 LayerNorm                        10.2 LayerNorm
//   10.3 after or before                  10.3 post-norm and pre-norm
//   11.1 encoder-only                     11.1 to 11.3 what each kind may look at
//   11.2 decoder-only                     (the same)
//   11.3 encoder-decoder                  (the same)
//   12.1 "I love AI", end to end          12.1 a translation, token by token
//   14   class ScaledDotProductAttention  14 ScaledDotProductAttention
//        class MultiHeadAttention         14 MultiHeadAttention
//        its use on [2, 10, 512]          14 self-attention on [2, 10, 512]
//
// 4.1 and 4.2 draw recurrent networks, which the package does not have.
import {
  attention, causalMask, cosineSimilarity, createLayer, loadModel, loadWordVectors, oneHot, positionalEncoding, trainTokenizer,
  trainWordVectors,
} from 'webformer';
import { pipeline } from 'webformer/pipeline';
import { close, equal, ok, shaped } from './check.mjs';
import { MultiHeadAttention, drawn, embedding, linear, linearShapes, matrix, products } from './modules.mjs';
import * as reference from './reference.mjs';
import { argmax, below, filled, first, item, mergeHeads, plus, randn, splitHeads, tensor, times, toRows } from './tensors.mjs';

const { part } = reference;
const BATCH = 2, LENGTH = 5, WIDTH = 16, HEADS = 4, INNER = 24;
const LINEARS = ['W_Q', 'W_K', 'W_V', 'W_O'];
const everyLinear = (width = WIDTH) => Object.assign({}, ...LINEARS.map((name) => linearShapes(name, width, width)));
const four = (weights) => LINEARS.map((name) => part(weights, name));
const BLOCK = { d_model: WIDTH, nhead: HEADS, dim_feedforward: INNER };
const text = (content) => new Blob([content]);

/** x[from:to] */
const slice = ({ data, shape: [, width] }, from, to) => ({ data: data.slice(from * width, to * width), shape: [to - from, width] });

/** softmax(Q K^T / sqrt(d_k)) V, by [B,H,T,D]; dropout does nothing once training is over. */
class ScaledDotProductAttention {
  /** @param mask [B,1,1,S] or [B,1,T,S], 0 = hidden */
  async forward(q, k, v, mask) {
    const { output, weights } = await attention(q, k, v, { mask });
    return [output, weights];
  }
}

/** Mean of the squares about the mean. */
function variance(list) {
  const mean = list.reduce((a, b) => a + b, 0) / list.length;
  return list.reduce((sum, x) => sum + (x - mean) ** 2, 0) / list.length;
}

/** How many numbers a layer has learned. */
const countOf = ({ weights }) => [...weights.values()].reduce((sum, { data }) => sum + data.length, 0);

/** [B,S] as what broadcasts to [B,1,T,S]. */
const keyMask = ({ data, shape: [batch, length] }) => ({ data, shape: [batch, 1, 1, length] });

/** The parts of a block by nn.TransformerEncoderLayer's names, one layer each. */
async function partsOf(use, weights, width, heads, inner) {
  const made = async (kind, options, start) => use(await createLayer(kind, options, below(weights, start)));
  const linears = new Map([...weights].filter(([name]) => name.startsWith('linear')));
  const network = use(await createLayer('feedForward', { d_model: width, dim_feedforward: inner }, linears));
  return {
    attention: async (name, inputs, options) =>
      (await made('multiHeadAttention', { embed_dim: width, num_heads: heads }, `${name}.`)).forward(inputs, options),
    ffn: async (input) => (await network.forward({ input })).output,
    norm: async (name, input) => (await (await made('layerNorm', { normalized_shape: width }, `${name}.`)).forward({ input })).output,
  };
}

/** Each number and the one half a head behind it, turned by the angle of their position. x: [T,D] */
async function rotate(x, base) {
  const [length, width] = x.shape, half = width / 2, result = filled(x.shape, 0);
  const { data } = await positionalEncoding('rope', { length, width, base });
  for (let i = 0; i < length * half; i++) {
    const at = Math.floor(i / half) * width + (i % half), cos = data[i], sin = data[length * half + i];
    const a = x.data[at], b = x.data[at + half];
    result.data[at] = a * cos - b * sin;
    result.data[at + half] = b * cos + a * sin;
  }
  return result;
}

export const overview = {
  async '1.1 classify, tag, generate'({ use, model }) {
    const made = async (task, name) => use(await pipeline(task, await model(name)));
    // Classification: a label for a text.
    const [{ label, score }] = await (await made('sentiment-analysis', 'sentiment'))('I love the fox.');
    ok(['NEGATIVE', 'POSITIVE'].includes(label) && score >= 0.5 && score < 1, `${label} ${score}`);
    // Multi-classification: a label for each token of a text.
    const tags = await (await made('ner', 'tags'))('The fox saw the mouse');
    equal(tags.map(({ word, entity }) => [word, entity]), [['fox', 'B-ANIMAL'], ['mouse', 'B-ANIMAL']]);
    close(tags.map((tag) => tag.score), [0.8, 0.8], 1e-4);
    // Generation: a text from a text, or from a question and a text.
    const greedy = { max_new_tokens: 8, do_sample: false };
    const [{ generated_text: tale }] = await (await made('text-generation', 'tales'))('Once upon a time', greedy);
    ok(/^Once upon a time.* \w+/.test(tale), tale);
    const [{ translation_text: french }] = await (await made('translation', 'en-fr'))('Where is the station?', { num_beams: 4 });
    equal(french, 'Où se trouve la gare ?');
    const { answer } = await (await made('question-answering', 'answers'))('Who saw it?', 'The mouse ran. A fox saw it.');
    equal(answer, 'fox');
    const summarize = await made('summarization', 'summaries');
    const [summary] = await summarize('I love you, you love cats, and cats love you.', { max_new_tokens: 5 });
    equal(Object.keys(summary), ['summary_text']);
  },

  async '1.2 from a text to an output'({ use, model }) {
    const bert = use(await loadModel(await model('bert'))), { tokens, ids } = bert.tokenizer.encode('The fox ran.');
    equal(tokens, ['[CLS]', 'the', 'fox', 'ran', '.', '[SEP]']);
    const { hiddenStates, lastHiddenState, logits } = await bert.forward({ inputIds: [ids] }, { hiddenStates: true });
    shaped(hiddenStates[0], 1, 6, bert.info.width); // the embeddings
    equal(hiddenStates.at(-1), lastHiddenState, 'what the last layer gives');
    shaped(logits, 1, 6, bert.info.vocabSize);
  },

  async '2.2 BPE by hand'() {
    const words = ['lowest', 'lower', 'newer', 'wider'], text = words.join(' ');
    const trained = (vocabSize) => trainTokenizer('bpe', [text], { vocabSize });
    const letters = new Set(words.join('')).size, piecesAfter = async (merges) => {
      const tokenizer = await trained(letters + merges);
      return words.map((word) => tokenizer.encode(word).tokens.join(' '));
    };
    equal(letters, 10);
    equal(await piecesAfter(0), ['l o w e s t', 'l o w e r', 'n e w e r', 'w i d e r']);
    // e and r are neighbours three times, more often than any other two.
    equal(await piecesAfter(1), ['l o w e s t', 'l o w er', 'n e w er', 'w i d er']);
    equal(await piecesAfter(2), ['lo w e s t', 'lo w er', 'n e w er', 'w i d er']);
    const tokenizer = await trained(letters + 2), { steps } = tokenizer.trace('lower');
    equal(steps.filter(({ merge }) => merge).map(({ merge }) => merge), [['e', 'r'], ['l', 'o']]);
    equal(JSON.parse(tokenizer.save()).model.merges.map((pair) => pair.join('')), ['er', 'lo']);
  },

  async '2.3 BPE, WordPiece, SentencePiece'() {
    const texts = ['the lowest and the lower', 'the newer and the wider'];
    const trained = (kind, vocabSize, more) => trainTokenizer(kind, texts, { vocabSize, ...more });
    for (const [kind, vocabSize, name, more] of [
      ['byte-bpe', 280, 'bpe'], ['wordpiece', 40, 'wordpiece', { specialTokens: ['[UNK]'] }], ['sentencepiece-unigram', 20, 'unigram'],
    ]) {
      const tokenizer = await trained(kind, vocabSize, more), { ids } = tokenizer.encode('the lower');
      equal(tokenizer.kind, name);
      equal(tokenizer.decode(ids, { skipSpecialTokens: true }), 'the lower');
    }
  },

  async '3.1 one-hot vectors'({ use, golden }) {
    const words = ['cat', 'dog', 'bird', 'fish'], vectors = oneHot([0, 1, 2, 3], words.length);
    equal(vectors, tensor([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]));
    const rows = toRows(vectors); // all at right angles
    rows.forEach((a, i) => rows.forEach((b, j) => equal(cosineSimilarity(a, b), i === j ? 1 : 0)));
    await golden('01_word_vectors', async (file) => {
      const ids = Array.from(file.of('in', 'one_hot', 'ids').data), table = file.weights('one_hot').get('table');
      file.compare('one_hot', 'one_hot', oneHot(ids, table.shape[0]));
      file.compare('one_hot', 'embedding', (await use(await embedding(table)).forward({ input: tensor(ids) })).output);
    });
  },

  async '3.2 king - man + woman'({ golden }) {
    // Two numbers a word: how royal, and which of the two.
    const lines = ['4 2', 'king 0.9 0.8', 'queen 0.9 -0.8', 'man 0.1 0.8', 'woman 0.1 -0.8'];
    const vectors = await loadWordVectors(new Map([['vectors.txt', text(`${lines.join('\n')}\n`)]]));
    const [{ word, score }] = vectors.nearest({ positive: ['king', 'woman'], negative: ['man'] });
    equal(word, 'queen');
    close([score], [1]);
    await golden('01_word_vectors', async (file) => {
      const { words } = file.about.cases.analogy, table = file.of('in', 'analogy', 'table');
      const queries = toRows(file.of('in', 'analogy', 'queries'));
      const content = [table.shape.join(' '), ...toRows(table).map((row, i) => [words[i], ...row].join(' '))].join('\n');
      const loaded = await loadWordVectors(new Map([['vectors.txt', text(`${content}\n`)]]));
      const found = queries.map((query) => {
        const [a, b, c] = query.map((row) => words[row]);
        return loaded.nearest({ positive: [a, c], negative: [b] }, 3).map((near) => words.indexOf(near.word));
      });
      file.compare('analogy', 'nearest', tensor(found));
      file.compare('analogy', 'answer', tensor(found.map(([best]) => best)));
    });
  },

  async '3.2 vectors learned from a text'({ skip }) {
    // Two worlds that never meet: words of one become alike.
    const worlds = [['king', 'queen', 'crown', 'throne'], ['cat', 'dog', 'tail', 'fur']];
    const texts = Array.from({ length: 400 }, (_, i) => {
      const words = worlds[i % 2];
      return Array.from({ length: 6 }, (__, j) => words[(i + j * (1 + (i % 3))) % 4]).join(' ');
    });
    let run;
    try {
      run = trainWordVectors(texts, { kind: 'skip-gram', dimensions: 16, window: 3, epochs: 10, minCount: 1, seed: 1 });
    } catch (error) {
      if (error.code !== 'unsupported_model') throw error;
      return skip('training of word vectors is not in this build');
    }
    const vectors = await run.vectors();
    equal([...vectors.words].sort(), worlds.flat().sort());
    equal(vectors.dimensions, 16);
    const alike = (a, b) => cosineSimilarity(vectors.vector(a), vectors.vector(b));
    ok(alike('king', 'queen') > alike('king', 'cat') + 0.2, `${alike('king', 'queen')}, ${alike('king', 'cat')}`);
    ok(alike('cat', 'dog') > alike('cat', 'throne') + 0.2, `${alike('cat', 'dog')}, ${alike('cat', 'throne')}`);
  },

  async '3.3 cosine similarity'({ golden }) {
    equal(cosineSimilarity([1, 2], [2, 4]) > 1 - 1e-12, true);
    close([cosineSimilarity([1, 2], [-1, -2]), cosineSimilarity([1, 0], [0, 3]), cosineSimilarity([1, 1], [1, 0])], [-1, 0, Math.SQRT1_2]);
    await golden('01_word_vectors', async (file) => {
      const [x, y] = ['x', 'y'].map((name) => toRows(file.of('in', 'cosine', name)));
      file.compare('cosine', 'pairwise', tensor(x.map((row, i) => cosineSimilarity(row, y[i]))));
      file.compare('cosine', 'matrix', tensor(x.map((row) => y.map((other) => cosineSimilarity(row, other)))));
    });
  },

  async '5.1 a token looks at all tokens'() {
    const sentence = "The animal didn't cross the street because it was tired";
    const tokenizer = await trainTokenizer('word', [sentence], { vocabSize: 20, specialTokens: ['[UNK]'] });
    const { tokens } = tokenizer.encode(sentence), [it, animal, street] = ['it', 'animal', 'street'].map((word) => tokens.indexOf(word));
    const key = randn(101, tokens.length, 64), query = { ...key, data: key.data.slice() };
    // What training would bring about: the query of "it" is like the key of "animal".
    query.data.set(key.data.subarray(animal * 64, (animal + 1) * 64), it * 64);
    const { weights } = await attention(query, key, key), row = toRows(weights)[it];
    equal(row.length, tokens.length);
    equal(argmax(row), animal);
    ok(row[animal] > 10 * row[street], `${row[animal]}, ${row[street]}`);
  },

  async '5.2 a soft look-up'() {
    // Keys at right angles, and a query that is one of them: the sharper, the closer to that key's value.
    const key = tensor([[1, 0, 0], [0, 1, 0], [0, 0, 1]]), value = tensor([[10, 0], [20, 5], [30, -5]]), query = tensor([[0, 1, 0]]);
    const soft = await attention(query, key, value, { scale: 1 }), sharp = await attention(query, key, value, { scale: 50 });
    const e = Math.E, sum = e + 2;
    close(soft.weights, { data: [1 / sum, e / sum, 1 / sum], shape: [1, 3] });
    close(soft.output, { data: [(10 + 20 * e + 30) / sum, (5 * e - 5) / sum], shape: [1, 2] });
    close(sharp.output, { data: [20, 5], shape: [1, 2] });
  },

  async '5.3 scores, scale, softmax, sum'({ use }) {
    const [q, k, v] = [102, 103, 104].map((seed) => randn(seed, LENGTH, WIDTH));
    const scores = await products(use, q, k);
    const scaled = times(scores, 1 / Math.sqrt(WIDTH));
    const weights = tensor(toRows(scaled).map((row) => reference.softmax(row)));
    toRows(weights).forEach((row) => close([row.reduce((a, b) => a + b)], [1]));
    const columns = tensor(Array.from({ length: WIDTH }, (_, d) => toRows(v).map((row) => row[d])));
    const output = await products(use, weights, columns);
    const got = await attention(q, k, v);
    close(got.weights, weights);
    close(got.output, output);
  },

  async '5.4 the variance of q k^T'({ use, golden }) {
    /** q.k of each pair, by their first numbers. */
    const dots = async (q, k, size) => {
      const cut = (x) => tensor(toRows(x).map((row) => row.slice(0, size)));
      return toRows(await products(use, cut(q), cut(k))).map((row, i) => row[i]);
    };
    const variances = async (q, k, dims) => {
      const found = [];
      for (const size of dims) {
        const list = await dots(q, k, size);
        found.push({ size, plain: variance(list), scaled: variance(list.map((x) => x / Math.sqrt(size))) });
      }
      return found;
    };
    const [q, k] = [randn(105, 512, 64), randn(106, 512, 64)];
    for (const { size, plain, scaled } of await variances(q, k, [4, 16, 64]))
      ok(Math.abs(plain / size - 1) < 0.25 && Math.abs(scaled - 1) < 0.25, `${size}: ${plain}, ${scaled}`);
    await golden('02_attention', async (file) => {
      const input = (name) => file.of('in', 'score_variance', name);
      const found = await variances(input('q'), input('k'), file.about.cases.score_variance.dims);
      file.compare('score_variance', 'variance', tensor(found.map(({ plain }) => plain)));
      file.compare('score_variance', 'variance_scaled', tensor(found.map(({ scaled }) => scaled)));
    });
  },

  async '6.2 heads side by side, and W^O'({ use }) {
    const weights = drawn(110, everyLinear()), x = randn(111, 1, LENGTH, WIDTH), size = WIDTH / HEADS;
    const joined = filled([LENGTH, WIDTH], 0);
    for (let h = 0; h < HEADS; h++) {
      const project = async (name) => {
        const [from, to] = [h * size, (h + 1) * size], bias = { data: weights.get(`${name}.bias`).data.slice(from, to), shape: [size] };
        const own = new Map([['head.weight', slice(weights.get(`${name}.weight`), from, to)], ['head.bias', bias]]);
        return (await use(await linear(own, 'head')).forward({ input: item(x, 0) })).output;
      };
      const { output } = await attention(await project('W_Q'), await project('W_K'), await project('W_V'));
      toRows(output).forEach((row, t) => joined.data.set(row, t * WIDTH + h * size));
    }
    const { output } = await use(await linear(weights, 'W_O')).forward({ input: joined });
    const layer = use(await createLayer('multiHeadAttention', { embed_dim: WIDTH, num_heads: HEADS }, weights));
    close(item((await layer.forward({ query: x })).output, 0), output);
  },

  async '6.3 MultiHead'({ use, golden }) {
    const weights = drawn(112, everyLinear()), q = randn(113, BATCH, 3, WIDTH);
    const [k, v] = [114, 115].map((seed) => randn(seed, BATCH, LENGTH, WIDTH));
    const layer = use(await createLayer('multiHeadAttention', { embed_dim: WIDTH, num_heads: HEADS }, weights));
    const got = await layer.forward({ query: q, key: k, value: v }), want = reference.multiHead(four(weights), q, k, v, { heads: HEADS });
    close(got.output, want.output);
    close(got.weights, want.weights);
    await golden('03_multi_head', async (file) => {
      const { d_model, heads } = file.about.cases.four_linears, memory = file.of('in', 'four_linears', 'memory');
      const own = use(await createLayer('multiHeadAttention', { embed_dim: d_model, num_heads: heads }, file.weights('four_linears')));
      const made = await own.forward({ query: file.of('in', 'four_linears', 'x'), key: memory, value: memory });
      file.compare('four_linears', 'out', made.output);
      file.compare('four_linears', 'weights', made.weights);
    });
  },

  async '6.4 eight heads of 64'({ use }) {
    const layer = use(await createLayer('multiHeadAttention', { embed_dim: 512, num_heads: 8 })), x = randn(116, 1, 3, 512);
    const { output, weights } = await layer.forward({ query: x });
    shaped(output, 1, 3, 512);
    shaped(weights, 1, 8, 3, 3);
    shaped(splitHeads(x, 8), 1, 8, 3, 64);
    equal(countOf(layer), 4 * (512 * 512 + 512), 'parameters, as of one head');
  },

  async '7.1 six layers a side'({ use }) {
    const model = use(await createLayer('transformer', { d_model: 512, nhead: 8, num_encoder_layers: 6, num_decoder_layers: 6 }));
    equal(countOf(model), 44_140_544, 'the parameters of nn.Transformer()');
    const { output, memory } = await model.forward({ src: randn(117, 1, 4, 512), tgt: randn(118, 1, 3, 512) }, { causal: true });
    shaped(memory, 1, 4, 512);
    shaped(output, 1, 3, 512);
  },

  async '7.2 the encoder step by step'({ use, golden }) {
    const steps = async (weights, x, { heads, inner }, mask) => {
      const [, , width] = x.shape, parts = await partsOf(use, weights, width, heads, inner);
      const { output: attended } = await parts.attention('self_attn', { query: x }, { mask });
      const out1 = await parts.norm('norm1', plus(x, attended));
      return parts.norm('norm2', plus(out1, await parts.ffn(out1)));
    };
    const layer = use(await createLayer('encoderLayer', BLOCK));
    // Step 1: embeddings and positions.
    const x = plus(randn(119, BATCH, LENGTH, WIDTH), await positionalEncoding('sinusoidal', { length: LENGTH, width: WIDTH }));
    const out2 = await steps(layer.weights, x, { heads: HEADS, inner: INNER });
    close((await layer.forward({ src: x })).output, out2);
    close(out2, reference.runBlock(reference.torchBlock(layer.weights), x, { heads: HEADS }));
    await golden('06_blocks', async (file) => {
      const { heads, d_ff: inner } = file.about.cases.encoder_post, mask = keyMask(file.of('in', 'encoder_post', 'key_mask'));
      const weights = file.weights('encoder_post');
      file.compare('encoder_post', 'out', await steps(weights, file.of('in', 'encoder_post', 'x'), { heads, inner }, mask));
    });
  },

  async '7.3 the decoder step by step'({ use, golden }) {
    const steps = async (weights, x, memory, { heads, inner }, memoryMask) => {
      const [, length, width] = x.shape, parts = await partsOf(use, weights, width, heads, inner);
      const masked = await parts.attention('self_attn', { query: x }, { mask: causalMask(length) });
      const out1 = await parts.norm('norm1', plus(x, masked.output));
      const crossed = await parts.attention('multihead_attn', { query: out1, key: memory, value: memory }, { mask: memoryMask });
      const out2 = await parts.norm('norm2', plus(out1, crossed.output));
      return parts.norm('norm3', plus(out2, await parts.ffn(out2)));
    };
    const layer = use(await createLayer('decoderLayer', BLOCK)), x = randn(120, BATCH, LENGTH, WIDTH), memory = randn(121, BATCH, 7, WIDTH);
    const out3 = await steps(layer.weights, x, memory, { heads: HEADS, inner: INNER });
    close((await layer.forward({ tgt: x, memory }, { causal: true })).output, out3);
    close(out3, reference.runBlock(reference.torchBlock(layer.weights), x, { heads: HEADS, seen: reference.causal, memory }));
    await golden('06_blocks', async (file) => {
      const { heads, d_ff: inner } = file.about.cases.decoder_post, mask = keyMask(file.of('in', 'decoder_post', 'memory_mask'));
      const [input, from] = ['x', 'memory'].map((name) => file.of('in', 'decoder_post', name));
      file.compare('decoder_post', 'out', await steps(file.weights('decoder_post'), input, from, { heads, inner }, mask));
    });
  },

  async '7.4 self, masked and cross'({ use }) {
    const layer = use(await createLayer('multiHeadAttention', { embed_dim: WIDTH, num_heads: 1 }));
    const x = randn(122, LENGTH, WIDTH), memory = randn(123, 3, WIDTH);
    const looks = async (inputs, options) => {
      const { weights } = await layer.forward(inputs, options);
      return toRows(item(weights, 0)).map((row) => row.map((weight) => weight > 0));
    };
    const all = (rows, cols) => Array.from({ length: rows }, () => Array(cols).fill(true));
    equal(await looks({ query: x }), all(LENGTH, LENGTH));
    equal(await looks({ query: x }, { causal: true }), all(LENGTH, LENGTH).map((row, t) => row.map((_, s) => s <= t)));
    equal(await looks({ query: x, key: memory, value: memory }), all(LENGTH, 3));
  },

  async '8.1 FFN'({ use, golden }) {
    const weights = drawn(124, { ...linearShapes('linear1', INNER, WIDTH), ...linearShapes('linear2', WIDTH, INNER) });
    const x = randn(125, BATCH, LENGTH, WIDTH), parts = ['linear1', 'linear2'].map((name) => part(weights, name));
    for (const activation of ['relu', 'gelu']) {
      const layer = use(await createLayer('feedForward', { d_model: WIDTH, dim_feedforward: INNER, activation }, weights));
      close((await layer.forward({ input: x })).output, reference.feedForward(x, parts, activation));
    }
    await golden('04_ffn', async (file) => {
      const gated = { gated: true, bias: false }, swiglu = { activation: 'silu', ...gated }, geglu = { activation: 'gelu', ...gated };
      for (const [name, options] of Object.entries({ relu: {}, gelu: { activation: 'gelu' }, swiglu, geglu })) {
        const { d_model, d_ff } = file.about.cases[name];
        const layer = use(await createLayer('feedForward', { d_model, dim_feedforward: d_ff, ...options }, file.weights(name)));
        file.compare(name, 'out', (await layer.forward({ input: file.of('in', name, 'x') })).output);
      }
    });
  },

  async '8.1 SwiGLU'({ use }) {
    const weights = drawn(126, {
      ...linearShapes('gate_proj', INNER, WIDTH, false), ...linearShapes('up_proj', INNER, WIDTH, false),
      ...linearShapes('down_proj', WIDTH, INNER, false),
    });
    const options = { d_model: WIDTH, dim_feedforward: INNER, activation: 'silu', gated: true, bias: false }, x = randn(127, LENGTH, WIDTH);
    const layer = use(await createLayer('feedForward', options, weights)), through = (h, name) => reference.linear(h, part(weights, name));
    const gate = through(x, 'gate_proj'), up = through(x, 'up_proj');
    const hidden = { ...up, data: up.data.map((value, i) => (value * gate.data[i]) / (1 + Math.exp(-gate.data[i]))) };
    close((await layer.forward({ input: x })).output, through(hidden, 'down_proj'));
  },

  async '8.2 each position apart'({ use }) {
    const layer = use(await createLayer('feedForward', { d_model: 512, dim_feedforward: 2048 })), x = randn(128, 4, 512);
    shaped(layer.weights.get('linear1.weight'), 2048, 512);
    shaped(layer.weights.get('linear2.weight'), 512, 2048);
    const together = toRows((await layer.forward({ input: x })).output);
    for (let t = 0; t < 4; t++) close((await layer.forward({ input: item(x, t) })).output.data, together[t]);
  },

  async '9.1 sinusoidal_encoding'({ golden }) {
    const maxLen = 100, table = await positionalEncoding('sinusoidal', { length: maxLen, width: 64 });
    shaped(table, maxLen, 64);
    close(table, reference.sinusoids(maxLen, 64));
    await golden('05_positions', async (file) => {
      for (const [name, { length, d_model }] of Object.entries(file.about.cases).filter(([of]) => of.startsWith('sinusoidal')))
        file.compare(name, 'table', await positionalEncoding('sinusoidal', { length, width: d_model }));
    });
  },

  async '9.2 a shift is linear'({ use, golden }) {
    // The angles of k positions more turn each pair of sine and cosine: one matrix for every position.
    const shift = (k, width) => {
      const turn = filled([width, width], 0);
      for (let c = 0; c < width; c += 2) {
        const angle = k / 10000 ** (c / width), [cos, sin] = [Math.cos(angle), Math.sin(angle)];
        turn.data.set([cos, sin], c * width + c);
        turn.data.set([-sin, cos], (c + 1) * width + c);
      }
      return turn;
    };
    const table = await positionalEncoding('sinusoidal', { length: 60, width: WIDTH }), layer = use(await matrix(shift(5, WIDTH)));
    close((await layer.forward({ input: slice(table, 0, 55) })).output, slice(table, 5, 60));
    await golden('05_positions', async (file) => file.compare('sinusoidal', 'shift_5', shift(5, file.about.cases.sinusoidal.d_model)));
  },

  async '9.3 learned, RoPE, ALiBi, T5'({ use, golden }) {
    // Learned: a row of a table for each position.
    const table = randn(129, 12, WIDTH), x = randn(130, BATCH, LENGTH, WIDTH);
    const { output: rows } = await use(await embedding(table)).forward({ input: tensor([0, 1, 2, 3, 4]) });
    close(plus(x, rows), reference.plus(x, first(table, LENGTH)));
    // RoPE: scores tell the distance of query and key, and not where they are.
    const turned = await rotate(filled([30, 8], 1)), scores = toRows(await products(use, turned, turned));
    for (let t = 0; t + 7 < 30; t++) close([scores[t][t + 7]], [scores[0][7]], 1e-4);
    ok(Math.abs(scores[0][7] - scores[0][3]) > 0.1, 'all distances are alike');
    // ALiBi: the farther, the less, by a slope of each head.
    const bias = await positionalEncoding('alibi', { length: 6, heads: 4 });
    const distance = (i) => Math.abs((Math.floor(i / 6) % 6) - (i % 6)), slope = (i) => 4 ** -(1 + Math.floor(i / 36));
    close(bias, { data: Array.from({ length: 144 }, (_, i) => -slope(i) * distance(i)), shape: [4, 6, 6] });
    const [q, k, v] = [131, 132, 133].map((seed) => randn(seed, 1, 4, 6, 8)), nearer = await attention(q, k, v, { bias });
    shaped(nearer.weights, 1, 4, 6, 6);
    // T5: buckets of distances, both ways; near ones alone, far ones together.
    const buckets = toRows(await positionalEncoding('t5', { length: 200, buckets: 32, maxDistance: 128 }));
    equal(buckets[100].slice(93, 108), [7, 6, 5, 4, 3, 2, 1, 0, 17, 18, 19, 20, 21, 22, 23]);
    equal([buckets[0][140], buckets[0][199], buckets[140][0], buckets[199][0]], [31, 31, 15, 15]);
    await golden('05_positions', async (file) => {
      const input = file.of('in', 'rope_half', 'q'), { base } = file.about.cases.rope_half;
      const heads = [0, 1].flatMap((b) => [0, 1, 2, 3].map((h) => item(item(input, b), h)));
      const parts = await Promise.all(heads.map((head) => rotate(head, base)));
      file.compare('rope_half', 'q', { data: Float32Array.from(parts.flatMap(({ data }) => [...data])), shape: input.shape });
    });
  },

  async '10.1 residual'({ use, golden }) {
    const sublayer = async (x, weight) => {
      return plus(x, (await use(await matrix(weight)).forward({ input: x })).output);
    };
    const x = randn(134, LENGTH, WIDTH);
    equal(await sublayer(x, filled([WIDTH, WIDTH], 0)), x, 'what a part that adds nothing leaves');
    await golden('06_blocks', async (file) =>
      file.compare('residual', 'out', await sublayer(file.of('in', 'residual', 'x'), file.weights('residual').get('weight'))));
  },

  async '10.2 LayerNorm'({ use, golden }) {
    // The text adds epsilon to the deviation; nn.LayerNorm, and this package, to the variance.
    const weights = drawn(135, { 'norm.weight': [WIDTH], 'norm.bias': [WIDTH] }), x = randn(136, BATCH, LENGTH, WIDTH);
    const layer = use(await createLayer('layerNorm', { normalized_shape: WIDTH }, below(weights, 'norm.')));
    close((await layer.forward({ input: x })).output, reference.layerNorm(x, part(weights, 'norm')));
    const plain = use(await createLayer('layerNorm', { normalized_shape: WIDTH, eps: 0 }));
    const { output } = await plain.forward({ input: item(x, 0) });
    for (const row of toRows(output)) close([row.reduce((a, b) => a + b) / WIDTH, variance(row)], [0, 1]);
    await golden('06_blocks', async (file) => {
      const { eps } = file.about.cases.layer_norm, input = file.of('in', 'layer_norm', 'x'), normalized_shape = input.shape[2];
      const own = use(await createLayer('layerNorm', { normalized_shape, eps }, file.weights('layer_norm')));
      file.compare('layer_norm', 'out', (await own.forward({ input })).output);
    });
  },

  async '10.3 post-norm and pre-norm'({ use, golden }) {
    const post = use(await createLayer('encoderLayer', BLOCK)), x = randn(137, BATCH, LENGTH, WIDTH);
    const pre = use(await createLayer('encoderLayer', { ...BLOCK, norm_first: true }, post.weights));
    const block = reference.torchBlock(post.weights);
    close((await post.forward({ src: x })).output, reference.runBlock(block, x, { heads: HEADS }));
    close((await pre.forward({ src: x })).output, reference.runBlock(block, x, { heads: HEADS, pre: true }));
    await golden('06_blocks', async (file) => {
      for (const name of ['encoder_post', 'encoder_pre']) {
        const { d_model, heads, d_ff, activation } = file.about.cases[name];
        const options = { d_model, nhead: heads, dim_feedforward: d_ff, activation, norm_first: name === 'encoder_pre' };
        const layer = use(await createLayer('encoderLayer', options, file.weights(name)));
        const { output } = await layer.forward({ src: file.of('in', name, 'x') }, { mask: keyMask(file.of('in', name, 'key_mask')) });
        file.compare(name, 'out', output);
      }
    });
  },

  async '11.1 to 11.3 what each kind may look at'({ use }) {
    const options = { d_model: WIDTH, nhead: HEADS, dim_feedforward: INNER, num_layers: 2, vocab_size: 11 };
    const [ids, other] = [[1, 2, 3, 4], [1, 2, 3, 5]].map((row) => ({ input_ids: tensor([row]) }));
    /** Which positions say something else when the last one is another. */
    const changed = (a, b) => toRows(item(a, 0)).map((row, t) => toRows(item(b, 0))[t].some((x, i) => Math.abs(x - row[i]) > 1e-4));
    const bert = use(await createLayer('bert', options)), gpt = use(await createLayer('gpt', options));
    equal(changed((await bert.forward(ids)).lastHiddenState, (await bert.forward(other)).lastHiddenState), [true, true, true, true]);
    equal(changed((await gpt.forward(ids)).lastHiddenState, (await gpt.forward(other)).lastHiddenState), [false, false, false, true]);
    const both = use(await createLayer('transformer', { ...BLOCK, num_encoder_layers: 1, num_decoder_layers: 1 }));
    const src = randn(138, 1, 4, WIDTH), tgt = randn(139, 1, 4, WIDTH), otherwise = (x) => {
      const copy = { ...x, data: x.data.slice() };
      copy.data.set(randn(140, WIDTH).data, 3 * WIDTH);
      return copy;
    };
    const run = (from, to) => both.forward({ src: from, tgt: to }, { causal: true }), plain = await run(src, tgt);
    equal(changed(plain.output, (await run(src, otherwise(tgt))).output), [false, false, false, true]);
    const read = await run(otherwise(src), tgt);
    equal(changed(plain.memory, read.memory), [true, true, true, true]);
    equal(changed(plain.output, read.output), [true, true, true, true]);
  },

  async '12.1 a translation, token by token'({ use, model }) {
    const translator = use(await loadModel(await model('en-fr'), { dtype: 'f32' })), { tokenizer, info } = translator;
    const { ids } = tokenizer.encode('I love gardens.'), { decoder_start_token_id: start, eos_token_id: end } = info.config;
    const made = [start];
    while (made.at(-1) !== end && made.length < 20) {
      const { logits } = await translator.forward({ inputIds: [ids], decoderInputIds: [made] }, { logits: 'last' });
      made.push(argmax(Array.from(logits.data, (x, id) => (id === start ? -Infinity : x)))); // which is never a word
    }
    equal(made.at(-1), end);
    const { sequences, texts } = await translator.translate('I love gardens.', { numBeams: 1 }).result();
    equal(sequences, [made]);
    equal(texts, [translator.targetTokenizer.decode(made.slice(1), { skipSpecialTokens: true })]);
  },

  async '14 ScaledDotProductAttention'({ golden }) {
    const [q, k, v] = [141, 142, 143].map((seed) => randn(seed, BATCH, HEADS, LENGTH, 4)), layer = new ScaledDotProductAttention();
    const keys = tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]]), byKey = keyMask(keys), square = causalMask(LENGTH);
    const perQuery = { data: Float32Array.from([...square.data, ...square.data]), shape: [BATCH, 1, LENGTH, LENGTH] };
    const kept = (b, _, s) => keys.data[b * LENGTH + s] === 1;
    for (const [mask, seen] of [[undefined, undefined], [byKey, kept], [perQuery, reference.causal]]) {
      const [output, weights] = await layer.forward(q, k, v, mask);
      const want = reference.attend(mergeHeads(q), mergeHeads(k), mergeHeads(v), { heads: HEADS, seen });
      shaped(output, BATCH, HEADS, LENGTH, 4);
      close(mergeHeads(output), want.output);
      close(weights, want.weights);
    }
    await golden('02_attention', async (file) => {
      for (const name of ['plain', 'boolean_mask', 'large_scores']) {
        const [query, key, value, mask] = ['q', 'k', 'v', 'mask'].map((of) => file.of('in', name, of));
        const [output, weights] = await layer.forward(query, key, value, mask);
        file.compare(name, 'out', output);
        file.compare(name, 'weights', weights);
      }
    });
  },

  async '14 MultiHeadAttention'({ use, golden }) {
    const weights = drawn(144, everyLinear()), [q, kv] = [randn(145, BATCH, 3, WIDTH), randn(146, BATCH, LENGTH, WIDTH)];
    const layer = await MultiHeadAttention.from(use, weights, LINEARS, HEADS), mask = keyMask(tensor([[1, 1, 1, 1, 0], [1, 1, 0, 0, 0]]));
    const got = await layer.forward(q, kv, kv, mask), seen = (b, _, s) => mask.data[b * LENGTH + s] === 1;
    const want = reference.multiHead(four(weights), q, kv, kv, { heads: HEADS, seen });
    close(got.output, want.output);
    close(got.weights, want.weights);
    await golden('03_multi_head', async (file) => {
      const memory = file.of('in', 'four_linears', 'memory'), { heads } = file.about.cases.four_linears;
      const made = await MultiHeadAttention.from(use, file.weights('four_linears'), LINEARS, heads);
      const { output, weights: looked } = await made.forward(file.of('in', 'four_linears', 'x'), memory, memory);
      file.compare('four_linears', 'out', output);
      file.compare('four_linears', 'weights', looked);
    });
  },

  async '14 self-attention on [2, 10, 512]'({ use }) {
    const weights = drawn(147, everyLinear(512)), x = randn(148, 2, 10, 512);
    const { output, weights: looked } = await (await MultiHeadAttention.from(use, weights, LINEARS, 8)).forward(x, x, x);
    shaped(output, 2, 10, 512);
    shaped(looked, 2, 8, 10, 10);
    const want = reference.multiHead(four(weights), x, x, x, { heads: 8 });
    close(output, want.output);
    close(looked, want.weights);
  },
};

// The formulas of the texts in float64, written out: what the package's numbers are compared with. Tensors are { data, shape }.

const sizeOf = (shape) => shape.reduce((product, size) => product * size, 1);
const zeros = (...shape) => ({ data: new Float64Array(sizeOf(shape)), shape });
const copy = ({ data, shape }) => ({ data: Float64Array.from(data), shape });
const rowsOf = ({ data, shape }) => data.length / shape.at(-1);

/** A module's weight and bias. */
export const part = (weights, name) => ({ weight: weights.get(`${name}.weight`), bias: weights.get(`${name}.bias`) });

/** The dot product of `count` numbers of a and b. Four sums, since one would wait for each addition. */
function dot(a, i, b, j, count) {
  let s0 = 0, s1 = 0, s2 = 0, s3 = 0, c = 0;
  for (; c + 3 < count; c += 4) {
    s0 += a[i + c] * b[j + c];
    s1 += a[i + c + 1] * b[j + c + 1];
    s2 += a[i + c + 2] * b[j + c + 2];
    s3 += a[i + c + 3] * b[j + c + 3];
  }
  for (; c < count; c++) s0 += a[i + c] * b[j + c];
  return s0 + s1 + s2 + s3;
}

/** x W^T + b. x: [...,C], W: [N,C] */
export function linear(x, { weight, bias }) {
  const [outputs, width] = weight.shape, rows = rowsOf(x), y = zeros(...x.shape.slice(0, -1), outputs);
  const w = Float64Array.from(weight.data), a = Float64Array.from(x.data);
  for (let n = 0; n < outputs; n++)
    for (let r = 0; r < rows; r++) y.data[r * outputs + n] = dot(a, r * width, w, n * width, width) + (bias ? bias.data[n] : 0);
  return y;
}

export const plus = (x, y) => ({ data: Float64Array.from(x.data, (value, i) => value + y.data[i % y.data.length]), shape: x.shape });

/** exp(x - max) / sum; zeros where nothing is seen. */
export function softmax(list) {
  const most = Math.max(...list);
  if (most === -Infinity) return list.map(() => 0);
  const powers = list.map((x) => Math.exp(x - most)), sum = powers.reduce((a, b) => a + b, 0);
  return powers.map((x) => x / sum);
}

/**
 * softmax(q k^T scale) v, head by head. q: [B,T,C], k and v: [B,S,C], the heads side by side.
 * @param {(b: number, t: number, s: number) => boolean} seen which keys a query sees
 * @returns output [B,T,C], weights [B,H,T,S]
 */
export function attend(q, k, v, { heads = 1, seen = () => true, scale } = {}) {
  const [batch, queries, width] = q.shape, keys = k.shape[1], size = width / heads;
  const output = zeros(batch, queries, width), weights = zeros(batch, heads, queries, keys);
  const factor = scale ?? 1 / Math.sqrt(size);
  const at = (x, b, t, h) => (b * x.shape[1] + t) * width + h * size;
  for (let b = 0; b < batch; b++) {
    for (let h = 0; h < heads; h++) {
      for (let t = 0; t < queries; t++) {
        const scores = Array.from({ length: keys }, (_, s) =>
          seen(b, t, s) ? factor * dot(q.data, at(q, b, t, h), k.data, at(k, b, s, h), size) : -Infinity);
        const row = softmax(scores);
        weights.data.set(row, ((b * heads + h) * queries + t) * keys);
        for (let s = 0; s < keys; s++)
          for (let d = 0, i = at(v, b, s, h), j = at(output, b, t, h); d < size; d++) output.data[j++] += row[s] * v.data[i++];
      }
    }
  }
  return { output, weights };
}

/** Concat(head_1, …) W_O. `parts`: W_Q, W_K, W_V, W_O */
export function multiHead([wq, wk, wv, wo], query, key, value, options) {
  const { output, weights } = attend(linear(query, wq), linear(key, wk), linear(value, wv), options);
  return { output: linear(output, wo), weights };
}

/** gamma (x - mean) / sqrt(var + eps) + beta, as nn.LayerNorm. */
export function layerNorm(x, { weight, bias }, eps = 1e-5) {
  const width = x.shape.at(-1), y = copy(x);
  for (let r = 0; r < rowsOf(x); r++) {
    const row = y.data.subarray(r * width, (r + 1) * width), mean = row.reduce((a, b) => a + b, 0) / width;
    const variance = row.reduce((sum, value) => sum + (value - mean) ** 2, 0) / width;
    row.forEach((value, c) => (row[c] = ((value - mean) / Math.sqrt(variance + eps)) * (weight?.data[c] ?? 1) + (bias?.data[c] ?? 0)));
  }
  return y;
}

/** 2 / sqrt(pi) e^(-x^2) sum 2^n x^(2n+1) / (2n+1)!!: all terms have one sign (Abramowitz & Stegun 7.1.6). */
function erf(x) {
  if (Math.abs(x) > 6) return Math.sign(x);
  let term = x, sum = x;
  for (let n = 1; n < 200; n++) sum += term *= (2 * x * x) / (2 * n + 1);
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
}
export const activations = { relu: (x) => Math.max(0, x), gelu: (x) => (x / 2) * (1 + erf(x / Math.SQRT2)) };

export function feedForward(x, [inner, outer], activation = 'relu') {
  const hidden = linear(x, inner);
  return linear({ ...hidden, data: hidden.data.map(activations[activation]) }, outer);
}

/** A block by the names of nn.TransformerEncoderLayer or nn.TransformerDecoderLayer. */
export function torchBlock(weights) {
  const attention = (name) => {
    const packed = weights.get(`${name}.in_proj_weight`), bias = weights.get(`${name}.in_proj_bias`), width = packed.shape[1];
    const third = (i) => ({
      weight: { data: packed.data.subarray(i * width * width, (i + 1) * width * width), shape: [width, width] },
      bias: bias && { data: bias.data.subarray(i * width, (i + 1) * width), shape: [width] },
    });
    return [third(0), third(1), third(2), part(weights, `${name}.out_proj`)];
  };
  const attentions = [attention('self_attn')];
  if (weights.has('multihead_attn.in_proj_weight')) attentions.push(attention('multihead_attn'));
  return { attentions, ffn: ['linear1', 'linear2'].map((name) => part(weights, name)), norms: normsOf(weights) };
}

const normsOf = (weights) => ['norm1', 'norm2', 'norm3'].filter((name) => weights.has(`${name}.weight`)).map((name) => part(weights, name));

/** A block by a text's names: of its attentions, of the linears in them ('Wq', …), and of those of its feed-forward network. */
export const textBlock = (weights, names, linears, ffn) => ({
  attentions: names.map((name) => linears.map((of) => part(weights, `${name}.${of}`))),
  ffn: ffn.map((name) => part(weights, name)),
  norms: normsOf(weights),
});

/**
 * Self-attention, attention to the memory where the block has it, and the feed-forward network, each with its residual and its norm:
 * behind the sum as in 2017, or before the part where `pre`.
 */
export function runBlock({ attentions, ffn, norms }, x, { heads, seen, memory, memorySeen, pre = false, activation }) {
  const parts = [(h) => multiHead(attentions[0], h, h, h, { heads, seen }).output];
  if (attentions[1]) parts.push((h) => multiHead(attentions[1], h, memory, memory, { heads, seen: memorySeen }).output);
  parts.push((h) => feedForward(h, ffn, activation));
  return parts.reduce((h, of, i) => (pre ? plus(h, of(layerNorm(h, norms[i]))) : layerNorm(plus(h, of(h)), norms[i])), x);
}

/** PE[p,2i] = sin(p / 10000^(2i/d)), PE[p,2i+1] = cos(p / 10000^(2i/d)) */
export function sinusoids(length, width) {
  const table = zeros(length, width);
  table.data.forEach((_, i) => {
    const column = i % width, angle = Math.floor(i / width) / 10000 ** ((column - (column % 2)) / width);
    table.data[i] = column % 2 === 0 ? Math.sin(angle) : Math.cos(angle);
  });
  return table;
}

/** Rows of a table: table[ids]. ids: lists of one length. */
export function embed(ids, { data, shape: [, width] }, factor = 1) {
  const rows = ids.flatMap((list) => Array.from(list, (id) => Array.from(data.subarray(id * width, (id + 1) * width), (x) => x * factor)));
  return { data: Float64Array.from(rows.flat()), shape: [ids.length, ids[0].length, width] };
}

export const causal = (_, t, s) => s <= t;
/** Only keys that are not padding. */
export const unpadded = (ids, pad = 0) => (b, _, s) => ids[b][s] !== pad;

/** -log softmax(logits)[label], the mean over the labels that are not `ignored`: nn.CrossEntropyLoss */
export function crossEntropy({ data, shape }, labels, ignored = -100) {
  const vocabulary = shape.at(-1), losses = [];
  Array.from(labels).forEach((label, i) => {
    if (label === ignored) return;
    losses.push(-Math.log(softmax(Array.from(data.subarray(i * vocabulary, (i + 1) * vocabulary)))[label]));
  });
  return losses.reduce((a, b) => a + b, 0) / losses.length;
}

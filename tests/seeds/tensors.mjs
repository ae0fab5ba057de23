// What PyTorch's tensors do by methods and operators, for { data, shape }: the package computes layers, not sums.

const sizeOf = (shape) => shape.reduce((product, size) => product * size, 1);

/** A tensor of numbers in lists of lists. */
export function tensor(lists) {
  const shape = [];
  for (let part = lists; Array.isArray(part); part = part[0]) shape.push(part.length);
  return { data: Float32Array.from([lists].flat(Infinity)), shape };
}

export const filled = (shape, value) => ({ data: new Float32Array(sizeOf(shape)).fill(value), shape });

/** torch.randn from a seed: mulberry32's numbers (Ettinger 2017), made normal (Box & Muller 1958). */
export function randn(seed, ...shape) {
  let state = seed;
  const uniform = () => {
    state = (state + 0x6d2b79f5) | 0;
    let x = Math.imul(state ^ (state >>> 15), state | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  };
  const draw = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  return { data: Float32Array.from({ length: sizeOf(shape) }, draw), shape };
}

export const times = ({ data, shape }, factor) => ({ data: data.map((x) => x * factor), shape });

/** x + y; the axes that only x has stand first. */
export const plus = (x, y) => ({ data: x.data.map((value, i) => value + y.data[i % y.data.length]), shape: x.shape });

/** mask & other: [B,1,1,T] and [T,T] as [B,1,T,T]. */
export function both(keys, square) {
  const [batch, , , length] = keys.shape, seen = filled([batch, 1, length, length], 0);
  seen.data.forEach((_, i) => {
    const b = Math.floor(i / length ** 2);
    seen.data[i] = keys.data[b * length + (i % length)] * square.data[i % length ** 2];
  });
  return seen;
}

/** x[i] */
export function item({ data, shape }, i) {
  const size = sizeOf(shape.slice(1));
  return { data: data.slice(i * size, (i + 1) * size), shape: shape.slice(1) };
}

/** The first rows of a table: x[:count]. */
export const first = ({ data, shape: [, ...rest] }, count) => ({ data: data.slice(0, count * sizeOf(rest)), shape: [count, ...rest] });

/** The last row of each sequence: x[:, -1]. */
export function last({ data, shape: [batch, length, width] }) {
  const rows = filled([batch, width], 0);
  for (let b = 0; b < batch; b++) rows.data.set(data.subarray(((b + 1) * length - 1) * width, (b + 1) * length * width), b * width);
  return rows;
}

/** Two axes in the other order, the second and the third of four: x.transpose(1, 2). */
function swapped({ data, shape: [a, b, c, d] }) {
  const result = filled([a, c, b, d], 0);
  for (let i = 0; i < a; i++) {
    for (let j = 0; j < b; j++) {
      for (let k = 0; k < c; k++) {
        const from = ((i * b + j) * c + k) * d;
        result.data.set(data.subarray(from, from + d), ((i * c + k) * b + j) * d);
      }
    }
  }
  return result;
}

/** [B,T,C] as [B,H,T,D]: x.view(B, T, H, D).transpose(1, 2) */
export const splitHeads = ({ data, shape: [batch, length, width] }, heads) =>
  swapped({ data, shape: [batch, length, heads, width / heads] });

/** [B,H,T,D] as [B,T,C]: x.transpose(1, 2).contiguous().view(B, T, H * D) */
export function mergeHeads(x) {
  const { data, shape: [batch, length, heads, size] } = swapped(x);
  return { data, shape: [batch, length, heads * size] };
}

/** Ids as the tensor that an embedding reads. */
export const idTensor = (rows) => tensor(rows.map((row) => Array.from(row)));

/** The tensor's rows as lists. */
export const toRows = ({ data, shape: [rows, cols] }) =>
  Array.from({ length: rows }, (_, i) => Array.from(data.subarray(i * cols, (i + 1) * cols)));

export const argmax = (list) => list.reduce((best, x, i) => (x > list[best] ? i : best), 0);

/** Weights below a name, without it: the state_dict of one of a module's parts. */
export const below = (weights, start) =>
  new Map([...weights].filter(([name]) => name.startsWith(start)).map(([name, weight]) => [name.slice(start.length), weight]));

/** Weights by other names: each pattern that a name matches is replaced. */
export const renamed = (weights, patterns) =>
  new Map([...weights].map(([name, weight]) => [patterns.reduce((now, [from, to]) => now.replace(from, to), name), weight]));

/** A folder to load: config.json and model.safetensors. */
export function folder(config, weights) {
  const header = {}, parts = [];
  let at = 0;
  for (const [name, { data, shape }] of weights) {
    header[name] = { dtype: 'F32', shape, data_offsets: [at, at + data.byteLength] };
    at += data.byteLength;
    parts.push(data);
  }
  const json = new TextEncoder().encode(JSON.stringify(header)), length = new BigUint64Array([BigInt(json.length)]);
  return new Map([['config.json', new Blob([JSON.stringify(config)])], ['model.safetensors', new Blob([length, json, ...parts])]]);
}

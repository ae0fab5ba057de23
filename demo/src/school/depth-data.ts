// Stacks of small blocks, put together from their pieces, and how much of the gradient reaches each layer.
import { createLayer, type Layer, type Tensor } from 'webformer';
import { normal } from './random';

export const WIDTH = 8;
const HEADS = 2;
const INNER = 32;
/** Central differences: the error is in proportion to its square, the rounding of f32 to its inverse. */
const NUDGE = 2e-3;

export const PLACES = ['post', 'pre', 'bare', 'unnormed'] as const;
/** Where the norm stands: after the residual, before the part, or, without residuals, after the part or nowhere. */
export type Place = typeof PLACES[number];

export interface Block { readonly attention: Layer; readonly ffn: Layer; readonly norm: Layer }

/** Weights of variance 1 / inputs; by name, as createLayer('encoderLayer') has them too. */
export function weightsOf(layer: number): { attention: Map<string, Tensor>; ffn: Map<string, Tensor> } {
  const drawn = (rows: number, columns: number, seed: number): Tensor =>
    ({ data: normal(rows * columns, seed + 10 * layer).map((value) => value / Math.sqrt(columns)), shape: [rows, columns] });
  return {
    attention: new Map([['in_proj_weight', drawn(3 * WIDTH, WIDTH, 1)], ['out_proj.weight', drawn(WIDTH, WIDTH, 2)]]),
    ffn: new Map([['linear1.weight', drawn(INNER, WIDTH, 3)], ['linear2.weight', drawn(WIDTH, INNER, 4)]]),
  };
}

async function createBlock(layer: number): Promise<Block> {
  const { attention, ffn } = weightsOf(layer);
  return {
    attention: await createLayer('multiHeadAttention', { embed_dim: WIDTH, num_heads: HEADS, bias: false }, attention),
    ffn: await createLayer('feedForward', { d_model: WIDTH, dim_feedforward: INNER, bias: false }, ffn),
    norm: await createLayer('layerNorm', { normalized_shape: WIDTH, bias: false }),
  };
}

const blocks: Promise<Block>[] = [];
const blockAt = (layer: number) => (blocks[layer] ??= createBlock(layer));

const sum = (a: Tensor, b: Tensor): Tensor => ({ data: a.data.map((value, i) => value + b.data[i]), shape: a.shape });

/** One block on x [B,T,C], its norm in that place. */
export async function throughBlock(layer: number, place: Place, x: Tensor): Promise<Tensor> {
  const { attention, ffn, norm } = await blockAt(layer);
  const normed = async (input: Tensor) => (await norm.forward({ input })).output;
  const parts = [
    async (query: Tensor) => (await attention.forward({ query })).output, async (input: Tensor) => (await ffn.forward({ input })).output,
  ];
  for (const part of parts) {
    if (place === 'post') x = await normed(sum(x, await part(x)));
    else if (place === 'pre') x = sum(x, await part(await normed(x)));
    else x = place === 'bare' ? await normed(await part(x)) : await part(x);
  }
  return x;
}

/** x twice for each of its numbers: that number a little more, and a little less. */
function nudged({ data, shape }: Tensor): Tensor {
  const size = data.length, all = new Float32Array(2 * size * size);
  for (let i = 0; i < size; i++) {
    for (const [j, sign] of [[0, 1], [1, -1]]) {
      const at = (2 * i + j) * size;
      all.set(data, at);
      all[at + i] += sign * NUDGE;
    }
  }
  return { data: all, shape: [2 * size, ...shape.slice(1)] };
}

/** A layer's output for x [1,T,C], and its Jacobian: row i has what each output gains by number i of x. */
async function jacobianOf(place: Place, layer: number, x: Tensor): Promise<{ output: Tensor; jacobian: Float64Array[] }> {
  const size = x.data.length;
  const { data } = await throughBlock(layer, place, nudged(x));
  const item = (i: number) => data.subarray(i * size, (i + 1) * size);
  const jacobian = Array.from({ length: size }, (_, i) =>
    Float64Array.from({ length: size }, (__, j) => (item(2 * i)[j] - item(2 * i + 1)[j]) / (2 * NUDGE)));
  return { output: await throughBlock(layer, place, x), jacobian };
}

/**
 * The gradient of u · h_L, u being a random direction, by the input of each layer and by the last output: backpropagation, one Jacobian
 * after the other.
 * @param x [1,T,C]
 * @returns L + 1 gradients of T * C numbers
 */
export async function gradientsOf(place: Place, x: Tensor, layers: number, signal: AbortSignal): Promise<Float64Array[]> {
  const jacobians: Float64Array[][] = [];
  for (let layer = 0; layer < layers; layer++) {
    const { output, jacobian } = await jacobianOf(place, layer, x);
    signal.throwIfAborted();
    jacobians.push(jacobian);
    x = output;
  }
  const gradients = [Float64Array.from(directionOf(x.data.length))];
  for (const jacobian of jacobians.toReversed()) {
    const [above] = gradients;
    gradients.unshift(Float64Array.from(jacobian, (row) => row.reduce((all, slope, j) => all + slope * above[j], 0)));
  }
  return gradients;
}

export const directionOf = (size: number): Float32Array => normal(size, 7);
export const lengthOf = (vector: ArrayLike<number>): number => Math.hypot(...Array.from(vector));

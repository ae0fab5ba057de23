// What a feed-forward layer of width 1 does to a number: its activation, for all of its weights are 1.
import { createLayer } from 'webformer';

export const ACTIVATIONS = ['relu', 'gelu', 'silu'] as const;
export type Activation = typeof ACTIVATIONS[number];

const ones = (shape: number[]) => ({ data: new Float32Array(shape[0] * shape[1]).fill(1), shape });

export async function activated(activation: Activation, x: Float32Array): Promise<Float32Array> {
  const weights = new Map([['linear1.weight', ones([1, 1])], ['linear2.weight', ones([1, 1])]]);
  const layer = await createLayer('feedForward', { d_model: 1, dim_feedforward: 1, activation, bias: false }, weights);
  const { output } = await layer.forward({ input: { data: x, shape: [x.length, 1] } });
  layer.dispose();
  return output.data;
}

/** act(x) * up, as SwiGLU and GeGLU have it: one linear makes x, the gate, another what is let through. */
export async function gated(activation: Activation, x: Float32Array, up: number): Promise<Float32Array> {
  const of = (...data: number[]) => ({ data: Float32Array.from(data), shape: [1, 2] });
  const weights = new Map([
    ['gate_proj.weight', of(1, 0)], ['up_proj.weight', of(0, 1)], ['down_proj.weight', { data: Float32Array.of(1, 0), shape: [2, 1] }],
  ]);
  const layer = await createLayer('feedForward', { d_model: 2, dim_feedforward: 1, activation, bias: false, gated: true }, weights);
  const pairs = Float32Array.from([...x].flatMap((gate) => [gate, up]));
  const { output } = await layer.forward({ input: { data: pairs, shape: [x.length, 2] } });
  layer.dispose();
  return output.data.filter((_, i) => i % 2 === 0);
}

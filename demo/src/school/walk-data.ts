// One sentence through the translation model, with all that it makes on the way.
import { type Model, type ModelOutput, type Tensor } from 'webformer';
import { allItems, openModel } from '../models';
import { meanOfHeads } from './heads';

export const MAX_TOKENS = 14;
const MAX_WRITTEN = 16;
const TOP = 6;

/** What can be looked at of a token in a layer; 'output' is the layer's own. */
export const PARTS = ['output', 'query', 'key', 'value', 'context', 'attention', 'activation', 'ffn'] as const;
export type PartName = typeof PARTS[number];

const TRACED: Record<Exclude<PartName, 'output'>, string> = {
  query: 'self_attention.query', key: 'self_attention.key', value: 'self_attention.value', context: 'self_attention.context',
  attention: 'self_attention.output', activation: 'ffn.activation', ffn: 'ffn.output',
};

export interface Candidate { readonly token: string; readonly id: number; readonly logit: number; readonly probability: number }

export interface Walk {
  readonly text: string;
  readonly ids: readonly number[];
  readonly tokens: readonly string[];
  readonly cut: boolean;
  /** What the decoder reads: the start token, then what it wrote. */
  readonly read: readonly string[];
  /** What it writes at each step, the end token last. */
  readonly written: readonly string[];
  readonly writtenIds: readonly number[];
  readonly translation: string;
  readonly layers: { readonly encoder: number; readonly decoder: number };
  /** The vector of a token after that many layers: 0 is its embedding with the position. Null: there is none. */
  vector(stack: 'encoder' | 'decoder', layer: number, token: number, part: PartName): Float32Array | null;
  /** The likeliest tokens after `step` tokens were written. */
  candidates(step: number): Candidate[];
  /** Where the last layer looks in the source at that step, the mean of its heads. */
  looked(step: number): Float32Array;
}

export const openTranslator = async (): Promise<Model> => openModel(allItems().find(({ id }) => id === 'en-fr')!);

const rowOf = ({ data, shape }: Tensor, row: number): Float32Array => {
  const width = shape.at(-1)!;
  return data.subarray(row * width, (row + 1) * width);
};

export async function walkThrough(model: Model, text: string, signal: AbortSignal): Promise<Walk> {
  const source = model.tokenizer!, target = model.targetTokenizer ?? source;
  const whole = source.encode(text).ids;
  const cut = whole.length > MAX_TOKENS;
  const ids = cut ? [...whole.slice(0, MAX_TOKENS - 1), whole.at(-1)!] : whole;
  const { sequences: [sequence] } = await model.generate({ inputIds: [ids] }, { numBeams: 1, maxNewTokens: MAX_WRITTEN, signal }).result();
  const trace = Object.values(TRACED).flatMap((name) => [`encoder.*.${name}`, `decoder.*.${name}`]);
  const output: ModelOutput = await model.forward(
    { inputIds: [ids], decoderInputIds: [sequence.slice(0, -1)] }, { attentions: true, hiddenStates: true, trace, signal });
  const spelled = (tokenizer: typeof source, id: number) => tokenizer.tokenOf(id) ?? `#${id}`;
  const looks = meanOfHeads(output.crossAttentions!.at(-1)!);
  const logitsAt = (step: number) => rowOf(output.logits!, step);
  return {
    text, ids, cut, tokens: ids.map((id) => spelled(source, id)),
    read: sequence.slice(0, -1).map((id) => spelled(target, id)), written: sequence.slice(1).map((id) => spelled(target, id)),
    writtenIds: sequence.slice(1), translation: target.decode(sequence),
    layers: { encoder: output.encoderHiddenStates!.length - 1, decoder: output.decoderHiddenStates!.length - 1 },
    vector(stack, layer, token, part) {
      const states = stack === 'encoder' ? output.encoderHiddenStates! : output.decoderHiddenStates!;
      if (part === 'output') return rowOf(states[layer], token);
      return layer === 0 ? null : rowOf(output.trace![`${stack}.${layer - 1}.${TRACED[part]}`], token);
    },
    candidates(step) {
      const logits = logitsAt(step);
      const most = logits.reduce((all, value) => Math.max(all, value), -Infinity);
      const sum = logits.reduce((all, value) => all + Math.exp(value - most), 0);
      return Array.from(logits.keys()).sort((a, b) => logits[b] - logits[a]).slice(0, TOP)
        .map((id) => ({ id, token: spelled(target, id), logit: logits[id], probability: Math.exp(logits[id] - most) / sum }));
    },
    looked: (step) => looks.subarray(step * ids.length, (step + 1) * ids.length),
  };
}

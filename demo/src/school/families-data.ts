// What each family of Transformers makes of one sentence: its attention, and what comes out.
import { cosineSimilarity } from 'webformer';
import { meanOfHeads } from './heads';
import { openTales } from './position-data';
import { openTranslator } from './walk-data';

export const FAMILIES = ['encoder', 'decoder', 'both'] as const;
export type Family = typeof FAMILIES[number];
const MAX_TOKENS = 10;

export interface Seen { readonly queries: string[]; readonly keys: string[]; readonly weights: Float32Array }
export interface FamilyResult { readonly seen: Seen; readonly lines: readonly { readonly text: string; readonly share: number }[] }

/** The encoder alone: a vector for each token, and which two are most alike. */
async function encoded(text: string, signal: AbortSignal): Promise<FamilyResult> {
  const model = await openTranslator();
  const { ids, tokens } = model.tokenizer!.encode(text);
  const kept = ids.slice(0, MAX_TOKENS), queries = tokens.slice(0, MAX_TOKENS);
  const output = await model.forward(
    { inputIds: [kept], decoderInputIds: [[0]] }, { attentions: true, hiddenStates: true, logits: 'none', signal });
  const { data, shape } = output.encoderHiddenStates!.at(-1)!, width = shape[2];
  const vector = (i: number) => data.subarray(i * width, (i + 1) * width);
  const pairs = kept.flatMap((_, i) => kept.slice(0, i).map((__, j) =>
    ({ text: `${queries[j]} ~ ${queries[i]}`, share: cosineSimilarity(vector(i), vector(j)) })));
  return {
    seen: { queries, keys: queries, weights: meanOfHeads(output.encoderAttentions!.at(-1)!) },
    lines: pairs.sort((a, b) => b.share - a.share).slice(0, 4),
  };
}

/** The decoder alone: what comes next. */
async function continued(text: string, signal: AbortSignal): Promise<FamilyResult> {
  const model = await openTales();
  const { ids, tokens } = model.tokenizer!.encode(text);
  const kept = ids.slice(0, MAX_TOKENS), queries = tokens.slice(0, MAX_TOKENS).map((token) => token.replace(/^Ġ/, '·'));
  const { attentions } = await model.forward({ inputIds: [kept] }, { attentions: true, logits: 'none', signal });
  const run = model.generate(kept, { maxNewTokens: 1, doSample: false, topCandidates: 4, signal });
  let lines: { text: string; share: number }[] = [];
  for await (const { candidates } of run) {
    if (candidates) lines = candidates.map(({ token, probability }) => ({ text: token.replace(/^[Ġ ]/, '·'), share: probability }));
  }
  return { seen: { queries, keys: queries, weights: meanOfHeads(attentions!.at(-1)!) }, lines };
}

/** Both: another text, each token of it with its probability. */
async function translated(text: string, signal: AbortSignal): Promise<FamilyResult> {
  const model = await openTranslator(), { tokenizer } = model;
  const ids = tokenizer!.encode(text).ids.slice(0, MAX_TOKENS);
  const { sequences: [sequence] } = await model.generate({ inputIds: [ids] }, { numBeams: 1, maxNewTokens: MAX_TOKENS, signal }).result();
  const { crossAttentions, logits } = await model.forward(
    { inputIds: [ids], decoderInputIds: [sequence.slice(0, -1)] }, { attentions: true, signal });
  const spelled = (id: number) => tokenizer!.tokenOf(id)!;
  const vocabulary = logits!.shape[2];
  const lines = sequence.slice(1).map((id, step) => {
    const row = logits!.data.subarray(step * vocabulary, (step + 1) * vocabulary);
    return { text: spelled(id), share: 1 / row.reduce((sum, value) => sum + Math.exp(value - row[id]), 0) };
  });
  const seen = { queries: sequence.slice(1).map(spelled), keys: ids.map(spelled), weights: meanOfHeads(crossAttentions!.at(-1)!) };
  return { seen, lines };
}

export const resultOf: Record<Family, (text: string, signal: AbortSignal) => Promise<FamilyResult>> = {
  encoder: encoded, decoder: continued, both: translated,
};

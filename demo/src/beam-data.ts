// What beam search tried, as a tree: each step has the continuations that it kept, the best first.
import type { Tokenizer } from 'webformer';
import { facesOf } from './attention-data';
import { chosenVersion, type Translation } from './translation';

export type Fate = 'goesOn' | 'complete' | 'givenUp';

export interface BeamNode {
  /** Both from 0. */
  step: number;
  rank: number;
  parent: BeamNode | null;
  token: string;
  /** What is written up to and with this token. */
  text: string;
  /** Sum of log-probabilities so far. */
  score: number;
  /** Of this token, after those before. */
  probability: number;
  fate: Fate;
  /** Leads to the translation in use. */
  chosen: boolean;
}

/** One list a step. */
export type BeamTree = readonly (readonly BeamNode[])[];

const sameIds = (a: readonly number[], b: readonly number[]) => a.length === b.length && a.every((id, i) => id === b[i]);

export function treeOf(translation: Translation): BeamTree {
  const { model, beams, versions } = translation;
  const tokenizer: Tokenizer = model.targetTokenizer ?? model.tokenizer!;
  const results = versions.map(({ ids }) => ids);
  const wanted = chosenVersion(translation).ids;
  const faces = facesOf(tokenizer, beams.map(({ id }) => id));
  const hasChild = new Set(beams.map(({ parent }) => parent));
  const steps: BeamNode[][] = [];
  const made: { node: BeamNode; ids: number[] }[] = [];
  for (const [i, { step, parent, id, score }] of beams.entries()) {
    const before = made[parent] as typeof made[number] | undefined;
    const ids = [...before?.ids ?? [], id];
    const isResult = results.some((result) => sameIds(result, ids));
    const list = steps[step] ??= [];
    const node: BeamNode = {
      step, rank: list.length, parent: before?.node ?? null, token: faces[i], text: tokenizer.decode(ids), score,
      probability: Math.exp(score - (before?.node.score ?? 0)),
      fate: hasChild.has(i) ? 'goesOn' : isResult ? 'complete' : 'givenUp', chosen: sameIds(wanted.slice(0, ids.length), ids),
    };
    list.push(node);
    made.push({ node, ids });
  }
  return steps;
}

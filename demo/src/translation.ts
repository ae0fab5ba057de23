// One sentence's translations, and what is to be known of how they came about.
import type { GenerationResult, Model, Tensor } from 'webformer';

export interface BeamStep { step: number; parent: number; id: number; score: number }
/** Weights [T,S] of a target's tokens over the source's: the mean over the heads of the last layer, which follows the meaning most. */
export interface Looks { rows: number; columns: number; weights: Float32Array }
/** `score`: the average log-probability of a token. `ids` without the start token. */
export interface Version { text: string; score: number; ids: readonly number[]; looks: Looks | null }

export interface Translation {
  model: Model;
  source: string;
  /** The text of the version in use. */
  chosen: string;
  versions: readonly Version[];
  beams: readonly BeamStep[];
}

function looksOf(layers: readonly Tensor[] | undefined): Looks | null {
  const last = layers?.at(-1);
  if (!last) return null;
  const [heads, rows, columns] = last.shape;
  const weights = new Float32Array(rows * columns);
  last.data.forEach((weight, i) => { weights[i % weights.length] += weight / heads; });
  return { rows, columns, weights };
}

export function translationOf(model: Model, source: string, result: GenerationResult): Translation {
  const versions = result.texts.map((text, i): Version => ({
    text, score: result.scores?.[i] ?? NaN, ids: result.sequences[i].slice(1), looks: looksOf(result.crossAttentions?.[i]),
  }));
  return { model, source, chosen: versions[0].text, versions, beams: result.beams ?? [] };
}

export const chosenVersion = ({ versions, chosen }: Translation): Version => versions.find(({ text }) => text === chosen) ?? versions[0];

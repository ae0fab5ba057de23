// Principal components of a few vectors, by power iteration.
import { normal } from './random';

const ITERATIONS = 60;

/** The two coordinates of each vector along the directions in which they vary most. */
export function principal(vectors: readonly Float32Array[]): [number, number][] {
  if (vectors.length === 0) return [];
  const width = vectors[0].length;
  const mean = Float64Array.from({ length: width }, (_, j) => vectors.reduce((sum, vector) => sum + vector[j], 0) / vectors.length);
  let rest = vectors.map((vector) => Float64Array.from(vector, (value, j) => value - mean[j]));
  const result = vectors.map((): [number, number] => [0, 0]);
  for (const axis of [0, 1] as const) {
    let direction = Float64Array.from(normal(width, axis + 1));
    for (let i = 0; i < ITERATIONS; i++) {
      const next = new Float64Array(width);
      for (const row of rest) {
        const along = row.reduce((sum, value, j) => sum + value * direction[j], 0);
        row.forEach((value, j) => { next[j] += along * value; });
      }
      const length = Math.hypot(...next) || 1;
      direction = next.map((value) => value / length);
    }
    rest = rest.map((row, i) => {
      const along = row.reduce((sum, value, j) => sum + value * direction[j], 0);
      result[i][axis] = along;
      return row.map((value, j) => value - along * direction[j]);
    });
  }
  return result;
}

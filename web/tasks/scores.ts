// Logits to probabilities.

/** Of the values of a row. */
export function softmax(logits: ArrayLike<number>): Float64Array {
  let most = -Infinity;
  for (let i = 0; i < logits.length; i++) most = Math.max(most, logits[i]!);
  const result = Float64Array.from(logits, (logit) => Math.exp(logit - most));
  const sum = result.reduce((a, b) => a + b, 0);
  return result.map((value) => value / sum);
}

export const sigmoid = (logit: number): number => 1 / (1 + Math.exp(-logit));

/** The index of the greatest, the first of equals. */
export function argmax(values: ArrayLike<number>): number {
  let best = 0;
  for (let i = 1; i < values.length; i++) if (values[i]! > values[best]!) best = i;
  return best;
}

/** The greatest first, equals in their order. */
export const ranked = <T extends { score: number }>(items: readonly T[], count = items.length): T[] =>
  [...items].sort((a, b) => b.score - a.score).slice(0, count);

/** Indices of the `count` greatest values, the greatest first, equals by their order. */
export function topIndices(values: ArrayLike<number>, count: number): number[] {
  const top: number[] = [];
  for (let i = 0; i < values.length; i++) {
    if (top.length === count && !(values[i]! > values[top[count - 1]!]!)) continue;
    let at = top.length;
    while (at > 0 && values[top[at - 1]!]! < values[i]!) at--;
    top.splice(at, 0, i);
    if (top.length > count) top.pop();
  }
  return top;
}

// The figures of the cards.

/** The share of places at which two lists of lists agree. */
export function accuracy(found, right) {
  const hits = right.flatMap((row, i) => row.map((label, j) => label === found[i][j]));
  return hits.filter(Boolean).length / hits.length;
}

/**
 * The spans of BIO tags as conlleval and seqeval have them: a B- begins one, and so does an I- of another type than the tag before.
 * @returns {string[]} 'type start end' each, the end one past the last
 */
export function spansOf(tags) {
  const spans = [];
  let start = 0, type;
  for (const [i, tag] of [...tags, 'O'].entries()) {
    const next = tag === 'O' ? undefined : tag.slice(2);
    if (type !== undefined && (tag.startsWith('B-') || next !== type)) spans.push(`${type} ${start} ${i}`);
    if (next !== undefined && (tag.startsWith('B-') || next !== type)) start = i;
    type = next;
  }
  return spans;
}

const f1Of = (hits, found, right) => ({ precision: hits / found, recall: hits / right, f1: (2 * hits) / (found + right) });

/** Precision, recall and F1 of spans, over all sentences (micro). */
export function spanF1(found, right) {
  let hits = 0, foundCount = 0, rightCount = 0;
  for (const [i, tags] of right.entries()) {
    const expected = new Set(spansOf(tags)), spans = spansOf(found[i]);
    hits += spans.filter((span) => expected.has(span)).length;
    foundCount += spans.length;
    rightCount += expected.size;
  }
  return f1Of(hits, foundCount, rightCount);
}

/** Precision, recall and F1 of one label. */
export function labelF1(found, right, label) {
  const count = (of) => of.filter(Boolean).length;
  return f1Of(count(right.map((one, i) => one === label && found[i] === label)), count(found.map((one) => one === label)),
    count(right.map((one) => one === label)));
}

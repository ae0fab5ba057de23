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

/** Words as the tokenizer `13a` of mteval and sacrebleu has them. */
function wordsOf(text) {
  return ` ${text.replaceAll('<skipped>', '').replaceAll('-\n', '').replaceAll('\n', ' ').replaceAll('&quot;', '"').replaceAll('&amp;', '&')
    .replaceAll('&lt;', '<').replaceAll('&gt;', '>')} `
    .replace(/([{-~[-` -&(-+:-@/])/g, ' $1 ').replace(/([^0-9])([.,])/g, '$1 $2 ').replace(/([.,])([^0-9])/g, ' $1 $2')
    .replace(/([0-9])(-)/g, '$1 $2 ').split(/\s+/).filter(Boolean);
}

function countsOf(words, length) {
  const counts = new Map();
  for (let i = 0; i + length <= words.length; i++) {
    const gram = words.slice(i, i + length).join(' ');
    counts.set(gram, (counts.get(gram) ?? 0) + 1);
  }
  return counts;
}

/**
 * BLEU of a corpus (Papineni et al. 2002) as sacrebleu counts it by default: 13a words, up to four of them, exponential smoothing, the
 * length of the nearest reference.
 * @param {string[]} found
 * @param {string[][]} references those of each text
 */
export function bleu(found, references) {
  const hits = [0, 0, 0, 0], totals = [0, 0, 0, 0];
  let foundLength = 0, referenceLength = 0;
  for (const [i, text] of found.entries()) {
    const words = wordsOf(text), others = references[i].map(wordsOf);
    foundLength += words.length;
    const distance = (length) => Math.abs(length - words.length);
    const nearest = (a, b) => (distance(b) < distance(a) || (distance(b) === distance(a) && b < a) ? b : a);
    referenceLength += others.map(({ length }) => length).reduce(nearest);
    for (let n = 0; n < 4; n++) {
      const allowed = others.map((other) => countsOf(other, n + 1));
      for (const [gram, count] of countsOf(words, n + 1)) {
        hits[n] += Math.min(count, Math.max(...allowed.map((counts) => counts.get(gram) ?? 0)));
        totals[n] += count;
      }
    }
  }
  if (hits[0] === 0 || totals[3] === 0) return 0;
  let smooth = 1;
  const precisions = hits.map((hit, n) => (hit > 0 ? hit / totals[n] : 1 / ((smooth *= 2) * totals[n])));
  const brevity = foundLength < referenceLength ? Math.exp(1 - referenceLength / foundLength) : 1;
  return 100 * brevity * Math.exp(precisions.reduce((sum, precision) => sum + Math.log(precision), 0) / 4);
}

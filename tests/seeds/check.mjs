// Assertions of the programs in this folder, which run in node and in browsers.

export function ok(value, message = 'not so') {
  if (!value) throw new Error(message);
}

const shown = (value) => JSON.stringify(value, (_, part) => (ArrayBuffer.isView(part) ? Array.from(part) : part));

/** The same value, or the same list or object of them. */
export function equal(got, want, name = 'value') {
  const [a, b] = [got, want].map(shown);
  ok(a === b, `${name}: ${a} found, ${b} expected`);
}

export const shaped = (tensor, ...shape) => equal(tensor.shape, shape, 'shape');

/**
 * Numbers that differ by no more than float32's rounding in a few sums: 1e-5 of the largest one, or of 1.
 * @param got a tensor, or a list of numbers
 * @param want the same of it, in float64
 */
export function close(got, want, allowed = 1e-5) {
  if (want.shape) equal(got.shape, want.shape, 'shape');
  const a = got.data ?? got, b = want.data ?? want;
  equal(a.length, b.length, 'count of numbers');
  const bound = allowed * b.reduce((most, x) => Math.max(most, Math.abs(x)), 1);
  for (let i = 0; i < b.length; i++) ok(Math.abs(a[i] - b[i]) <= bound, `[${i}] is ${a[i]}, ${b[i]} +- ${bound} expected`);
}

/** That a promise is rejected with this code. */
export async function rejected(promise, code) {
  const error = await promise.then(() => null, (thrown) => thrown);
  equal(error?.code ?? `no error, or none of this package: ${error}`, code, 'code');
}

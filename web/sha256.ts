// SHA-256 of what comes in pieces (FIPS 180-4). crypto.subtle wants all bytes at once, and is missing on pages without https.

const BLOCK = 64;

/** The first 32 bits behind the point of `root` of each of the first `count` primes. */
function fractions(root: (prime: number) => number, count: number): Int32Array {
  const primes: number[] = [];
  for (let n = 2; primes.length < count; n++) if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  return Int32Array.from(primes, (prime) => (root(prime) % 1) * 2 ** 32);
}

const START = fractions(Math.sqrt, 8);
const ROUNDS = fractions(Math.cbrt, 64);

const rotated = (x: number, by: number): number => (x >>> by) | (x << (32 - by));

export class Sha256 {
  readonly #state = START.slice();
  readonly #words = new Int32Array(64);
  /** The start of a block whose end has not come. */
  readonly #rest = new Uint8Array(BLOCK);
  #length = 0;

  update(bytes: Uint8Array): void {
    let at = 0;
    const filled = this.#length % BLOCK;
    this.#length += bytes.length;
    if (filled > 0) {
      at = Math.min(BLOCK - filled, bytes.length);
      this.#rest.set(bytes.subarray(0, at), filled);
      if (filled + at < BLOCK) return;
      this.#mix(this.#rest, 0);
    }
    for (; at + BLOCK <= bytes.length; at += BLOCK) this.#mix(bytes, at);
    this.#rest.set(bytes.subarray(at));
  }

  /** The sum as 64 hex digits. Ends the sum: nothing may be added after it. */
  hex(): string {
    const length = this.#length;
    const zeros = (2 * BLOCK - 9 - (length % BLOCK)) % BLOCK;
    const end = new Uint8Array(1 + zeros + 8);
    end[0] = 0x80;
    new DataView(end.buffer).setBigUint64(1 + zeros, BigInt(length) * 8n);
    this.update(end);
    return Array.from(this.#state, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
  }

  // Without arrays and destructuring in the loops, which are what a model's hundreds of megabytes pass through.
  #mix(bytes: Uint8Array, at: number): void {
    const w = this.#words, state = this.#state;
    for (let i = 0; i < 16; i++, at += 4) w[i] = (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;
    for (let i = 16; i < 64; i++) {
      const x = w[i - 15]!, y = w[i - 2]!;
      w[i] = w[i - 16]! + w[i - 7]! + (rotated(x, 7) ^ rotated(x, 18) ^ (x >>> 3)) + (rotated(y, 17) ^ rotated(y, 19) ^ (y >>> 10));
    }
    let a = state[0]!, b = state[1]!, c = state[2]!, d = state[3]!, e = state[4]!, f = state[5]!, g = state[6]!, h = state[7]!;
    for (let i = 0; i < 64; i++) {
      const s = (h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + ((e & f) ^ (~e & g)) + ROUNDS[i]! + w[i]!) | 0;
      const t = ((rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + s) | 0;
      d = c;
      c = b;
      b = a;
      a = (s + t) | 0;
    }
    const sums = [a, b, c, d, e, f, g, h];
    for (let i = 0; i < 8; i++) state[i] = state[i]! + sums[i]!;
  }
}

// The files of golden/modules in the folder `shared` beside the repository: PyTorch's numbers for single layers, and its README's bounds.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FOLDER = new URL('../../../shared/golden/modules/', import.meta.url);

/** Why tests of these files are skipped, or false. */
export const missing = existsSync(fileURLToPath(FOLDER)) ? false : 'no folder shared/golden/modules beside the repository';

/** Tensors by name: { data: Float32Array, shape }, whole numbers included. */
function readTensors(bytes) {
  const end = 8 + Number(bytes.readBigUInt64LE(0));
  const { __metadata__, ...header } = JSON.parse(bytes.subarray(8, end).toString());
  return new Map(
    Object.entries(header).map(([name, { dtype, shape, data_offsets: [from, to] }]) => {
      const buffer = Uint8Array.from(bytes.subarray(end + from, end + to)).buffer;
      const data = dtype === 'F32' ? new Float32Array(buffer) : Float32Array.from(new BigInt64Array(buffer), Number);
      return [name, { data, shape }];
    }),
  );
}

export class GoldenModule {
  constructor(name) {
    this.tensors = readTensors(readFileSync(new URL(`${name}.safetensors`, FOLDER)));
    this.about = JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), 'utf8'));
    this.compared = 0;
  }

  /** 'in', 'w' or 'out' of a case; undefined where it has none of that name. */
  of(kind, of_case, name) {
    return this.tensors.get(`${kind}.${of_case}.${name}`);
  }

  /** The weights of a case, by PyTorch's names. */
  weights(of_case) {
    const start = `w.${of_case}.`;
    const own = [...this.tensors].filter(([name]) => name.startsWith(start));
    return new Map(own.map(([name, tensor]) => [name.slice(start.length), tensor]));
  }

  /** |got - want| <= 1e-6 + 1e-5 * max_abs + 8 * float32_error, or equal where these are whole numbers; and the same shape. */
  compare(of_case, name, got) {
    const full = `out.${of_case}.${name}`, want = this.tensors.get(full), { max_abs, float32_error } = this.about.tensors[full];
    assert.deepEqual(got.shape, want.shape, full);
    const allowed = max_abs === undefined ? 0 : 1e-6 + 1e-5 * max_abs + 8 * float32_error;
    const at = got.data.findIndex((x, i) => !(Math.abs(x - want.data[i]) <= allowed));
    assert.equal(at, -1, `${full}[${at}] is ${got.data[at]}, ${want.data[at]} +- ${allowed} expected`);
    this.compared++;
  }
}

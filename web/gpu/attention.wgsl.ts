// The attention kernel as WGSL: softmax(softcap(scale * Q K^T) + biases) V by tiles of keys with an online softmax (FlashAttention-2,
// Dao 2023), so that no [T, S] matrix is stored where nobody asks for it.
import { SCORES, declarations, loads } from './attention-parts.wgsl.js';
import { CHUNK, THREADS, TILE, type ShaderOptions } from './shader-options.js';

/** Groups of four numbers of each row that a tile of queries and one of keys hold at once; those that a tile of values holds. */
const DEPTH = 8, COLUMNS = CHUNK / 4;

const each = (count: number, separator: string, statement: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => statement(i)).join(separator);

/** The same statement for each of a thread's four rows. */
const rows = (statement: (row: number) => string): string => each(4, '\n      ', statement);

/** Products of the tile's queries and keys, four rows by two columns a thread, into `scores`. */
const PRODUCTS = `
      ${rows((r) => `var product_${r} = vec2f();`)}
      for (var part = 0u; 4u * part < params.head_size; part += ${DEPTH}u) {
        for (var i = thread; i < ${TILE * DEPTH}u; i += ${THREADS}u) {
          let place = i % ${DEPTH}u * ${TILE}u + i / ${DEPTH}u;
          tile[place] = load_query(row_first + i / ${DEPTH}u, kv_head, part + i % ${DEPTH}u);
          tile[${TILE * DEPTH}u + place] = load_key(first + i / ${DEPTH}u, kv_head, part + i % ${DEPTH}u);
        }
        workgroupBarrier();
        for (var i = 0u; i < ${DEPTH}u; i++) {
          let key_0 = tile[(${DEPTH}u + i) * ${TILE}u + column];
          let key_1 = tile[(${DEPTH}u + i) * ${TILE}u + column + 16u];
          ${rows((r) => `let query_${r} = tile[i * ${TILE}u + row + ${r}u];`)}
          ${rows((r) => `product_${r} += vec2f(dot(query_${r}, key_0), dot(query_${r}, key_1));`)}
        }
        workgroupBarrier();
      }
      ${rows((r) => `scores[(row + ${r}u) * ${TILE + 1}u + column] = product_${r}.x;`)}
      ${rows((r) => `scores[(row + ${r}u) * ${TILE + 1}u + column + 16u] = product_${r}.y;`)}
      workgroupBarrier();`;

/** The tile's scores become weights relative to the largest score so far; what was summed before is scaled by \`factors\`. */
const ONLINE_SOFTMAX = `
        var part = bitcast<f32>(UNSEEN);
        for (var i = 0u; i < ${TILE}u; i += 4u) {
          let score = score_of(scores[softmax_at + i], t, head, first + softmax_column + i);
          scores[softmax_at + i] = score;
          part = max(part, score);
        }
        partial[thread] = part;
        workgroupBarrier();
        let before = most;
        most = max(most, max(max(partial[mates], partial[mates + 1u]), max(partial[mates + 2u], partial[mates + 3u])));
        let factor = select(exp(before - most), 1.0, bitcast<u32>(before) == UNSEEN);
        factors[thread / 4u] = factor;
        part = 0.0;
        for (var i = 0u; i < ${TILE}u; i += 4u) {
          let weight = weight_of(scores[softmax_at + i], most);
          scores[softmax_at + i] = weight;
          part += weight;
        }
        workgroupBarrier();
        partial[thread] = part;
        workgroupBarrier();
        total = total * factor + (partial[mates] + partial[mates + 1u]) + (partial[mates + 2u] + partial[mates + 3u]);`;

/** sums = sums * factors + weights V, four rows by four numbers of each chunk a thread. */
const weighValues = (chunks: number): string => each(chunks, '\n', (j) => `
        for (var i = thread; i < ${TILE * COLUMNS}u; i += ${THREADS}u) {
          tile[i] = load_value(first + i / ${COLUMNS}u, kv_head, ${j * COLUMNS}u + i % ${COLUMNS}u);
        }
        workgroupBarrier();
        ${rows((r) => `sum_${j}_${r} *= factors[row + ${r}u];`)}
        for (var s = 0u; s < ${TILE}u; s++) {
          let value = tile[s * ${COLUMNS}u + column];
          ${rows((r) => `sum_${j}_${r} += scores[(row + ${r}u) * ${TILE + 1}u + s] * value;`)}
        }
        workgroupBarrier();`);

const WRITE_WEIGHTS = `
        for (var i = 0u; i < ${TILE}u; i += 4u) {
          let s = first + softmax_column + i;
          write_weight(t, head, s, share(vec4f(weight_of(score_of(scores[softmax_at + i], t, head, s), most)), total).x);
        }
        workgroupBarrier();`;

/**
 * A workgroup has TILE rows of one key-value head. Query heads that share keys share their loads too: with G = H / K heads a group, row r
 * is head r % G of the group at query r / G. Where the weights are wanted, a second turn has all keys once more, with the sums then known.
 */
export const attentionShader = (options: ShaderOptions): string => `
${declarations(options)}
${loads(options)}
${SCORES}

var<workgroup> tile: array<vec4f, ${TILE * COLUMNS}>;
var<workgroup> scores: array<f32, ${TILE * (TILE + 1)}>; // [TILE, TILE], rows one number apart, so that columns lie in different banks
var<workgroup> partial: array<f32, ${THREADS}>;
var<workgroup> factors: array<f32, ${TILE}>;

@compute @workgroup_size(${THREADS})
fn attention(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) thread: u32) {
  let group = params.heads / params.kv_heads;
  let row_first = workgroup.x * ${TILE}u;
  let row_last = min(row_first + ${TILE - 1}u, params.query_count * group - 1u);
  let kv_head = workgroup.y;

  // The keys that some row of the tile sees: from \`begin\`, a whole number of tiles, to \`end\`.
  let nearest = params.offset + i32(row_first / group);
  let farthest = params.offset + i32(row_last / group);
  var begin = 0u;
  var end = params.key_count;
  if (params.window > 0) {
    begin = u32(max(nearest - params.window + 1, 0)) / ${TILE}u * ${TILE}u;
    end = u32(clamp(farthest + params.window, 0, i32(end)));
  }
  if (params.causal != 0u) { end = u32(clamp(farthest + 1, 0, i32(end))); }

  // In products a thread has four rows from \`row\` and a column; in the softmax it is one of four in a row.
  let row = thread / 16u * 4u;
  let column = thread % 16u;
  let softmax_column = thread % 4u;
  let softmax_at = thread / 4u * ${TILE + 1}u + softmax_column;
  let mates = thread / 4u * 4u;
  let t = (row_first + thread / 4u) / group;
  let head = kv_head * group + (row_first + thread / 4u) % group;

  var most = bitcast<f32>(UNSEEN);
  var total = 0.0;
  ${each(options.chunks, '\n  ', (j) => rows((r) => `var sum_${j}_${r} = vec4f();`))}

  for (var turn = 0u; turn <= params.weights; turn++) {
    if (turn == 1u) {
      begin = 0u;
      end = params.key_count;
    }
    for (var first = begin; first < end; first += ${TILE}u) {
      ${PRODUCTS}
      if (turn == 0u) {
        ${ONLINE_SOFTMAX}
        ${weighValues(options.chunks)}
      } else {
        ${WRITE_WEIGHTS}
      }
    }
  }

  factors[thread / 4u] = total;
  workgroupBarrier();
  ${rows((r) => each(options.chunks, '\n  ', (j) =>
    `write_output(row_first + row + ${r}u, kv_head, ${j * COLUMNS}u + column, sum_${j}_${r}, factors[row + ${r}u]);`))}
  if (broken) { atomicOr(&status, 1u); }
}
`;

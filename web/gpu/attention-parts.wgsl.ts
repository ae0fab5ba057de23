// Parts of the attention shader: its arguments, how they are loaded, and what is done to a score.
import { BINDINGS, PARAMS, type Binding, type ShaderOptions } from './shader-options.js';

export function declarations({ storage, aligned }: ShaderOptions): string {
  const numbers = aligned ? 'array<vec4f>' : 'array<f32>';
  const halves = aligned ? 'array<vec2u>' : 'array<u32>';
  const memory = storage === 'f16' ? halves : numbers;
  const types: Record<Binding, string> = {
    query: `read> query: ${numbers}`,
    keys: `read> keys: ${memory}`,
    values: `read> values: ${memory}`,
    results: 'read_write> results: array<f32>',
    status: 'read_write> status: atomic<u32>',
    mask: 'read> mask: array<u32>',
    bias: 'read> bias: array<f32>',
    tables: 'read> tables: array<f32>',
  };
  const fields = Object.entries(PARAMS).map(([name, type]) => `  ${name}: ${type},`);
  const buffers = BINDINGS.map((name, i) => `@group(0) @binding(${i + 1}) var<storage, ${types[name]};`);
  return ['struct Params {', ...fields, '}', '@group(0) @binding(0) var<uniform> params: Params;', ...buffers].join('\n');
}

/** Four numbers of a row by the number of their group; zeros beyond the head. */
function loader(name: string, stride: string, storage: 'f32' | 'f16', aligned: boolean): string {
  const whole = storage === 'f16'
    ? `let pair = ${name}[at / 4u];\n  return vec4f(unpack2x16float(pair.x), unpack2x16float(pair.y));`
    : `return ${name}[at / 4u];`;
  const number = storage === 'f16' ? `unpack2x16float(${name}[(at + i) / 2u])[(at + i) % 2u]` : `${name}[at + i]`;
  const single = `var four = vec4f();
  for (var i = 0u; i < min(params.head_size - 4u * part, 4u); i++) { four[i] = ${number}; }
  return four;`;
  return `
fn ${name}_at(row: u32, head: u32, part: u32) -> vec4f {
  if (4u * part >= params.head_size) { return vec4f(); }
  let at = row * params.${stride} + head * params.head_size + 4u * part;
  ${aligned ? whole : single}
}`;
}

/** Loads give zeros beyond the rows as well. */
export const loads = ({ storage, aligned }: ShaderOptions): string => `
${loader('query', 'query_stride', 'f32', aligned)}
${loader('keys', 'key_stride', storage, aligned)}
${loader('values', 'key_stride', storage, aligned)}

fn load_query(row: u32, kv_head: u32, part: u32) -> vec4f {
  let group = params.heads / params.kv_heads;
  if (row >= params.query_count * group) { return vec4f(); }
  return query_at(row / group, kv_head * group + row % group, part);
}
fn load_key(s: u32, kv_head: u32, part: u32) -> vec4f {
  if (s >= params.key_count) { return vec4f(); }
  return keys_at(s, kv_head, part);
}
fn load_value(s: u32, kv_head: u32, part: u32) -> vec4f {
  if (s >= params.key_count) { return vec4f(); }
  return values_at(s, kv_head, part);
}`;

/** From a product of query and key to a score, and from a score to a weight. */
export const SCORES = `
/// The score of what a row does not see: the bits of the lowest number.
const UNSEEN = 0xff7fffffu;

/// Not a number, or infinite: this thread has met one.
var<private> broken = false;

// By bits, since a compiler may take it that no number is NaN or infinite.
fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }
fn is_finite(x: vec4f) -> vec4<bool> { return (bitcast<vec4u>(x) & vec4u(0x7f800000u)) != vec4u(0x7f800000u); }

// WGSL's own tanh may be off by 1e-5, and overflow. Near zero: its series.
fn tangent(x: f32) -> f32 {
  let square = x * x;
  let near = x * (1.0 + square * (-0.33333333 + square * (0.13333333 + square * (-0.05396825 + square * 0.02186949))));
  return select(sign(x) * (1.0 - 2.0 / (exp(2.0 * min(abs(x), 20.0)) + 1.0)), near, abs(x) < 0.25);
}

fn sees(t: u32, s: u32) -> bool {
  if (t >= params.query_count || s >= params.key_count) { return false; }
  let distance = i32(s) - (params.offset + i32(t));
  if (params.causal != 0u && distance > 0) { return false; }
  if (params.window > 0 && abs(distance) >= params.window) { return false; }
  if (params.mask == 0u) { return true; }
  let place = t * params.key_count + s;
  return ((mask[place / 4u] >> (place % 4u * 8u)) & 0xffu) != 0u;
}

fn score_of(product: f32, t: u32, head: u32, s: u32) -> f32 {
  if (!sees(t, s)) { return bitcast<f32>(UNSEEN); }
  let distance = i32(s) - (params.offset + i32(t));
  var score = product * params.scale;
  broken = broken || is_nan(score);
  if (params.softcap > 0.0) { score = params.softcap * tangent(score / params.softcap); }
  if (params.alibi != 0u) { score += tables[head] * f32(distance); }
  if (params.relative_count > 0u) {
    score += tables[params.relative_start + head * params.relative_count + u32(distance + params.relative_origin)];
  }
  if (params.bias_heads > 0u) {
    let bias_head = select(head, 0u, params.bias_heads == 1u);
    score += bias[(bias_head * params.query_count + t) * params.key_count + s];
  }
  broken = broken || is_nan(score);
  // A bias of minus infinity hides as well.
  return select(score, bitcast<f32>(UNSEEN), bitcast<u32>(score) == 0xff800000u);
}

fn weight_of(score: f32, most: f32) -> f32 { return select(exp(score - most), 0.0, bitcast<u32>(score) == UNSEEN); }

/// x / total, or zero for a row that sees nothing.
fn share(x: vec4f, total: f32) -> vec4f { return select(x / total, vec4f(), bitcast<u32>(total) == 0u); }

fn write_output(row: u32, kv_head: u32, part: u32, sum: vec4f, total: f32) {
  let group = params.heads / params.kv_heads;
  if (row >= params.query_count * group || 4u * part >= params.head_size) { return; }
  let four = share(sum, total);
  broken = broken || !all(is_finite(four));
  let at = (row / group * params.heads + kv_head * group + row % group) * params.head_size + 4u * part;
  for (var i = 0u; i < min(params.head_size - 4u * part, 4u); i++) { results[at + i] = four[i]; }
}

fn write_weight(t: u32, head: u32, s: u32, weight: f32) {
  if (t >= params.query_count || s >= params.key_count) { return; }
  let start = params.query_count * params.heads * params.head_size;
  results[start + (head * params.query_count + t) * params.key_count + s] = weight;
}`;

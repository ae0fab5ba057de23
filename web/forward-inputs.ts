// The inputs of a forward pass as callers give them, checked, as WebAssembly takes them.
import { invalidArgument } from './errors.js';
import type { WasmForwardOptions, WasmInputs } from './module.js';
import { checkBoolean, checkOptions, describe } from './options.js';
import type { ForwardInputs, ForwardOptions, Ids, ModelInfo, Tensor } from './types.js';
import { isSingle, toFloat32, toIdMatrix, toInt32, type IdMatrix } from './values.js';

const INPUTS = [
  'inputIds',
  'inputsEmbeds',
  'attentionMask',
  'tokenTypeIds',
  'positionIds',
  'decoderInputIds',
  'decoderAttentionMask',
  'labels',
  'nextSentenceLabel',
  'startPositions',
  'endPositions',
] as const satisfies readonly (keyof ForwardInputs)[];
const OPTIONS = ['attentions', 'hiddenStates', 'logits', 'trace', 'signal'] as const satisfies readonly (keyof ForwardOptions)[];
const LEAST_LABEL = -100;

/** One label a row becomes a column. */
function labelMatrix(labels: readonly Ids[] | Ids): IdMatrix {
  if (!isSingle(labels)) return toIdMatrix('labels', labels, LEAST_LABEL);
  const data = toInt32('labels', labels, LEAST_LABEL);
  return { rows: data.length, cols: 1, data };
}

/** Scores to be met, of regression or of several labels at once, are not whole numbers. */
function isFractional(labels: readonly Ids[] | Ids): boolean {
  const numbers = isSingle(labels) ? [labels] : labels;
  return (
    Array.isArray(numbers) &&
    numbers.some(
      (row) => Array.isArray(row) && row.some((value) => typeof value === 'number' && Number.isFinite(value) && !Number.isInteger(value)),
    )
  );
}

function labelsOf(labels: ForwardInputs['labels']): Pick<WasmInputs, 'labels' | 'float_labels'> {
  if (labels === undefined) return {};
  if (!Array.isArray(labels) && !(labels instanceof Int32Array))
    throw invalidArgument(`labels: ${describe(labels)} found, a list expected`);
  if (!isFractional(labels)) return { labels: labelMatrix(labels) };
  const rows = isSingle(labels) ? [labels] : labels;
  const floats = rows.map((row, i) => toFloat32(isSingle(labels) ? 'labels' : `labels[${i}]`, row));
  return { float_labels: Float32Array.from(floats.flatMap((row) => [...row])) };
}

/** Only encoders, and what config.json says so of, have embeddings for token types. */
function checkTokenTypes({ kind, modelType, config }: ModelInfo, types: ForwardInputs['tokenTypeIds']): void {
  if (types === undefined || kind === 'encoder' || config['type_vocab_size']) return;
  throw invalidArgument(`tokenTypeIds: ${modelType} has no token types; leave them out`, { option: 'tokenTypeIds' });
}

/** Ids of which each row has one at least. */
function toTokens(name: string, ids: readonly Ids[] | undefined): IdMatrix | undefined {
  if (ids === undefined) return undefined;
  const matrix = toIdMatrix(name, ids);
  if (matrix.rows === 0) throw invalidArgument(`${name}: a list without rows found, at least 1 expected`);
  if (matrix.cols === 0) throw invalidArgument(`${name}[0]: no ids found, at least 1 expected`, { index: 0 });
  return matrix;
}

export function toWasmInputs(inputs: ForwardInputs, info: ModelInfo): WasmInputs {
  if (typeof inputs !== 'object' || inputs === null || Array.isArray(inputs))
    throw invalidArgument(`inputs: ${describe(inputs)} found, { inputIds, … } expected`);
  checkOptions('forward', inputs, INPUTS);
  if (inputs.inputsEmbeds !== undefined) throw invalidArgument('inputsEmbeds: not supported; give inputIds');
  const matrix = (name: keyof ForwardInputs): IdMatrix | undefined =>
    inputs[name] === undefined ? undefined : toIdMatrix(name, inputs[name]);
  const list = (name: keyof ForwardInputs, least = 0): Int32Array | undefined =>
    inputs[name] === undefined ? undefined : toInt32(name, inputs[name], least);
  checkTokenTypes(info, inputs.tokenTypeIds);
  return {
    input_ids: toTokens('inputIds', inputs.inputIds),
    attention_mask: matrix('attentionMask'),
    token_type_ids: matrix('tokenTypeIds'),
    position_ids: matrix('positionIds'),
    decoder_input_ids: toTokens('decoderInputIds', inputs.decoderInputIds),
    decoder_attention_mask: matrix('decoderAttentionMask'),
    ...labelsOf(inputs.labels),
    next_sentence_label: list('nextSentenceLabel', LEAST_LABEL),
    start_positions: list('startPositions', LEAST_LABEL),
    end_positions: list('endPositions', LEAST_LABEL),
  };
}

function logitsOf(logits: ForwardOptions['logits']): WasmForwardOptions['logits'] {
  if (logits === undefined) return 'all';
  if (logits === 'all' || logits === 'last' || logits === 'none') return logits;
  if (typeof logits === 'string' || !Array.isArray(logits)) {
    throw invalidArgument(`logits: ${describe(logits)} found, 'all', 'last', 'none' or a list of positions expected`, {
      option: 'logits',
    });
  }
  return Array.from(toInt32('logits', logits));
}

export function toWasmOptions(options: ForwardOptions): WasmForwardOptions {
  checkOptions('forward', options, OPTIONS);
  checkBoolean('attentions', options.attentions);
  checkBoolean('hiddenStates', options.hiddenStates);
  const { trace = [] } = options;
  if (!Array.isArray(trace) || !trace.every((name) => typeof name === 'string'))
    throw invalidArgument(`trace: ${describe(trace)} found, a list of names expected`);
  return {
    attentions: options.attentions ?? false,
    hidden_states: options.hiddenStates ?? false,
    logits: logitsOf(options.logits),
    trace: [...trace],
  };
}

/** The tokens of each row that its mask lets be seen: what generation goes on from. */
export function toPrompts(inputs: ForwardInputs): { ids: Int32Array[]; decoderIds: Int32Array[] } {
  checkOptions('generate', inputs, ['inputIds', 'attentionMask', 'decoderInputIds', 'decoderAttentionMask']);
  if (inputs.inputIds === undefined) throw invalidArgument('inputIds: missing');
  if (inputs.decoderAttentionMask && !inputs.decoderInputIds) throw invalidArgument('decoderAttentionMask: decoderInputIds are missing');
  return {
    ids: unmasked('inputIds', inputs.inputIds, 'attentionMask', inputs.attentionMask),
    decoderIds: inputs.decoderInputIds
      ? unmasked('decoderInputIds', inputs.decoderInputIds, 'decoderAttentionMask', inputs.decoderAttentionMask)
      : [],
  };
}

function unmasked(name: string, lists: readonly Ids[], maskName: string, masks: readonly Ids[] | undefined): Int32Array[] {
  if (!Array.isArray(lists)) throw invalidArgument(`${name}: ${describe(lists)} found, a list of rows of ids expected`);
  const rows = lists.map((list, i) => toInt32(`${name}[${i}]`, list));
  if (masks === undefined) return rows;
  if (!Array.isArray(masks) || masks.length !== rows.length)
    throw invalidArgument(`${maskName}: ${masks.length} rows found, ${rows.length} expected as in ${name}`);
  return rows.map((row, i) => {
    const mask = toInt32(`${maskName}[${i}]`, masks[i]);
    if (mask.length !== row.length)
      throw invalidArgument(`${maskName}[${i}]: ${mask.length} numbers found, ${row.length} expected as in ${name}`);
    return row.filter((_, t) => mask[t] !== 0);
  });
}

/** A name without wildcards that nothing in the pass has is a mistake, and so are names that together match nothing. */
export function checkTraced(asked: readonly string[] = [], found: Readonly<Record<string, Tensor>> = {}): void {
  const missing = asked.find((name) => !/[*{]/.test(name) && !(name in found)) ?? (Object.keys(found).length === 0 ? asked[0] : undefined);
  if (missing !== undefined) throw invalidArgument(`trace: nothing in this pass is named '${missing}'`, { name: missing });
}

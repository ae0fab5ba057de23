// Rows of training data on their way to the engine, which reads them.
import { invalidArgument, throwIfAborted } from '../errors.js';
import { toWasmInputs } from '../forward-inputs.js';
import type { WasmInputs } from '../module.js';
import { describe } from '../options.js';
import type { ForwardInputs, ModelInfo, TrainingData } from '../types.js';
import { toJson } from '../values.js';

/** So many rows go at once: what a list has in a few milliseconds, and what a stream is asked for. */
const PORTION = 64;

/** Rows as JSON, or as inputs where each is a batch. */
export type Portion = { rows: string; first: number } | { batches: WasmInputs[] };

function toInputs(row: unknown, name: string, info: ModelInfo): WasmInputs {
  if (typeof row !== 'object' || row === null || Array.isArray(row))
    throw invalidArgument(`${name}: ${describe(row)} found, { inputIds, labels, … } expected`);
  return toWasmInputs(row as ForwardInputs, info);
}

/** A bigint, which JSON has no word for, and what it leaves out, are refused as null. */
const plain = (row: unknown): unknown => (typeof row === 'bigint' || row === undefined ? null : row);

function portionOf(data: TrainingData, rows: readonly unknown[], first: number, name: string, info: ModelInfo): Portion {
  if (data.task === 'batches') return { batches: rows.map((row, i) => toInputs(row, `${name}[${first + i}]`, info)) };
  try {
    return { rows: toJson(rows.map(plain)), first };
  } catch (error) {
    throw invalidArgument(`${name}: rows ${first} to ${first + rows.length - 1} cannot be written as JSON (${(error as Error).message})`);
  }
}

/** All rows of a list, or those of a stream as they are asked for, one by one. `name`: of the rows, for errors. */
export async function* portionsOf(
  data: TrainingData, name: string, info: ModelInfo, signal: AbortSignal,
): AsyncGenerator<Portion, void, undefined> {
  const rows = data.rows as readonly unknown[] | AsyncIterable<unknown>;
  if (Array.isArray(rows)) {
    for (let i = 0; i < rows.length; i += PORTION) yield portionOf(data, rows.slice(i, i + PORTION), i, name, info);
    return;
  }
  let index = 0;
  for await (const row of rows as AsyncIterable<unknown>) {
    throwIfAborted(signal);
    yield portionOf(data, [row], index++, name, info);
  }
}

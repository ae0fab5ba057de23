// Loading for commands: the options that all of them have, the progress bar, and the end of a model's life.
import { loadModel, loadTokenizer, type LoadOptions, type Model, type Tokenizer } from '../index.js';
import { UsageError, type OptionSpecs, type Values } from './arguments.js';
import { progressBar } from './progress.js';

export const SOURCE_OPTIONS = {
  header: { kind: 'texts', value: "'NAME: TEXT'", help: 'a header of the requests, for private models; may be given again' },
  json: { kind: 'flag', help: 'write JSON, an object a line' },
} as const satisfies OptionSpecs;

export const MODEL_OPTIONS = {
  dtype: { kind: ['auto', 'f32', 'f16', 'int8', 'int4'], value: 'TYPE', help: 'how weights are kept in memory' },
  'max-length': { kind: 'whole', help: 'the longest sequence in tokens that there is room for' },
  ...SOURCE_OPTIONS,
} as const satisfies OptionSpecs;

function headersOf(lines: readonly string[] = []): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, value] = /^([^:\s]+):\s*(.+)$/.exec(line) ?? [];
      if (!name || !value) throw new UsageError(`--header: '${line}' found, 'NAME: TEXT' expected`);
      return [name, value];
    }),
  );
}

async function withBar<R>(
  signal: AbortSignal,
  header: readonly string[] | undefined,
  load: (options: Pick<LoadOptions, 'signal' | 'headers' | 'onProgress'>) => Promise<R>,
): Promise<R> {
  const bar = progressBar();
  try {
    return await load({ signal, headers: headersOf(header), onProgress: (event) => bar.show(event) });
  } finally {
    bar.end();
  }
}

/** Loads the model for as long as `use` takes. */
export async function withModel<R>(
  source: string,
  values: Values<typeof MODEL_OPTIONS> & Pick<LoadOptions, 'head'>,
  signal: AbortSignal,
  use: (model: Model) => Promise<R>,
): Promise<R> {
  const { dtype, 'max-length': maxLength, header, head } = values;
  const model = await withBar(signal, header, (options) => loadModel(source, { ...options, dtype, maxLength, head }));
  try {
    return await use(model);
  } finally {
    model.dispose();
  }
}

export const openTokenizer = (source: string, { header }: Values<typeof SOURCE_OPTIONS>, signal: AbortSignal): Promise<Tokenizer> =>
  withBar(signal, header, (options) => loadTokenizer(source, options));

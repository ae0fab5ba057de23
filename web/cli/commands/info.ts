// webformer info: what a model is, or what this machine offers.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { capabilities, type Capabilities, type Model } from '../../index.js';
import { defineCommand } from '../arguments.js';
import { MODEL_OPTIONS, withModel } from '../models.js';
import { harmless, writeJson, writeText } from '../output.js';

const shown = (value: unknown): string => {
  if (typeof value === 'number') return value.toLocaleString('en');
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
};

/** A line for each field, and for each item of a list. */
function table(object: object): string {
  const rows = Object.entries(object).filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0));
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  const lines = (name: string, value: unknown): string[] =>
    [value].flat().map((item, i) => `${(i === 0 ? name : '').padEnd(width)}${shown(item)}\n`);
  return rows.flatMap(([name, value]) => lines(name, value)).join('');
}

function describe({ info, tokenizer }: Model): object {
  return { ...info, tokenizer: tokenizer && { kind: tokenizer.kind, vocabSize: tokenizer.vocabSize } };
}

/** config.json is long, and a table for reading does without. */
function forReading(description: object): object {
  const { config: _, ...rest } = description as Record<string, unknown>;
  return rest;
}

/** Drivers of GPUs write to the standard error what they miss, which only a process of its own keeps out of this one's. */
async function quietCapabilities(signal: AbortSignal): Promise<Capabilities> {
  const program = `
    import { capabilities } from ${JSON.stringify(new URL('../index.js', import.meta.url).href)};
    process.stdout.write(JSON.stringify(await capabilities()));`;
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], { signal });
  return run.then(({ stdout }) => JSON.parse(stdout) as Capabilities, () => capabilities());
}

export const info = defineCommand({
  name: 'info',
  summary: 'Describes a model, or without one this machine',
  usage: '[MODEL]',
  least: 0,
  most: 1,
  options: MODEL_OPTIONS,
  examples: ['webformer info models/tales', 'webformer info model.gguf --json | jq .config', 'webformer info'],
  async run([source], values, signal) {
    const found =
      source === undefined ? await quietCapabilities(signal) : await withModel(source, values, signal, async (model) => describe(model));
    await (values.json ? writeJson(found, signal) : writeText(harmless(table(forReading(found))), signal));
  },
});

// The texts of --help, made from what the commands say of themselves.
import type { Command, OptionSpecs } from './arguments.js';

const WIDTH = 80;

/** Words in lines of at most WIDTH columns, each after `indent` spaces. */
function wrap(text: string, indent: number): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1)!;
    if (line !== '' && indent + line.length + 1 + word.length > WIDTH) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.join(`\n${' '.repeat(indent)}`);
}

/** Two columns. A left side that is too long for its own line has the right side below it. */
function table(rows: readonly (readonly [left: string, right: string])[], width: number): string {
  const row = ([left, right]: readonly [string, string]): string => {
    const text = wrap(right, width + 4);
    return `  ${left.length > width ? `${left}\n${' '.repeat(width + 4)}` : left.padEnd(width + 2)}${text}`;
  };
  return rows.map(row).join('\n');
}

function optionRows(specs: OptionSpecs): [string, string][] {
  return Object.entries(specs).map(([name, { kind, short, value, help }]) => {
    const placeholder = kind === 'flag' ? '' : ` ${value ?? (kind === 'whole' || kind === 'number' ? 'N' : 'TEXT')}`;
    const choices = typeof kind === 'string' ? '' : `: ${kind.join(', ')}`;
    return [`${short ? `-${short}, ` : '    '}--${name}${placeholder}`, `${help}${choices}`];
  });
}

export const MODEL_HELP =
  'MODEL is a folder, a file (.gguf, or for a tokenizer alone tokenizer.json or a SentencePiece .model), an address that starts with ' +
  'https:, or hf:org/name[@revision] for a repository of huggingface.co.';

export function commandHelp(command: Command, common: OptionSpecs): string {
  const parts = [`Usage: webformer ${command.name} ${command.usage}`, wrap(`${command.summary}.`, 0)];
  if (command.about) parts.push(wrap(command.about, 0));
  if (/\bMODEL\b/.test(command.usage)) parts.push(wrap(MODEL_HELP, 0));
  parts.push(`Options:\n${table(optionRows({ ...command.options, ...common }), 26)}`);
  parts.push(`Examples:\n${command.examples.map((example) => `  ${example}`).join('\n')}`);
  return `${parts.join('\n\n')}\n`;
}

export function programHelp(commands: readonly Command[]): string {
  return `Usage: webformer COMMAND [ARGUMENT]... [OPTION]...

Transformers on this machine, in WebAssembly.

Commands:
${table(
  commands.map(({ name, summary }) => [name, summary]),
  12,
)}

  webformer COMMAND --help   what a command takes, with examples
  webformer --version        the version of the package

Texts are arguments, or else the lines of the standard input: one line in, one
line out, an empty one for a text that cannot be done. It ends with 0, with 1
after an error, with 2 after a wrong command line, and with 130 where Ctrl-C
ended it.

Examples:
${commands
  .slice(0, 4)
  .map(({ examples }) => `  ${examples[0]}`)
  .join('\n')}
`;
}

#!/usr/bin/env node
// The program `webformer`: finds the command, and turns what happens into messages and exit codes.
import { readFileSync } from 'node:fs';
import { TransformerError } from '../index.js';
import { UsageError, camelCase, checkCount, hint, readArguments, type Command, type OptionSpecs } from './arguments.js';
import { chat } from './commands/chat.js';
import { classify } from './commands/classify.js';
import { embed } from './commands/embed.js';
import { generate } from './commands/generate.js';
import { info } from './commands/info.js';
import { serveCommand } from './commands/serve.js';
import { tokenize } from './commands/tokenize.js';
import { train } from './commands/train.js';
import { translate } from './commands/translate.js';
import { SAMPLING_OPTIONS } from './generating.js';
import { commandHelp, programHelp } from './help.js';
import { harmless } from './output.js';

const COMMANDS: readonly Command[] = [tokenize, translate, generate, chat, embed, classify, train, info, serveCommand];
const COMMON = { help: { kind: 'flag', short: 'h', help: 'this text' } } as const satisfies OptionSpecs;
const FAILED = 1;
const WRONG_USAGE = 2;
/** As shells tell who ended a program: 128 and the number of the signal. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const;

const say = (text: string): void => void process.stderr.write(`${harmless(text)}\n`);

function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

function find(name: string): Command {
  const found = COMMANDS.find((command) => command.name === name);
  if (found) return found;
  if (name.startsWith('-')) throw new UsageError(`'${name}' is no option; ${hint(name, ['--help', '--version'])}`);
  throw new UsageError(`'${name}' is no command; ${hint(name, COMMANDS.map((command) => command.name))}`);
}

/** The options that a message of the library names, as they were typed. What is no option of the command is a setting of the model. */
function inOwnNames({ message, details }: TransformerError, command: Command | undefined, args: readonly string[]): string {
  if (typeof details?.['option'] !== 'string') return message;
  const isTyped = (option: string): boolean => args.some((arg) => arg === `--${option}` || arg.startsWith(`--${option}=`));
  const names = Object.keys(command?.options ?? {}).filter((option) => option in SAMPLING_OPTIONS || isTyped(option));
  return names.reduce((text, option) => {
    const name = camelCase(option);
    if (name !== option) return text.replace(new RegExp(`\\b${name}\\b`, 'g'), `--${option}`);
    return text.startsWith(`${name}:`) ? `--${text}` : text;
  }, message);
}

async function run([name, ...args]: readonly string[], signal: AbortSignal): Promise<number> {
  if (name === undefined) {
    process.stderr.write(programHelp(COMMANDS));
    return WRONG_USAGE;
  }
  if (name === '--help' || name === '-h') process.stdout.write(programHelp(COMMANDS));
  else if (name === '--version') process.stdout.write(`${version()}\n`);
  else {
    const command = find(name);
    const { names, values } = readArguments(command, args, COMMON);
    if (values['help']) process.stdout.write(commandHelp(command, COMMON));
    else {
      checkCount(command, names);
      await command.run(names, values, signal);
    }
  }
  return 0;
}

/** The message of an error, and the program's exit code. */
function report(error: unknown, [name, ...args]: readonly string[], signal: AbortSignal): number {
  if (signal.aborted) return SIGNALS[signal.reason as keyof typeof SIGNALS];
  const command = COMMANDS.find((one) => one.name === name);
  const program = command ? `webformer ${name}` : 'webformer';
  if (error instanceof UsageError) {
    say(`${program}: ${error.message}\nTry '${program} --help'.`);
    return WRONG_USAGE;
  }
  if (error instanceof TransformerError) say(`${program}: ${inOwnNames(error, command, args)} (${error.code})`);
  else say(`${program}: ${error instanceof Error ? error.message : String(error)}`);
  return FAILED;
}

const stop = new AbortController();
// Once each: where the clean way hangs, a second Ctrl-C ends the program at once.
for (const name of Object.keys(SIGNALS)) process.once(name, () => stop.abort(name));
// Who reads the output has had enough (`webformer … | head`).
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

const args = process.argv.slice(2);
process.exitCode = await run(args, stop.signal).catch((error: unknown) => report(error, args, stop.signal));
process.stdin.destroy();

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
import { commandHelp, programHelp } from './help.js';
import { complain, explained } from './output.js';
import { SomeFailed } from './texts.js';

const COMMANDS: readonly Command[] = [tokenize, translate, generate, chat, embed, classify, train, info, serveCommand];
const COMMON = { help: { kind: 'flag', short: 'h', help: 'this text' } } as const satisfies OptionSpecs;
const FAILED = 1;
const WRONG_USAGE = 2;
/** As shells tell who ended a program: 128 and the number of the signal. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const;

function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

const findNamed = (name: string | undefined): Command | undefined => COMMANDS.find((command) => command.name === name);

function find(name: string): Command {
  const found = findNamed(name);
  if (found) return found;
  if (name.startsWith('-')) throw new UsageError(`'${name}' is no option; ${hint(name, ['--help', '--version'])}`);
  throw new UsageError(`'${name}' is no command; ${hint(name, COMMANDS.map((command) => command.name))}`);
}

/** A message of the library with the options as they were typed in the place of the library's own; and whether one of them is wrong. */
function inOwnNames(
  { code, message, details }: TransformerError, command: Command, args: readonly string[],
): [text: string, isUsage: boolean] {
  let text = message.replace(new RegExp(`^(${command.name}|the prompt): `), ''), isUsage = false;
  for (const option of Object.keys(readArguments(command, args, COMMON).values)) {
    const name = command.options[option]?.of ?? camelCase(option), start = new RegExp(`^${name}(?=[:[ ])`);
    if (name === details?.['option'] || start.test(text)) isUsage = code === 'invalid_argument';
    text = text.replace(start, `--${option}`);
    if (name !== option && details?.['option'] !== undefined) text = text.replace(new RegExp(`(?<![\\w-])${name}\\b`, 'g'), `--${option}`);
  }
  return [text, isUsage];
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
function report(error: unknown, [name, ...args]: readonly string[]): number {
  const command = findNamed(name);
  if (error instanceof SomeFailed) return FAILED;
  if (error instanceof UsageError) {
    complain(`${error.message}\nTry '${['webformer', command?.name, '--help'].filter(Boolean).join(' ')}'.`, command?.name);
    return WRONG_USAGE;
  }
  if (error instanceof TransformerError && command) {
    const [text, isUsage] = inOwnNames(error, command, args);
    complain(`${text} (${error.code})`, command.name);
    return isUsage ? WRONG_USAGE : FAILED;
  }
  complain(error instanceof Error ? explained(error) : String(error), command?.name);
  return FAILED;
}

const args = process.argv.slice(2);
const stop = new AbortController();
// Once each: where the clean way hangs, a second Ctrl-C ends the program at once.
for (const name of Object.keys(SIGNALS)) process.once(name, () => stop.abort(name));
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0); // who reads it has had enough (`webformer … | head`)
  complain(`the standard output cannot be written: ${explained(error).replace(/^write: /, '')}`, findNamed(args[0])?.name);
  process.exit(FAILED);
});
process.stderr.on('error', () => undefined); // there is nobody left to tell

const code = await run(args, stop.signal).catch((error: unknown) => (stop.signal.aborted ? FAILED : report(error, args)));
process.exitCode = stop.signal.aborted ? SIGNALS[stop.signal.reason as keyof typeof SIGNALS] : code;
process.stdin.destroy();

#!/usr/bin/env node
// The program `webformer`: finds the command, and turns what happens into messages and exit codes.
import { readFileSync } from 'node:fs';
import { TransformerError } from '../index.js';
import { UsageError, checkCount, readArguments, type Command, type OptionSpecs } from './arguments.js';
import { chat } from './commands/chat.js';
import { classify } from './commands/classify.js';
import { embed } from './commands/embed.js';
import { generate } from './commands/generate.js';
import { info } from './commands/info.js';
import { serveCommand } from './commands/serve.js';
import { tokenize } from './commands/tokenize.js';
import { translate } from './commands/translate.js';
import { commandHelp, programHelp } from './help.js';
import { harmless } from './output.js';

const COMMANDS: readonly Command[] = [tokenize, translate, generate, chat, embed, classify, info, serveCommand];
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
  if (name === 'train') throw new TransformerError('unsupported_model', 'train is not supported yet');
  const kind = name.startsWith('-') ? 'option' : 'command';
  throw new UsageError(`'${name}' is no ${kind}; the commands: ${COMMANDS.map((command) => command.name).join(', ')}`);
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
function report(error: unknown, name: string | undefined, signal: AbortSignal): number {
  if (signal.aborted) return SIGNALS[signal.reason as keyof typeof SIGNALS];
  const program = COMMANDS.some((command) => command.name === name) ? `webformer ${name}` : 'webformer';
  if (error instanceof UsageError) {
    say(`${program}: ${error.message}\nTry '${program} --help'.`);
    return WRONG_USAGE;
  }
  if (error instanceof TransformerError) say(`${program}: ${error.message} (${error.code})`);
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
process.exitCode = await run(args, stop.signal).catch((error: unknown) => report(error, args[0], stop.signal));
process.stdin.destroy();

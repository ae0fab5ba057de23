// The program `webformer` as it is installed: what goes in, what comes out, and how it ends.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { EN_FR, PROGRAM, TALES, fails, manifest, objects, start, succeeds } from './cli-support.mjs';
import { temporaryFolder } from './support.mjs';

const golden = (model) => JSON.parse(readFileSync(`${model}/golden.json`, 'utf8')).cases;
const COMMANDS = ['tokenize', 'translate', 'generate', 'chat', 'embed', 'classify', 'train', 'info', 'serve'];

/** Where the two best logits of each step lie so far apart that rounding decides nothing. */
const firmTales = golden(TALES).filter(({ margins }) => Math.min(...margins) > 0.02);

test('the package installs it as a program', { skip: process.platform === 'win32' }, () => {
  assert.ok(readFileSync(PROGRAM, 'utf8').startsWith('#!/usr/bin/env node\n'));
  assert.ok(statSync(PROGRAM).mode & 0o100);
});

test('help and version go to the standard output, and name each command with examples', async () => {
  assert.equal(await succeeds(['--version']), `${manifest.version}\n`);
  const help = await succeeds(['--help']);
  for (const command of COMMANDS) {
    assert.match(help, new RegExp(`^  ${command} `, 'm'));
    const own = await succeeds([command, '--help']);
    assert.match(own, new RegExp(`^Usage: webformer ${command} `));
    assert.match(own, new RegExp(`Examples:\n  webformer ${command}\\b`));
    for (const line of own.split('\n').filter((text) => !text.startsWith('  webformer'))) assert.ok(line.length <= 80, line);
  }
});

test('translations of lines are lines, those of the reference', async () => {
  const cases = golden(EN_FR).slice(0, 12);
  const input = cases.map(({ text }) => text).join('\n');
  const stdout = await succeeds(['translate', EN_FR, '--num-beams', '4', '--max-new-tokens', '96'], input);
  assert.equal(stdout, cases.map(({ beam }) => `${beam.text}\n`).join(''));
});

test('a blank line is answered by a blank line, and changes no other', async () => {
  const [one, two] = golden(EN_FR);
  const lines = ['', one.text, '   ', '\t', two.text, ''];
  const args = ['translate', EN_FR, '--num-beams', '4', '--max-new-tokens', '96'];
  const stdout = await succeeds(args, lines.map((line) => `${line}\n`).join(''));
  assert.deepEqual(stdout.split('\n'), ['', one.beam.text, '   ', '\t', two.beam.text, '', '']);
  const [blank] = objects(await succeeds(['translate', EN_FR, '--json', ' ']));
  assert.deepEqual([blank.input, blank.text, blank.ids, blank.usage.newTokens], [' ', ' ', [], 0]);
});

test('JSON has ids, the reason of the end, and what it took', async () => {
  const [first, second] = golden(EN_FR).slice(3);
  const args = ['translate', '--json', EN_FR, first.text, second.text, '--num-beams=1', '--max-new-tokens=96'];
  const found = objects(await succeeds(args));
  assert.deepEqual(
    found.map(({ input }) => input),
    [first.text, second.text],
  );
  assert.deepEqual(
    found.map(({ ids }) => ids),
    [first.greedy_ids, second.greedy_ids],
  );
  assert.deepEqual(
    found.map(({ finishReason }) => finishReason),
    ['eos', 'eos'],
  );
  assert.equal(found[0].usage.promptTokens, first.ids.length);
});

test('a tale goes on as the reference does', async () => {
  assert.ok(firmTales.length >= 2);
  for (const { prompt, ids, greedy_ids: expected, greedy_text: text } of firmTales.slice(0, 2)) {
    const args = [TALES, '--greedy', '-n', String(expected.length)];
    assert.equal(await succeeds(['generate', ...args, prompt]), `${text.replaceAll('\n', '\\n')}\n`);
    const [found] = objects(await succeeds(['generate', ...args, '--json'], `${prompt}\n`));
    assert.deepEqual([found.input, found.text, found.ids], [prompt, text, [...ids, ...expected]]);
  }
});

test('an option of sampling samples, and a seed repeats', async () => {
  const draw = (...options) => succeeds(['generate', TALES, 'The fox', '-n', '12', ...options]);
  const greedy = await draw('--greedy');
  assert.equal(await draw('--seed', '5', '--temperature', '1.5'), await draw('--seed', '5', '--temperature', '1.5'));
  assert.notEqual(await draw('--seed', '5', '--temperature', '1.5'), greedy);
  await fails(['generate', TALES, 'x', '--greedy', '--top-k', '3'], 2, /--greedy and --top-k contradict each other/);
});

test('a text of several lines is one line in a pipe, and itself in JSON', async () => {
  const args = ['tokenize', '--decode', TALES, '12 198 12'];
  const [{ text }] = objects(await succeeds([...args, '--json']));
  assert.equal(await succeeds(args), `${text.replaceAll('\n', '\\n')}\n`);
  const lineFeed = objects(await succeeds(['tokenize', '--json', TALES, 'a\nb']))[0];
  const decoded = await succeeds(['tokenize', '--decode', '--no-special-tokens', TALES, lineFeed.ids.join(' ')]);
  assert.equal(decoded, 'a\\nb\n');
});

test('a chat keeps to one conversation, by the template of the model', async (t) => {
  const folder = path.join(temporaryFolder(t), 'talker');
  cpSync(TALES, folder, { recursive: true });
  const template = "<|endoftext|>{% for message in messages %}{{ '\\n' if not loop.first }}{{ message.content }}{% endfor %}";
  writeFileSync(path.join(folder, 'chat_template.jinja'), template);
  const [{ prompt, ids, greedy_ids: expected, greedy_text: text }] = firmTales;
  const args = ['chat', folder, '--greedy', '-n', String(expected.length), '--json'];
  const [first, second] = objects(await succeeds(args, `${prompt}\nAnd then?\n`));
  assert.deepEqual([first.input, first.text, first.ids], [prompt, text, [...ids, ...expected]]);
  assert.equal(second.input, 'And then?');
  const idsOf = async (rendered) => objects(await succeeds(['tokenize', '--json', '--no-special-tokens', TALES, rendered]))[0].ids;
  const conversation = await idsOf(`<|endoftext|>${prompt}\n${text}\nAnd then?`);
  assert.deepEqual(second.ids.slice(0, conversation.length), conversation);
  const [told] = objects(await succeeds([...args, '--system', prompt, 'And then?']));
  const instructed = await idsOf(`<|endoftext|>${prompt}\nAnd then?`);
  assert.deepEqual(told.ids.slice(0, instructed.length), instructed);
});

test("tokens and ids are the reference tokenizer's", async () => {
  const cases = golden(EN_FR).slice(0, 40);
  const input = cases.map(({ text }) => text).join('\r\n');
  assert.equal(await succeeds(['tokenize', '--ids', EN_FR], input), cases.map(({ ids }) => `${ids.join(' ')}\n`).join(''));
  const [{ tokens, offsets, text }] = objects(await succeeds(['tokenize', '--json', EN_FR, 'Is that all?']));
  assert.equal(tokens.length, offsets.length);
  assert.equal(text.slice(...offsets.at(-2)), '?');
  assert.equal(await succeeds(['tokenize', EN_FR, text]), `${tokens.join(' ')}\n`);
  for (const without of [[], ['--no-special-tokens']])
    assert.equal(await succeeds(['tokenize', '--decode', ...without, EN_FR], cases[3].ids.join(', ')), `${cases[3].text}\n`);
  const whole = await succeeds(['tokenize', '-d', '--keep-special-tokens', EN_FR], cases[3].ids.join(', '));
  assert.equal(whole, `${cases[3].text}</s>\n`);
  await fails(['tokenize', '-d', '--keep-special-tokens', '--no-special-tokens', EN_FR, '1'], 2, /contradict each other/);
  await fails(['tokenize', '--keep-special-tokens', EN_FR, 'a'], 2, /--keep-special-tokens goes with --decode/);
  await fails(['tokenize', '--decode', EN_FR, '1 two'], 2, /'two' found, ids expected/);
});

test('a line is answered before the next one is there', async () => {
  const { child, ended } = start('tokenize', '--ids', TALES);
  for (const { prompt, ids } of golden(TALES).slice(0, 2)) {
    child.stdin.write(`${prompt}\n`);
    const [answer] = await once(child.stdout, 'data');
    assert.equal(answer, `${ids.join(' ')}\n`);
  }
  child.stdin.end();
  assert.equal((await ended).code, 0);
});

test('info describes a model, and this machine', async () => {
  const [model] = objects(await succeeds(['info', EN_FR, '--json']));
  assert.deepEqual([model.modelType, model.kind, model.width], ['marian', 'encoder-decoder', 192]);
  const { encoder_layers: encoder, decoder_layers: decoder } = JSON.parse(readFileSync(`${EN_FR}/config.json`, 'utf8'));
  assert.notEqual(encoder, decoder);
  assert.deepEqual([model.encoderLayers, model.decoderLayers, model.layers], [encoder, decoder, decoder]);
  const [{ layers, ...tales }] = objects(await succeeds(['info', TALES, '--json']));
  assert.ok(layers > 0 && !('encoderLayers' in tales) && !('decoderLayers' in tales));
  assert.deepEqual(model.tokenizer, { kind: 'unigram', vocabSize: 4000 });
  assert.match(await succeeds(['info', EN_FR]), /^modelType +marian$/m);
  const [machine] = objects(await succeeds(['info', '--json'])); // whatever a driver of GPUs would say
  assert.equal(machine.version, manifest.version);
});

test('a vector has a number for each column of the model, and the length 1', async () => {
  const [{ vector }] = objects(await succeeds(['embed', TALES, '--json', 'a fox']));
  assert.equal(vector.length, 192);
  assert.ok(Math.abs(Math.hypot(...vector) - 1) < 1e-5);
  assert.equal(await succeeds(['embed', TALES, 'a fox']), `${vector.join(' ')}\n`);
  const [{ vector: longer }] = objects(await succeeds(['embed', TALES, '--json', '--no-normalize', '--pooling', 'last'], 'a fox'));
  assert.ok(Math.abs(Math.hypot(...longer) - 1) > 0.01);
});

test('a wrong command line ends with 2, by name', async () => {
  await fails([], 2, /^Usage: webformer COMMAND/);
  await fails(['fly'], 2, /'fly' is no command; there are: tokenize, /);
  await fails(['--fly'], 2, /'--fly' is no option; there are: --help, --version/);
  for (const command of COMMANDS) await fails([command, '--fly', 'x'], 2, /'--fly' is no option; there are: --.*--help/);
  for (const command of COMMANDS.filter((name) => name !== 'info'))
    await fails([command], 2, /an argument is missing: webformer \w+ MODEL/);
  await fails(['info', 'a', 'b'], 2, /'b' is one argument too many/);
  await fails(['generate', TALES, 'x', '--top-k', 'many'], 2, /--top-k: 'many' found, a whole number expected/);
  await fails(['generate', TALES, 'x', '--temperature', 'hot'], 2, /--temperature: 'hot' found, a number expected/);
  await fails(['generate', TALES, 'x', '--max-new-tokens'], 2, /--max-new-tokens/);
  await fails(['embed', TALES, 'x', '--pooling', 'sum'], 2, /--pooling: 'sum' found, one of mean, cls, max, last expected/);
  await fails(['info', TALES, '--header', 'nothing'], 2, /--header: 'nothing' found/);
  await fails(['classify', TALES, 'x', '--template', 'This is {}.'], 2, /--template goes with --label/);
  await fails(['serve', TALES, '--port', '70000'], 2, /--port: 70000 found, 65535 at most/);
});

test('a slip is answered by what was meant', async () => {
  for (const [typed, meant] of [['translat', 'translate'], ['Generate', 'generate'], ['tokenise', 'tokenize'], ['sevre', 'serve']])
    await fails([typed], 2, new RegExp(`'${typed}' is no command; did you mean '${meant}'\\?`));
  await fails(['--versoin'], 2, /'--versoin' is no option; did you mean '--version'\?/);
  for (const [typed, meant] of [
    ['--maxNewTokens', '--max-new-tokens'],
    ['--max_new_tokens=3', '--max-new-tokens'],
    ['--temprature', '--temperature'],
    ['--top_k', '--top-k'],
  ])
    await fails(['generate', TALES, 'x', typed], 2, new RegExp(`'${typed.split('=')[0]}' is no option; did you mean '${meant}'\\?`));
});

/** The texts of node's own parser, which are for programmers. */
const OF_NODE = /argument|ambiguous|positional|strict|parse/i;

test('an option without its value, or with one too much, is told in own words', async () => {
  const generate = ['generate', TALES, 'x'];
  for (const [args, pattern] of [
    [[...generate, '--max-new-tokens'], /--max-new-tokens: a value is missing\n/],
    [[...generate, '-n'], /-n: a value is missing\n/],
    [[...generate, '-n', '--json'], /-n: a value is missing; one that begins with '-' is written --max-new-tokens=--json/],
    [[...generate, '--max-new-tokens', '-5'], /--max-new-tokens: '-5' found, a whole number expected/],
    [[...generate, '--json=1'], /--json: '1' found, no value expected/],
    [[...generate, '-q'], /'-q' is no option; there are: --temperature/],
    [['embed', TALES, 'x', '--pooling'], /--pooling: a value is missing/],
  ]) {
    const stderr = await fails(args, 2, pattern);
    assert.doesNotMatch(stderr, OF_NODE);
  }
  assert.equal((await succeeds([...generate, '-n', '2', '--', '--json'])).includes('{'), false); // after -- all are texts
});

test("what the library says of an option is said in the program's names", async () => {
  for (const [args, pattern] of [
    [['--temperature=-1'], /generate: --temperature: -1 found/],
    [['--repetition-penalty', '0'], /: --repetition-penalty: 0 found/],
    [['--top-p', '2'], /: --top-p: 2 found/],
    [['--num-beams', '0'], /: --num-beams: 0 found/],
    [['--no-repeat-ngram-size', '9007199254740993'], /: --no-repeat-ngram-size: /],
    [['--stop', ''], /: --stop: /],
    [['--max-length', '0'], /: --max-length: 0 found/],
  ])
    await fails(['generate', TALES, 'x', ...args], 2, pattern);
  await fails(['generate', TALES, 'x', '-t-1'], 2, /^webformer generate: --temperature: -1 found/);
  await fails(['translate', EN_FR, 'x', '--to', 'xx'], 2, /^webformer translate: --to is for models of several languages/);
  await fails(['generate', TALES, 'x', '--seed', '9007199254740993'], 2, /--seed: '9007199254740993' found, less than 2\^53 expected/);
});

test('an error ends with 1, with the message and the code of the library', async () => {
  await fails(['info', 'no/such/folder'], 1, /^webformer info: no\/such\/folder: no such file or folder \(invalid_argument\)\n$/);
  await fails(['translate', TALES, 'x'], 1, /translate: llama is not made for translation.*\(invalid_argument\)/);
  await fails(['chat', TALES], 1, /has no chat template/, 'Hello\n');
  await fails(['classify', EN_FR, 'x'], 1, /classify/);
});

test('a setting of the model that is wrong is no wrong usage', async (t) => {
  const folder = path.join(temporaryFolder(t), 'wrong');
  cpSync(TALES, folder, { recursive: true });
  writeFileSync(path.join(folder, 'generation_config.json'), '{"temperature":-1,"do_sample":true}');
  const stderr = await fails(['generate', folder, 'x', '-n', '2'], 1, /temperature: -1/);
  assert.doesNotMatch(stderr, /--temperature/);
  await fails(['generate', folder, 'x', '-n', '2', '--temperature', '-2'], 2, /--temperature: -2/);
});

test(
  'Ctrl-C ends it at once, in the middle of a text and while it waits for a line',
  { skip: process.platform === 'win32' },
  async () => {
    const busy = start('generate', TALES, 'Once upon a time', '-n', '480', '--seed', '1');
    await once(busy.child.stdout, 'data');
    busy.child.kill('SIGINT');
    const result = await busy.ended;
    assert.deepEqual([result.code, result.stderr], [130, '']);

    const waiting = start('tokenize', TALES);
    waiting.child.stdin.write('a\n');
    await once(waiting.child.stdout, 'data');
    waiting.child.kill('SIGINT');
    assert.equal((await waiting.ended).code, 130);
  },
);

test('a reader that has had enough is no error', { skip: process.platform === 'win32' }, async () => {
  const { child, ended } = start('tokenize', TALES);
  child.stdin.write('a\n');
  await once(child.stdout, 'data');
  child.stdout.destroy();
  const more = setInterval(() => child.stdin.write('b\n'), 10);
  const { code, stderr } = await ended;
  clearInterval(more);
  assert.deepEqual([code, stderr], [0, '']);
});

/** A terminal for the program: util-linux's `script`. */
const script = spawnSync('script', ['--version'], { encoding: 'utf8' });
const noTerminal = !/util-linux/.test(script.stdout ?? '') && "util-linux's script is not there";

/** Runs the program on a terminal of its own; `keys` are typed one after the other, each once the terminal shows what it waits for. */
async function onTerminal(args, keys = []) {
  const command = [process.execPath, PROGRAM, ...args].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], { stdio: 'pipe' });
  let shown = '',
    seen = 0;
  child.stdout.setEncoding('utf8').on('data', (text) => {
    shown += text;
    const [awaited, typed] = keys[0] ?? [];
    const at = awaited === undefined ? -1 : shown.indexOf(awaited, seen);
    if (at < 0) return;
    keys.shift();
    seen = shown.length;
    child.stdin.write(typed);
  });
  const [code] = await once(child, 'close');
  return { code, shown };
}

test('a terminal shows how far a load is, lines as lines, and no control character of a text', { skip: noTerminal }, async () => {
  const { ids } = objects(await succeeds(['tokenize', '--json', TALES, 'a\n\x1b[2Jb']))[0];
  const { code, shown } = await onTerminal(['tokenize', '--decode', '--no-special-tokens', TALES, ids.join(' ')]);
  assert.equal(code, 0);
  assert.match(shown, /\r\x1b\[K\[#{30}\] 100% ready\r\x1b\[K/);
  assert.ok(shown.endsWith('\r\x1b[Ka\r\n\uFFFD[2Jb\r\n'), JSON.stringify(shown));
});

test('a chat on a terminal has a prompt, goes on after an answer, and ends by Ctrl-D or Ctrl-C', { skip: noTerminal }, async (t) => {
  const folder = path.join(temporaryFolder(t), 'talker');
  cpSync(TALES, folder, { recursive: true });
  writeFileSync(path.join(folder, 'chat_template.jinja'), '<|endoftext|>{% for message in messages %}{{ message.content }}{% endfor %}');
  const [{ prompt, greedy_text: text }] = firmTales;
  const args = ['chat', folder, '--greedy', '-n', '8'];
  const answered = await onTerminal(args, [
    ['> ', `${prompt}\n`],
    ['> ', '\x04'],
  ]);
  assert.equal(answered.code, 0);
  assert.ok(answered.shown.includes(text.slice(0, 20)), answered.shown);
  const interrupted = await onTerminal(args, [['> ', '\x03']]);
  assert.equal(interrupted.code, 130);
});

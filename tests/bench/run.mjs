// `npm run bench [-- WORK ...] [--json FILE] [--repeat N]`: each work of the design's table, ours and the peer's in turn in one run, as
// ratios; above 1 we are ahead. A row is void where the peer is more than twice as slow as on the machine of its reference figure.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { build } from '../../wasm/build.mjs';
import { setUp } from '../../wasm/setup.mjs';
import { chromiumPath } from '../../wasm/setup/chromium.mjs';
import { ROOT } from '../../wasm/setup/paths.mjs';
import { PEERS } from '../../wasm/setup/peers.mjs';
import { run } from '../../wasm/setup/system.mjs';

/** What is to be reached: DESIGN.md, "Figures to reach". */
const AT_LEAST = {
  'minilm-f32': 1.5, 'minilm-int8': 3, 'llama-decode-int8': 3, 'llama-prefill-int8': 10, 'llama-decode-q4': 3, 'llama-prefill-q4': 10,
  'bpe-encode': 3, 'train-step-native': 1, 'train-step-wasm': 0.3, 'load-minilm': 4,
};
const TRAINING = ['train-step-native', 'train-step-wasm'];

const { values: flags, positionals } = parseArgs({
  allowPositionals: true, options: { json: { type: 'string' }, repeat: { type: 'string' }, help: { type: 'boolean' } },
});
const unknown = positionals.filter((work) => !(work in AT_LEAST));
if (flags.help || unknown.length > 0) {
  console.error(`${unknown.length > 0 ? `unknown: ${unknown.join(', ')}. ` : ''}npm run bench [-- WORK ...] [--json FILE] [--repeat N]\n` +
    `WORK: ${Object.keys(AT_LEAST).join(', ')}`);
  process.exit(flags.help ? 0 : 2);
}
const works = positionals.length > 0 ? positionals : Object.keys(AT_LEAST);

await setUp('wasm', 'native', 'browser', 'peers');
if (!await build()) process.exit(1);

async function againstPeer(work) {
  const output = await run(process.execPath, [
    'run-peer.mjs', work, '--browser', '--own', path.join(ROOT, 'tests', 'bench', 'own.mjs'), '--own-root', ROOT,
    '--chromium', chromiumPath(), ...flags.repeat ? ['--repeat', flags.repeat] : [],
  ], { cwd: PEERS });
  const { peer: name, median: peer, values, unit, own, ratio, reference } = JSON.parse(output.slice(output.lastIndexOf('\n{"work"') + 1));
  const spreads = [spread(own.values), spread(values)];
  return { work, name, ours: own.median, peer, ratio, unit, spreads, isVoid: reference?.slower > 2 };
}

/** The middle half of the values, as a part of their median. */
function spread(values) {
  const sorted = values.toSorted((a, b) => a - b), at = (part) => sorted[Math.round(part * (sorted.length - 1))];
  return (at(0.75) - at(0.25)) / at(0.5);
}

const percent = (part) => `${Math.round(100 * part)} %`.padStart(6);
function print({ work, name, ours, peer, ratio, unit, spreads = [0, 0], isVoid }) {
  const least = AT_LEAST[work], verdict = isVoid ? 'void: the peer is too slow here' : ratio >= least ? 'reached' : `${least} wanted`;
  const side = (value, part) => value.toFixed(1).padStart(10) + (part ? percent(part) : ' '.repeat(6));
  const figures = [side(ours, spreads[0]), side(peer, spreads[1]), ` ${unit.padEnd(6)}`, ratio.toFixed(2).padStart(6)].join('');
  console.log(`${work.padEnd(18)}${figures}  ${verdict} (${name})`);
}

const rows = [];
function report(row) {
  rows.push(row);
  print(row);
}
console.log(`\n${'work'.padEnd(18)}${'ours'.padStart(10)}${'±'.padStart(6)}${'peer'.padStart(10)}${'±'.padStart(6)} unit   ratio`);
for (const work of works.filter((one) => !TRAINING.includes(one))) report(await againstPeer(work));
if (works.some((one) => TRAINING.includes(one))) {
  const { trainSteps } = await import('./train_step.mjs');
  (await trainSteps()).filter(({ work }) => works.includes(work)).forEach(report);
}
const plain = rows.map(({ work, ours, peer, ratio, unit }) => ({ work, ours, peer, ratio, unit }));
if (flags.json) writeFileSync(flags.json, JSON.stringify(plain, null, 1));

// `npm run fuzz:tokenizers`: this library's tokenizers beside the PyPI packages tokenizers and sentencepiece, on random lines.
//   npm run fuzz:tokenizers -- [--python PYTHON] [--lines 1000000] [--first 0] [--seed 1] [--kinds gpt2,t5,…]
// PYTHON (default: python3) has both packages, of the versions that the goldens name. A run goes on where another ended by --first.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { buildPreset } from '../../../wasm/cmake.mjs';
import { setUp } from '../../../wasm/setup.mjs';
import { ROOT } from '../../../wasm/setup/paths.mjs';
import { VOCABULARIES } from '../../../wasm/setup/vocabularies.mjs';

const options = process.argv.slice(2);
const at = options.indexOf('--python');
const [, python] = at < 0 ? [null, 'python3'] : options.splice(at, 2);

await setUp('native');
const folder = buildPreset('host', ['webformer_tokenize']);
if (!folder) process.exit(1);
const shared = process.env.WEBFORMER_SHARED ?? path.join(ROOT, '../shared');
const paths = ['--tool', path.join(folder, 'webformer_tokenize'), '--npm', VOCABULARIES, '--shared', shared];
const { status } = spawnSync(python, [path.join(import.meta.dirname, 'compare.py'), ...paths, ...options], { stdio: 'inherit' });
process.exit(status ?? 1);

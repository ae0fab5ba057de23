// The types as a strict consumer of the package sees them, who checks the declarations of what is installed too.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from './support.mjs';

const ROOT = path.join(import.meta.dirname, '../..');

const CONSUMER = `
import { loadModel, type GenerationItem, type Model } from 'webformer';
import { attention, causalMask } from 'webformer/layers';
import { pipeline } from 'webformer/pipeline';
import { loadTokenizer } from 'webformer/single-file';

export async function translated(files: FileList, signal: AbortSignal): Promise<string> {
  const model: Model = await loadModel(files, { dtype: 'int8', signal });
  const items: GenerationItem[] = [];
  for await (const item of model.translate('Hello', { numBeams: 2 })) items.push(item);
  // @ts-expect-error: a text, not a number
  await model.translate(7);
  model.dispose();
  return items.map(({ text }) => text).join('');
}
export const more = [attention, causalMask, pipeline, loadTokenizer];
`;

for (const [moduleResolution, module] of [['bundler', 'esnext'], ['nodenext', 'nodenext']])
  test(`a strict consumer compiles, by module resolution '${moduleResolution}'`, (t) => {
    const folder = temporaryFolder(t);
    mkdirSync(path.join(folder, 'node_modules'));
    symlinkSync(ROOT, path.join(folder, 'node_modules/webformer'), 'junction');
    writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(path.join(folder, 'consumer.ts'), CONSUMER);
    const compilerOptions = {
      strict: true, noEmit: true, skipLibCheck: false, target: 'es2022', lib: ['es2022', 'dom'], types: [], module, moduleResolution,
    };
    writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['consumer.ts'] }));
    const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc');
    const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' });
    assert.equal(status, 0, stdout);
  });

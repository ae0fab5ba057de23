// The types of the package against the declarations that its checks are written for, where those are at hand.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const declarations = fileURLToPath(new URL('../../../shared/api.d.ts', import.meta.url));

const TYPES = [
  'Tensor',
  'Ids',
  'ErrorCode',
  'TransformerError',
  'ModelSource',
  'LoadOptions',
  'Progress',
  'Capabilities',
  'ModelInfo',
  'Task',
  'ForwardInputs',
  'ForwardOptions',
  'ModelOutput',
  'Model',
  'TextInput',
  'LabelScore',
  'Tag',
  'Answer',
  'ChatMessage',
  'GenerateOptions',
  'Generation',
  'GenerationItem',
  'GenerationResult',
  'Tokenizer',
  'EncodeOptions',
  'Encoding',
  'AddedToken',
  'TokenizerKind',
  'TrainingData',
  'TrainOptions',
  'TrainingRun',
  'TrainingStep',
  'LayerKind',
  'Layer',
  'WordVectors',
];
const FUNCTIONS = [
  'loadModel',
  'loadTokenizer',
  'createModel',
  'capabilities',
  'causalMask',
  'paddingMask',
  'oneHot',
  'cosineSimilarity',
  'trainTokenizer',
  'attention',
  'createLayer',
  'positionalEncoding',
  'trainWordVectors',
  'loadWordVectors',
];

test(
  'each type is assignable to its declaration, and the other way',
  { skip: !existsSync(declarations) && 'the declarations are not at hand' },
  () => {
    const lines = [
      `import type * as Ours from '${root}web/index.js';`,
      `import type * as Theirs from '${declarations.replace(/\.d\.ts$/, '.js')}';`,
    ];
    for (const name of TYPES) {
      lines.push(`export const ours${name} = (value: Theirs.${name}): Ours.${name} => value;`);
      lines.push(`export const theirs${name} = (value: Ours.${name}): Theirs.${name} => value;`);
    }
    for (const name of FUNCTIONS) {
      lines.push(`export const to_${name} = (value: typeof Ours.${name}): typeof Theirs.${name} => value;`);
      lines.push(`export const from_${name} = (value: typeof Theirs.${name}): typeof Ours.${name} => value;`);
    }
    const folder = `${root}build/types/`;
    mkdirSync(folder, { recursive: true });
    writeFileSync(`${folder}assignable.ts`, lines.join('\n') + '\n');
    const compilerOptions = { typeRoots: ['../../node_modules/@types'] };
    writeFileSync(
      `${folder}tsconfig.json`,
      JSON.stringify({ extends: '../../tsconfig.json', compilerOptions, include: ['assignable.ts'], exclude: [] }),
    );
    const { status, stdout } = spawnSync(process.execPath, [`${root}node_modules/typescript/bin/tsc`, '-p', folder], {
      encoding: 'utf8',
    });
    assert.equal(status, 0, stdout);
  },
);

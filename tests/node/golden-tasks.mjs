// The folders of golden/tasks in the folder `shared` beside the repository: tiny models, and what transformers' pipelines say of texts.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import path from 'node:path';

const FOLDER = fileURLToPath(new URL('../../../shared/golden/tasks/', import.meta.url));

/** Why tests of these folders are skipped, or false. */
export const missing = existsSync(FOLDER) ? false : 'no folder shared/golden/tasks beside the repository';

/** @returns {{ name: string, folder: string, cases: { name: string, task: string, inputs: any, options: any, output: any }[] }[]} */
export const goldenTasks = () =>
  (missing ? [] : readdirSync(FOLDER).sort()).map((name) => {
    const folder = path.join(FOLDER, name);
    return { name, folder, cases: JSON.parse(readFileSync(path.join(folder, 'golden.json'), 'utf8')).cases };
  });

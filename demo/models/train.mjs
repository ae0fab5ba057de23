// node demo/models/train.mjs NAME… | --all, --dry: makes the models of this folder anew, each from its recipe.mjs, and writes them here.
// A run that was ended goes on where it was. --learn leaves out the figures of the test side, --evaluate gives them of what is here.
import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { BUILD, ROOT } from '../../wasm/setup/paths.mjs';

const MODELS = import.meta.dirname, TRAINER = path.join(BUILD, 'host/webformer-train');
const SHIPPED = ['config.json', 'model.safetensors', 'tokenizer.json', 'tokenizer_config.json', 'generation_config.json'];

const workOf = (name) => path.join(BUILD, 'train', name);
const fileOf = (name) => path.join(MODELS, name, 'recipe.mjs');
const namesOfAll = () => readdirSync(MODELS).filter((name) => existsSync(fileOf(name)));

async function recipeOf(name) {
  if (!existsSync(fileOf(name))) throw new Error(`${name}: no such recipe, one of ${namesOfAll().join(', ')} expected`);
  return (await import(fileOf(name))).recipe;
}

/** The recipes in an order in which each comes after the one that it begins with. */
async function inOrder(names) {
  const ordered = new Map();
  const add = async (name) => {
    const recipe = await recipeOf(name);
    if (names.includes(recipe.from)) await add(recipe.from);
    ordered.set(name, recipe);
  };
  for (const name of names) await add(name);
  return ordered;
}

/** Rows, and what a new model begins with, in the folder `rows`; it is whole once it has that name. */
async function prepare(name, recipe) {
  const folder = path.join(workOf(name), 'rows'), partial = `${folder}.partial`;
  if (existsSync(folder)) return folder;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true });
  const writeRows = (side, rows) =>
    writeFileSync(path.join(partial, `${side}.jsonl`), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  await recipe.prepare({ folder: partial, writeRows });
  renameSync(partial, folder);
  return folder;
}

const flagOf = ([option, value]) => (value === true ? [`--${option}`] : [`--${option}`, String(value)]);

/** Runs the trainer, which goes on from what `out` has; a recipe's stages follow each other in one folder. */
async function run(name, from, options) {
  const trainer = spawn(TRAINER, [from, ...options.flatMap(flagOf)], { stdio: 'inherit' });
  const code = await new Promise((resolve, reject) => trainer.on('error', reject).on('exit', (exit, signal) => resolve(signal ?? exit)));
  if (code !== 0) throw new Error(`${name}: webformer-train ended with ${code}`);
}

async function learn(name, recipe) {
  const rows = await prepare(name, recipe), out = path.join(workOf(name), 'out');
  const options = [
    ['task', recipe.task], ['data', path.join(rows, 'train.jsonl')], ['validation', path.join(rows, 'validation.jsonl')], ['out', out],
    ['resume', true], ['save-dtype', 'f16'], ...(recipe.labels?.() ?? []).map((label) => ['label', label]),
    ...Object.entries(recipe.options),
  ];
  const from = recipe.from ? path.join(MODELS, recipe.from) : rows;
  if (!existsSync(TRAINER)) throw new Error('no webformer-train: cmake --preset host && cmake --build build/host --target webformer-train');
  for (const stage of recipe.stages ?? [{}]) await run(name, from, [...options, ...Object.entries(stage)]);
  for (const file of SHIPPED) {
    const made = [path.join(out, file), path.join(from, file)].find((candidate) => existsSync(candidate));
    if (made) copyFileSync(made, path.join(MODELS, name, file));
  }
}

async function evaluate(name, recipe) {
  const { loadModel } = await import('webformer');
  const model = await loadModel(`${path.join(MODELS, name)}/`, { dtype: 'f32' });
  try {
    console.log(name, JSON.stringify(await recipe.evaluate(model)));
  } finally {
    model.dispose();
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true, options: Object.fromEntries(['all', 'dry', 'evaluate', 'learn'].map((name) => [name, { type: 'boolean' }])),
});
const names = values.all ? namesOfAll() : positionals;
if (names.length === 0) throw new Error(`no recipe named, --all or some of ${namesOfAll().join(', ')} expected`);
for (const [name, recipe] of await inOrder(names)) {
  if (values.dry) {
    const { about, minutes, from } = recipe;
    console.log(`${name.padEnd(10)} ${String(minutes).padStart(4)} min  ${about}${from ? `; from ${from}` : ''}`);
    continue;
  }
  if (!values.evaluate) await learn(name, recipe);
  if (!values.learn) await evaluate(name, recipe);
}

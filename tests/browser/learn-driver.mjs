// What the tests of the Learn tab share: how its figures are found and read.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../../wasm/setup/paths.mjs';
import { PATIENCE } from './page-driver.mjs';

export const learnAt = (step, text = 'I love AI', more = '') => `#learn?${new URLSearchParams({ step, text, lang: 'en' })}${more}`;

/** Waits until the step is computed and shown. */
export async function shownStep(page) {
  await page.locator('.lesson-place[aria-busy=false] .lesson').first().waitFor(PATIENCE);
}

/** The figure with that title. */
export const figureAt = (page, title) => page.locator('.lesson-figure', { has: page.getByRole('heading', { name: title, exact: true }) });

export const toNumber = (text) => Number(text.replace('−', '-').replaceAll(',', '').replace('∞', 'Infinity'));

/** The numbers of a grid of values, from the names of its cells. */
export async function gridValues(figure, index = 0) {
  const names = await figure.locator('.value-grid').nth(index).locator('.value-cell')
    .evaluateAll((cells) => cells.map((cell) => cell.ariaLabel));
  return names.map((name) => toNumber(name.slice(name.lastIndexOf(': ') + 2)));
}

/** The greatest difference between numbers that are shown and those that are expected. */
export function farthest(shown, expected) {
  if (shown.length !== expected.length) return Infinity;
  return shown.reduce((most, value, i) => (value === expected[i] ? most : Math.max(most, Math.abs(value - expected[i]))), 0);
}

/** Modules of demo/src/school, on the built package, in node. */
export async function modulesOfPage(...names) {
  const { build } = await import('esbuild');
  const outdir = await mkdtemp(path.join(tmpdir(), 'webformer-learn-'));
  const entryPoints = names.map((name) => path.join(ROOT, `demo/src/school/${name}.ts`));
  const built = { path: pathToFileURL(path.join(ROOT, 'dist/index.js')).href, external: true };
  const onPackage = { name: 'package', setup: ({ onResolve }) => onResolve({ filter: /^webformer$/ }, () => built) };
  const common = { bundle: true, format: 'esm', outExtension: { '.js': '.mjs' }, logLevel: 'warning' };
  await build({ ...common, entryPoints, outdir, plugins: [onPackage] });
  const modules = await Promise.all(names.map((name) => import(pathToFileURL(path.join(outdir, `${name}.mjs`)).href)));
  await rm(outdir, { recursive: true });
  return modules;
}

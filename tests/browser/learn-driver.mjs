// What the tests of the Learn tab share: how its figures are found and read.
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

// The steps of feed-forward, norms, depth and cost. Expected: formulas in double precision, and the package's own layers in node.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createLayer } from '../../dist/index.js';
import { figureAt, gridValues, learnAt, modulesOfPage, shownStep, toNumber } from './learn-driver.mjs';
import { eventually, pageForTests } from './page-driver.mjs';

const open = pageForTests();

/** The page's own module of stacks, on the package. */
let depth;
before(async () => { [depth] = await modulesOfPage('depth-data'); });

const erf = (x) => {    // Abramowitz & Stegun 7.1.26: 1.5e-7
  const t = 1 / (1 + 0.3275911 * Math.abs(x));
  const series = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t;
  return Math.sign(x) * (1 - series * Math.exp(-x * x));
};
const silu = (x) => x / (1 + Math.exp(-x));
const gelu = (x) => (x / 2) * (1 + erf(x / Math.SQRT2));

test('the curves are ReLU, GELU, SiLU, SwiGLU and GeGLU', async (t) => {
  const page = await open(t, { hash: learnAt('activations') });
  await shownStep(page);
  const figure = figureAt(page, 'The curves');
  await figure.getByLabel('u', { exact: true }).fill('2');
  await figure.locator('.plot').focus();
  for (const [key, x] of [['Home', -4], ['End', 4], ['ArrowLeft', 3.875], ['Home', -4], ['ArrowRight', -3.875]]) {
    await page.keyboard.press(key);
    const expected = [x, Math.max(x, 0), gelu(x), silu(x), 2 * silu(x), 2 * gelu(x)];
    await eventually(async () => {
      const told = (await figure.locator('[role=status]').innerText()).replaceAll('u = 2.00', '');
      const numbers = told.match(/[−-]?\d+\.\d+(e[−-]?\d+)?/g).map((text) => toNumber(text.replaceAll('−', '-')));
      return numbers.length === 6 && numbers.every((value, i) => Math.abs(value - expected[i]) < 2e-4);
    }, true);
  }
});

test('LayerNorm and RMSNorm of the reader’s vector; what is no vector is told', async (t) => {
  const page = await open(t, { hash: learnAt('norms') });
  await shownStep(page);
  const figure = figureAt(page, 'On your own vector');
  await figure.getByRole('textbox').fill('2 -1,5  4');
  const x = [2, -1.5, 4], mean = 1.5, deviation = Math.sqrt(x.reduce((sum, v) => sum + (v - mean) ** 2, 0) / 3);
  const rms = Math.sqrt(x.reduce((sum, v) => sum + v * v, 0) / 3);
  const expected = [...x, ...x.map((v) => (v - mean) / deviation), ...x.map((v) => v / rms)];
  await eventually(async () => (await gridValues(figure)).every((value, i) => Math.abs(value - expected[i]) < 0.006), true);
  await figure.getByLabel('Add').fill('10');    // the norm of layers does not mind
  await eventually(async () => (await gridValues(figure)).slice(3, 6).every((value, i) => Math.abs(value - expected[3 + i]) < 0.006), true);
  assert.ok(Math.abs((await gridValues(figure))[6] - expected[6]) > 0.05);
  await figure.getByRole('textbox').fill('2 and 3');
  await eventually(async () => /^Write up to 12 numbers/.test(await figure.locator('.field-error').innerText()), true);
});

test('a block of pieces with its norm after or before is PyTorch’s encoder layer', async () => {
  const { weightsOf, throughBlock, WIDTH } = depth;
  const { attention, ffn } = weightsOf(3);
  const weights = new Map([
    ...[...attention].map(([name, tensor]) => [`self_attn.${name}`, tensor]), ...ffn,
    ...['norm1', 'norm2'].map((name) => [`${name}.weight`, { data: new Float32Array(WIDTH).fill(1), shape: [WIDTH] }]),
  ]);
  const x = { data: Float32Array.from({ length: 4 * WIDTH }, (_, i) => Math.sin(i * i)), shape: [1, 4, WIDTH] };
  for (const [place, norm_first] of [['post', false], ['pre', true]]) {
    const layer = await createLayer('encoderLayer', { d_model: WIDTH, nhead: 2, dim_feedforward: 32, bias: false, norm_first }, weights);
    const { output } = await layer.forward({ src: x });
    layer.dispose();
    const { data } = await throughBlock(3, place, x);
    data.forEach((value, i) => assert.ok(Math.abs(value - output.data[i]) < 1e-5, `${place}, ${i}: ${value}, ${output.data[i]} expected`));
  }
});

test('the gradient by backpropagation is that by nudging the whole stack', async () => {
  const { gradientsOf, throughBlock, directionOf, WIDTH } = depth;
  const size = 3 * WIDTH, layers = 3, step = 1e-3;
  const x = Float32Array.from({ length: size }, (_, i) => Math.cos(i * i));
  const way = Float32Array.from({ length: size }, (_, i) => Math.sin(3 * i));
  const through = async (place, data) => {
    let h = { data, shape: [1, 3, WIDTH] };
    for (let layer = 0; layer < layers; layer++) h = await throughBlock(layer, place, h);
    return directionOf(size).reduce((sum, value, i) => sum + value * h.data[i], 0);
  };
  for (const place of ['post', 'pre', 'bare', 'unnormed']) {
    const gradients = await gradientsOf(place, { data: x, shape: [1, 3, WIDTH] }, layers, new AbortController().signal);
    assert.equal(gradients.length, layers + 1);
    const [up, down] = await Promise.all([step, -step].map((by) => through(place, x.map((value, i) => value + by * way[i]))));
    const expected = (up - down) / (2 * step), found = gradients[0].reduce((sum, value, i) => sum + value * way[i], 0);
    assert.ok(Math.abs(found - expected) < 0.03 * Math.max(Math.abs(expected), 0.3), `${place}: ${found}, ${expected} expected`);
  }
});

test('without residuals the gradient fades, with them it arrives', async (t) => {
  const page = await open(t, { hash: learnAt('depth') });
  await shownStep(page);
  const figure = figureAt(page, 'The gradient at every layer');
  await figure.locator('.plot').focus();
  await page.keyboard.press('Home');
  const told = await figure.locator('[role=status]').innerText();
  const [post, pre, bare] = told.match(/norm (\S+) · pre-norm (\S+) · norm, no residual (\S+)/).slice(1).map((text) => toNumber(text));
  assert.ok(post > 0.5 && pre > post && bare < post / 10, told);
});

test('the cost is measured on demand', async (t) => {
  const page = await open(t, { hash: learnAt('cost') });
  await shownStep(page);
  const figure = figureAt(page, 'Measured on this machine');
  await figure.getByRole('button', { name: 'Measure' }).click();
  await eventually(() => figure.locator('tbody tr').count(), 5);
  const ratios = (await figure.locator('tbody td:last-child').allInnerTexts()).map(toNumber);
  assert.ok(ratios.every((ratio) => ratio > 0) && ratios[4] > ratios[0], `${ratios}`);
  await eventually(() => page.isEnabled('.lesson-figure button.primary'), true);
  await page.locator('.exercise-input').fill('1536');    // 4 layers, 2 vectors of 192
  await page.locator('.exercise-input').press('Enter');
  await eventually(async () => /^Right/.test(await page.locator('.exercise-feedback').innerText()), true);
});

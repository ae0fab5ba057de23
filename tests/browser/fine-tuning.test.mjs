// Fine-tuning in Chromium: 30 messages teach spam and ham to the project's small BERT, which has only learned to fill masks. It has seen
// the train side of the SMS Spam Collection as texts without labels, and nothing of the test side. The 30 are balanced, the 200 are as they
// come, mostly ham: so the share of the majority is told, too. How long it took is printed, not judged: machines and their load differ.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { FOLDER, sms } from '../../demo/models/recipes/corpora.mjs';
import { ROOT } from '../../wasm/setup/paths.mjs';
import { NOT_FOUND, siteForTests } from './bare-page.mjs';

const BERT = path.join(ROOT, 'demo/models/fill-mask');
const LABELS = ['ham', 'spam'];
const skip = existsSync(path.join(FOLDER, 'sms-spam')) ? false : 'no folder shared/data/corpora/sms-spam beside the repository';

const { open } = siteForTests((name, request, response) => {
  const [folder, file] = name.split('/'), place = path.join(BERT, path.basename(file ?? ''));
  if (folder !== 'fill-mask' || !existsSync(place)) return false;
  readFile(place).then((bytes) => {
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': bytes.length });
    response.end(request.method === 'HEAD' ? undefined : bytes);
  });
  return true;
});

/** Runs in the page: the label found for each text, and how long the training took. */
async function fineTune({ rows, texts, labels }) {
  const { loadModel } = await import('/dist/index.js');
  const head = { task: 'text-classification', labels, seed: 1 };
  const model = await loadModel(new URL('/fill-mask/', location.href), { dtype: 'f32', head });
  const before = performance.now();
  const { loss } = await model.train({ task: 'text-classification', rows }, {
    steps: 24, batchSize: 10, seed: 1, dropout: 0.1, optimizer: { learningRate: 5e-4, weightDecay: 0.01, clip: 1 },
    schedule: { kind: 'linear', warmup: 3 },
  }).result();
  const seconds = (performance.now() - before) / 1000;
  const found = await model.classify(texts);
  model.dispose();
  return { loss, seconds, found: found.map(([{ label }]) => label) };
}

test('30 messages teach a small BERT to tell spam from ham in 200 others', { skip, timeout: 600_000 }, async (t) => {
  const train = sms('train'), others = sms('test').slice(0, 200);
  const rows = LABELS.flatMap((label) => train.filter((row) => row.label === label).slice(0, 15));
  const page = await open(t, { expected: NOT_FOUND });
  const { loss, seconds, found } = await page.evaluate(fineTune, { rows, texts: others.map(({ text }) => text), labels: LABELS });

  const share = (of) => of.filter((row) => found[others.indexOf(row)] === row.label).length / of.length;
  const byLabel = LABELS.map((label) => others.filter((row) => row.label === label));
  const [ham, spam] = byLabel.map(share), right = share(others), majority = Math.max(...byLabel.map((of) => of.length)) / others.length;
  const percent = (part) => `${(100 * part).toFixed(1)} %`;
  t.diagnostic(`${percent(right)} of 200 right (majority ${percent(majority)}), of ham ${percent(ham)}, of spam ${percent(spam)}; ` +
    `trained in ${seconds.toFixed(1)} s, last loss ${loss.toFixed(3)}`);
  assert.ok(right >= 0.85 && right > majority, `${right} right`);
  assert.ok((ham + spam) / 2 >= 0.85, `ham ${ham}, spam ${spam}: as far as both count the same`);
});

// loadWordVectors: word2vec's text format, nearest words and analogies.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { loadWordVectors } from 'webformer';
import { missing, openGolden } from './golden-modules.mjs';
import { fileServer, rejects, serve, temporaryFolder, throws } from './support.mjs';

const bytes = (text) => new Uint8Array(Buffer.from(text));
const TEXT = '4 2\nzero 0 0\neast 1 0\nnördlich 0 2\nnortheast 0.70000005 0.5\n';

test('word vectors come from a path, a folder, an address, a file or bytes, and go back to the same text', async (t) => {
  const folder = temporaryFolder(t), file = path.join(folder, 'vectors.txt');
  writeFileSync(file, TEXT);
  mkdirSync(path.join(folder, 'other'));
  const address = await serve(t, fileServer(new Map([['vectors.txt', bytes(TEXT)]])));
  for (const source of [file, folder, address + 'vectors.txt', new File([TEXT], 'vectors.txt'), new Map([['any.name', bytes(TEXT)]])]) {
    const vectors = await loadWordVectors(source);
    assert.deepEqual(vectors.words, ['zero', 'east', 'nördlich', 'northeast']);
    assert.equal(vectors.dimensions, 2);
    assert.equal(vectors.save(), TEXT);
  }
});

test('nearest words are those with the largest cosine, without the words of the query', async () => {
  const vectors = await loadWordVectors(new Map([['v', bytes(TEXT)]]));
  assert.deepEqual([...vectors.vector('nördlich')], [0, 2]);
  assert.equal(vectors.vector('south'), undefined);
  const found = vectors.nearest('east');
  assert.deepEqual(found.map(({ word }) => word), ['northeast', 'zero', 'nördlich']); // ties in the order of the file
  assert.ok(Math.abs(found[0].score - 0.7 / Math.hypot(0.7, 0.5)) < 1e-6);
  assert.deepEqual(vectors.nearest(Float32Array.of(0, -1), 1).map(({ word }) => word), ['zero']);
  assert.deepEqual(vectors.nearest({ positive: ['northeast'], negative: ['east'] }, 1)[0].word, 'nördlich');
  assert.deepEqual(vectors.nearest('east', 0), []);
  vectors.vector('east')[0] = 5;
  assert.deepEqual([...vectors.vector('east')], [1, 0]);
});

test("analogies are PyTorch's: the word nearest to a - b + c", { skip: missing }, async () => {
  const golden = openGolden('01_word_vectors'), { words } = golden.about.cases.analogy;
  const { data, shape } = golden.of('in', 'analogy', 'table');
  const rows = words.map((word, row) => [word, ...data.subarray(row * shape[1], (row + 1) * shape[1])].join(' '));
  const vectors = await loadWordVectors(new Map([['v', bytes(`${shape.join(' ')}\n${rows.join('\n')}\n`)]]));
  const queries = golden.of('in', 'analogy', 'queries').data, scores = golden.of('out', 'analogy', 'similarity').data;
  const nearest = golden.of('out', 'analogy', 'nearest').data;
  for (let i = 0; i < 3; i++) {
    const [a, b, c] = [...queries.subarray(i * 3, i * 3 + 3)].map((row) => words[row]);
    const found = vectors.nearest({ positive: [a, c], negative: [b] }, 3);
    assert.deepEqual(found.map(({ word }) => word), [...nearest.subarray(i * 3, i * 3 + 3)].map((row) => words[row]));
    for (const { word, score } of found) assert.ok(Math.abs(score - scores[i * words.length + words.indexOf(word)]) < 1e-5);
  }
});

test('word vectors refuse what is no such file, and words that are not there', async () => {
  await rejects(loadWordVectors(new Map([['v', bytes('2 2\na 1 2\n')]])), 'invalid_file', /v: line 2: the file ends after 1 of 2 words/);
  await rejects(loadWordVectors(new Map([['a.txt', bytes(TEXT)], ['b.vec', bytes(TEXT)]])), 'invalid_argument', /2 files/);
  const vectors = await loadWordVectors(new Map([['v', bytes(TEXT)]]));
  throws(() => vectors.nearest('south'), 'invalid_argument', /"south" is none of the 4 words/);
  throws(() => vectors.nearest({ positiv: ['east'] }), 'invalid_argument', /did you mean 'positive'/);
  throws(() => vectors.nearest({ positive: 'east' }), 'invalid_argument', /positive: "east" found, a list/);
  throws(() => vectors.nearest(Float32Array.of(1)), 'invalid_argument', /1 numbers found, 2 expected/);
  throws(() => vectors.nearest('east', -1), 'invalid_argument', /count/);
});

// What transformers.js' own guide shows, written anew: each program runs with another import and another model, and nothing else changed.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { answerer, classifier, tagger } from '../fixtures/make_encoders.mjs';
import { bert, llama, manyLanguages, marian, summarizer, writeFolder } from '../fixtures/make_models.mjs';

const ROOT = path.join(import.meta.dirname, '../..');
const folder = mkdtempSync(path.join(tmpdir(), 'webformer-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const STARS = ['1 star', '2 stars', '3 stars', '4 stars', '5 stars'];
const ANIMALS = tagger(['O', 'B-ANIMAL', 'I-ANIMAL'], {
  the: [0.8, 0.1, 0.1], saw: [0.9, 0.05, 0.05], fox: [0.1, 0.8, 0.1], mouse: [0.1, 0.8, 0.1],
});
/** The hub's names that the programs have, and what stands in for each. */
const MODELS = {
  'Xenova/distilbert-base-uncased-finetuned-sst-2-english': classifier(['NEGATIVE', 'POSITIVE']),
  'Xenova/bert-base-multilingual-uncased-sentiment': classifier(STARS),
  'Xenova/toxic-bert': classifier(['toxic', 'insult', 'threat'], { problem_type: 'multi_label_classification' }),
  'Xenova/bert-base-NER': ANIMALS,
  'Xenova/distilbert-base-uncased-distilled-squad': answerer({ fox: [9, 9] }),
  'Xenova/bert-base-cased': bert(),
  'Xenova/LaMini-Flan-T5-783M': marian(),
  'Xenova/distilbart-cnn-6-6': summarizer(),
  'Xenova/nllb-200-distilled-600M': manyLanguages(),
  'Xenova/distilgpt2': path.join(ROOT, 'demo/models/tales'),
  'onnx-community/Qwen2.5-Coder-0.5B-Instruct': llama(),
  'Xenova/mobilebert-uncased-mnli': classifier(['contradiction', 'neutral', 'entailment']),
  'Xenova/all-MiniLM-L6-v2': bert(),
};

const placed = new Map();
function placeOf(name) {
  const files = MODELS[name];
  if (!files) throw new Error(`nothing stands in for ${name}`);
  if (typeof files === 'string') return files;
  if (!placed.has(name)) {
    placed.set(name, path.join(folder, name));
    writeFolder(placed.get(name), files);
  }
  return placed.get(name);
}

/** Runs a program; gives what it wrote, and the `output` that it ends with. */
function run(program) {
  const script = program
    .replace("'@huggingface/transformers'", "'webformer/pipeline'")
    .replace(/'((Xenova|onnx-community)\/[^']+)'/g, (_, name) => JSON.stringify(placeOf(name)));
  const last = `\nconsole.log('\\u0000' + JSON.stringify(output));`;
  const args = ['--input-type=module', '--eval', script + last];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  const [written, json] = stdout.split('\0');
  return { written, output: JSON.parse(json) };
}

const sum = (scores) => scores.reduce((a, b) => a + b, 0);
const isScore = (score) => assert.ok(score > 0 && score < 1, `${score} is no probability`);
const keysOf = (list) => list.map((item) => Object.keys(item).sort().join());

/** A program for transformers.js, and a check of its output. */
const example = (name, body, check) =>
  test(name, () => {
    const imports = body.includes('TextStreamer') ? 'pipeline, TextStreamer' : 'pipeline';
    check(run(`import { ${imports} } from '@huggingface/transformers';\n${body}`));
  });

example('sentiment of a text', `
const judge = await pipeline('sentiment-analysis', 'Xenova/distilbert-base-uncased-finetuned-sst-2-english');
const output = await judge('I love foxes!');`,
({ output: [{ label, score }, ...more] }) => {
  assert.ok(['NEGATIVE', 'POSITIVE'].includes(label));
  isScore(score);
  assert.deepEqual(more, []);
});

example('sentiment of several texts, on the GPU where there is one, with weights of 4 bits', `
const judge = await pipeline('sentiment-analysis', 'Xenova/distilbert-base-uncased-finetuned-sst-2-english', {
  device: 'auto',
  dtype: 'q4',
});
const output = await judge(['I love foxes!', 'The mouse ran.']);`,
({ output }) => assert.deepEqual(keysOf(output), ['label,score', 'label,score']));

example('the five likeliest labels', `
const reviewer = await pipeline('sentiment-analysis', 'Xenova/bert-base-multilingual-uncased-sentiment');
const output = await reviewer('A mouse saw the grapes.', { top_k: 5 });`,
({ output }) => {
  assert.deepEqual(output.map(({ label }) => label).sort(), STARS);
  assert.deepEqual(output.map(({ score }) => score), output.map(({ score }) => score).sort((a, b) => b - a));
  assert.ok(Math.abs(sum(output.map(({ score }) => score)) - 1) < 1e-6);
});

example('all labels, of which several may hold', `
const classifier = await pipeline('text-classification', 'Xenova/toxic-bert');
const output = await classifier('The fox ran, ran, ran.', { top_k: null });`,
({ output }) => {
  assert.deepEqual(output.map(({ label }) => label).sort(), ['insult', 'threat', 'toxic']);
  assert.ok(Math.abs(sum(output.map(({ score }) => score)) - 1) > 1e-3);
});

example('entities in a text', `
const recognizer = await pipeline('token-classification', 'Xenova/bert-base-NER');
const output = await recognizer('The fox saw the mouse');`,
({ output }) => assert.deepEqual(output.map(({ entity, index, word }) => ({ entity, index, word })),
  [{ entity: 'B-ANIMAL', index: 2, word: 'fox' }, { entity: 'B-ANIMAL', index: 5, word: 'mouse' }]));

example('the label of each token', `
const recognizer = await pipeline('ner', 'Xenova/bert-base-NER');
const output = await recognizer('The fox saw the mouse', { ignore_labels: [] });`,
({ output }) => assert.deepEqual(output.map(({ entity }) => entity), ['O', 'B-ANIMAL', 'O', 'O', 'B-ANIMAL']));

example('an answer from a text', `
const answerer = await pipeline('question-answering', 'Xenova/distilbert-base-uncased-distilled-squad');
const question = 'Who saw it?';
const context = 'The mouse ran. A fox saw it.';
const output = await answerer(question, context);`,
({ output: { answer, score } }) => {
  assert.equal(answer, 'fox');
  isScore(score);
});

example('words for a gap', `
const unmasker = await pipeline('fill-mask', 'Xenova/bert-base-cased');
const output = await unmasker('The fox saw a [MASK].');`,
({ output }) => assert.deepEqual(keysOf(output), Array(5).fill('score,sequence,token,token_str')));

example('the best word for a gap', `
const unmasker = await pipeline('fill-mask', 'Xenova/bert-base-cased');
const output = await unmasker('The [MASK] ran.', { top_k: 1 });`,
({ output: [{ score, sequence, token_str }, ...more] }) => {
  isScore(score);
  assert.equal(sequence, token_str.startsWith('##') ? `the${token_str.slice(2)} ran.` : `the ${token_str} ran.`);
  assert.deepEqual(more, []);
});

example('a text made of another', `
const poet = await pipeline('text2text-generation', 'Xenova/LaMini-Flan-T5-783M');
const output = await poet('Write of cats and love.', {
  max_new_tokens: 20,
  temperature: 0.9,
  repetition_penalty: 2.0,
  no_repeat_ngram_size: 3,
});`,
({ output }) => assert.deepEqual(keysOf(output), ['generated_text']));

example('a summary', `
const summarizer = await pipeline('summarization', 'Xenova/distilbart-cnn-6-6');
const text = 'Cats love cats. ' +
  'I love you, you love cats, and cats love you. '.repeat(4);
const output = await summarizer(text, {
  max_new_tokens: 10,
});`,
({ output }) => assert.deepEqual(keysOf(output), ['summary_text']));

example('a translation, and its translation back', `
const translator = await pipeline('translation', 'Xenova/nllb-200-distilled-600M');
const there = await translator('I love cats.', {
  src_lang: 'eng_Latn', // English
  tgt_lang: 'fra_Latn', // French
});
const output = await translator(there[0].translation_text, {
  src_lang: 'fra_Latn',
  tgt_lang: 'eng_Latn',
});`,
({ output }) => assert.deepEqual(keysOf(output), ['translation_text']));

example('a text that goes on', `
const teller = await pipeline('text-generation', 'Xenova/distilgpt2');
const text = 'Once upon a time';
const output = await teller(text, { max_new_tokens: 12 });`,
// It is sampled, as the model's generation_config.json says: any text may come.
({ output: [{ generated_text: tale }] }) => assert.ok(tale.length > 16 && tale.startsWith('Once upon a time'), tale));

example('two ways in which a text goes on', `
const teller = await pipeline('text-generation', 'Xenova/distilgpt2');
const text = 'There was a fox';
const output = await teller(text, {
  temperature: 2,
  max_new_tokens: 10,
  repetition_penalty: 1.5,
  no_repeat_ngram_size: 2,
  num_beams: 2,
  num_return_sequences: 2,
});`,
({ output }) => {
  assert.equal(new Set(output.map(({ generated_text }) => generated_text)).size, 2);
  for (const { generated_text } of output) assert.match(generated_text, /^There was a fox./);
});

example('a chat, written as it comes', `
const generator = await pipeline('text-generation', 'onnx-community/Qwen2.5-Coder-0.5B-Instruct', { dtype: 'q4' });
const messages = [
  { role: 'system', content: 'You love foxes.' },
  { role: 'user', content: 'What is a fox?' },
];
const streamer = new TextStreamer(generator.tokenizer, {
  skip_prompt: true,
});
const result = await generator(messages, {
  max_new_tokens: 16,
  do_sample: false,
  streamer,
});
const output = result[0].generated_text;`,
({ output, written }) => {
  assert.deepEqual(output.map(({ role }) => role), ['system', 'user', 'assistant']);
  assert.equal(written, `${output.at(-1).content}\n`);
});

example('which of the caller’s labels fits', `
const classifier = await pipeline('zero-shot-classification', 'Xenova/mobilebert-uncased-mnli');
const text = 'The mouse ran, and the fox saw it.';
const labels = [ 'fox', 'grapes', 'love' ];
const output = await classifier(text, labels);`,
({ output: { sequence, labels, scores } }) => {
  assert.equal(sequence, 'The mouse ran, and the fox saw it.');
  assert.deepEqual([...labels].sort(), ['fox', 'grapes', 'love']);
  assert.ok(Math.abs(sum(scores) - 1) < 1e-6);
});

example('which of the caller’s labels fit', `
const classifier = await pipeline('zero-shot-classification', 'Xenova/mobilebert-uncased-mnli');
const output = await classifier('A fox saw a mouse.', [ 'fox', 'mouse', 'grapes' ], { multi_label: true });`,
({ output: { scores } }) => {
  scores.forEach(isScore);
  assert.ok(Math.abs(sum(scores) - 1) > 1e-3);
});

example('a vector for each token', `
const extractor = await pipeline('feature-extraction', 'Xenova/all-MiniLM-L6-v2', { revision: 'main' });
const tensor = await extractor('The fox ran.');
const output = [tensor.type, tensor.dims, tensor.size, tensor.tolist()[0].length];`,
({ output }) => assert.deepEqual(output, ['float32', [1, 6, 16], 96, 6]));

example('a vector for a text', `
const extractor = await pipeline('feature-extraction', 'Xenova/all-MiniLM-L6-v2', { dtype: 'fp32' });
const tensor = await extractor(['The fox ran.', 'A mouse.'], { pooling: 'mean', normalize: true });
const output = [tensor.dims, ...tensor.tolist().map((row) => Math.hypot(...row).toFixed(4))];`,
({ output }) => assert.deepEqual(output, [[2, 16], '1.0000', '1.0000']));

example('a vector of bits', `
const extractor = await pipeline('feature-extraction', 'Xenova/all-MiniLM-L6-v2');
const { type, dims } = await extractor('The fox ran.', { pooling: 'mean', quantize: true, precision: 'binary' });
const output = { type, dims };`,
({ output }) => assert.deepEqual(output, { type: 'int8', dims: [1, 2] }));

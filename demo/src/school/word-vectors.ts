// One-hot against dense vectors on the reader's sentence, and the neighbours of a token in a learned table.
import { cosineSimilarity, oneHot, type Model } from 'webformer';
import { figure } from '../format';
import { barList, showBars } from './bars';
import { controls, createChoice } from './controls';
import { figureOf, type Part } from './lesson';
import { said, say } from './messages';
import { readForTales, type Sentence } from './position-data';
import { createValueGrid } from './value-grid';
import { weightOf } from './weights';

const MAX_WORDS = 8;
const NEIGHBOURS = 8;

export interface Neighbour { readonly token: string; readonly cosine: number }

/** The tokens whose rows of the embedding table are nearest to that of `id`. */
export async function neighboursOf(model: Model, id: number): Promise<Neighbour[]> {
  const { data, shape: [size, width] } = (await weightOf(model, 'embed_tokens.weight'))!;
  const row = (i: number) => data.subarray(i * width, (i + 1) * width);
  const cosines = Array.from({ length: size }, (_, i) => ({ i, cosine: i === id ? -2 : cosineSimilarity(row(id), row(i)) }));
  return cosines.sort((a, b) => b.cosine - a.cosine).slice(0, NEIGHBOURS)
    .map(({ i, cosine }) => ({ token: (model.tokenizer!.tokenOf(i) ?? '').replace(/^Ġ/, '·'), cosine }));
}

export function createWordVectors(): Part {
  let sentence: Sentence | null = null;
  let turn = 0;
  const kind = createChoice<'onehot' | 'dense'>('words.kind', [['onehot', 'words.onehot'], ['dense', 'words.dense']], () => draw());
  const about = said('p', 'words.about.onehot', { class: 'hint lesson-about' });
  const names = () => sentence!.tokens.slice(0, MAX_WORDS);
  const grid = createValueGrid({
    label: () => say('words.cosines'), picked: (row) => pick(row),
    told: (row, column, value) => say('words.cosine', { a: names()[row], b: names()[column], value: figure(value) }),
  });
  const title = said('h4', 'words.neighbours');
  const list = barList();

  function draw(): void {
    if (!sentence) return;
    const count = names().length, isDense = kind.value() === 'dense';
    const { data, shape: [, width] } = isDense ? sentence.embedding : oneHot(sentence.ids.slice(0, count), sentence.model.info.vocabSize);
    const row = (i: number) => data.subarray(i * width, (i + 1) * width);
    const values = Array.from({ length: count * count }, (_, i) => cosineSimilarity(row(Math.floor(i / count)), row(i % count)));
    about.dataset.say = `words.about.${kind.value()}`;
    about.textContent = say(isDense ? 'words.about.dense' : 'words.about.onehot', { size: sentence.model.info.vocabSize, width });
    grid.show({ values, columns: count, rowNames: names(), columnNames: names(), most: 1, written: true });
  }

  async function pick(row: number): Promise<void> {
    if (!sentence) return;
    const mine = ++turn;
    const found = await neighboursOf(sentence.model, sentence.ids[row]);
    if (mine !== turn) return;
    title.textContent = say('words.neighboursOf', { token: names()[row] });
    showBars(list, found.map(({ token, cosine }) => ({ name: token, share: cosine, told: figure(cosine) })));
  }

  return {
    element: figureOf('words.cosines', said('p', 'words.cosines.lead', { class: 'hint' }), controls(kind.element), about, grid.element,
      title, list),
    async show(text, signal) {
      sentence = await readForTales(text, signal);
      draw();
      await pick(Math.min(1, names().length - 1));
    },
  };
}

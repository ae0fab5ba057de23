// What the small encoders have in common: one vocabulary, one BERT that has learned to fill masks, one way to learn labels.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { trainTokenizer } from 'webformer';

const SPECIAL = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'];
const LONGEST = 256;

/** A cased WordPiece vocabulary of the texts, as a tokenizer.json with BERT's template. */
export async function makeTokenizer(texts, vocabSize) {
  const tokenizer = await trainTokenizer('wordpiece', texts, {
    vocabSize, limitAlphabet: 160, specialTokens: SPECIAL,
    normalizer: { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, strip_accents: true, lowercase: false },
    preTokenizer: { type: 'BertPreTokenizer' },
  });
  const special = (id) => ({ SpecialToken: { id, type_id: 0 } }), token = (id) => [id, { id, ids: [SPECIAL.indexOf(id)], tokens: [id] }];
  return {
    ...JSON.parse(tokenizer.save()),
    post_processor: {
      type: 'TemplateProcessing',
      single: [special('[CLS]'), { Sequence: { id: 'A', type_id: 0 } }, special('[SEP]')],
      pair: [special('[CLS]'), { Sequence: { id: 'A', type_id: 0 } }, special('[SEP]'), { Sequence: { id: 'B', type_id: 1 } },
        { SpecialToken: { id: '[SEP]', type_id: 1 } }],
      special_tokens: Object.fromEntries(['[CLS]', '[SEP]'].map(token)),
    },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
  };
}

/** Writes what a new model begins with: the folder of a BERT that fills masks, but for its weights. */
export function writeNewModel(folder, tokenizer, { width, layers, heads, inner }) {
  mkdirSync(folder, { recursive: true });
  const config = {
    architectures: ['BertForMaskedLM'], model_type: 'bert', vocab_size: Object.keys(tokenizer.model.vocab).length, hidden_size: width,
    num_hidden_layers: layers, num_attention_heads: heads, intermediate_size: inner, hidden_act: 'gelu', max_position_embeddings: LONGEST,
    type_vocab_size: 2, layer_norm_eps: 1e-12, initializer_range: 0.04, pad_token_id: 0, tie_word_embeddings: true, torch_dtype: 'float32',
  };
  const tokenizerConfig = {
    tokenizer_class: 'BertTokenizer', do_lower_case: false, strip_accents: true, model_max_length: LONGEST, pad_token: '[PAD]',
    unk_token: '[UNK]', cls_token: '[CLS]', sep_token: '[SEP]', mask_token: '[MASK]',
  };
  const write = (name, value) => writeFileSync(path.join(folder, name), `${JSON.stringify(value, null, 2)}\n`);
  write('config.json', config);
  write('tokenizer.json', tokenizer);
  write('tokenizer_config.json', tokenizerConfig);
}

/** The label of each word, which is that of its first token; 'O' where the text was cut before it. */
export async function tagWords(model, sentences) {
  const texts = sentences.map(({ words }) => words.join(' '));
  const tags = await model.tagTokens(texts, { aggregation: 'none', ignoreLabels: [] });
  return sentences.map(({ words }, i) => {
    let start = 0;
    return words.map((word) => {
      const end = start + word.length, tag = tags[i].find((one) => one.end > start && one.start < end);
      start = end + 1;
      return tag?.label ?? 'O';
    });
  });
}

/** The likeliest label of each text. */
export async function classifyTexts(model, texts) {
  const found = await model.classify(texts);
  return found.map(([best]) => best.label);
}

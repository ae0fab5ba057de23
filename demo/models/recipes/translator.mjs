// What the translators have in common: one vocabulary for both languages, a Marian encoder-decoder, BLEU.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { trainTokenizer } from 'webformer';
import { bleu } from './metrics.mjs';

const PAD = '<pad>', END = '</s>', UNKNOWN = '<unk>', LONGEST = 256;

/** A unigram vocabulary of the texts, as a tokenizer.json that ends each text with `</s>`. */
async function makeTokenizer(texts, vocabSize) {
  const tokenizer = await trainTokenizer('unigram', texts, {
    vocabSize, specialTokens: [PAD, END, UNKNOWN], unknownToken: UNKNOWN,
    normalizer: {
      type: 'Sequence',
      normalizers: [
        { type: 'NFKC' }, { type: 'Replace', pattern: { Regex: '\\s+' }, content: ' ' },
        { type: 'Strip', strip_left: true, strip_right: true },
      ],
    },
    preTokenizer: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true },
  });
  const sequence = (id) => ({ Sequence: { id, type_id: 0 } }), end = { SpecialToken: { id: END, type_id: 0 } };
  return {
    ...JSON.parse(tokenizer.save()),
    post_processor: {
      type: 'TemplateProcessing', single: [sequence('A'), end], pair: [sequence('A'), sequence('B'), end],
      special_tokens: { [END]: { id: END, ids: [1], tokens: [END] } },
    },
    decoder: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true },
  };
}

/** Writes what a new model begins with: the folder of a Marian, but for its weights. */
function writeNewModel(folder, tokenizer, { width, heads, inner, encoderLayers, decoderLayers }) {
  mkdirSync(folder, { recursive: true });
  const vocabulary = tokenizer.model.vocab.length;
  const config = {
    architectures: ['MarianMTModel'], model_type: 'marian', is_encoder_decoder: true, vocab_size: vocabulary,
    decoder_vocab_size: vocabulary, d_model: width, encoder_layers: encoderLayers, decoder_layers: decoderLayers,
    encoder_attention_heads: heads, decoder_attention_heads: heads, encoder_ffn_dim: inner, decoder_ffn_dim: inner,
    activation_function: 'swish', init_std: 1 / Math.sqrt(width), max_position_embeddings: LONGEST, scale_embedding: true,
    share_encoder_decoder_embeddings: true, tie_word_embeddings: true, pad_token_id: 0, eos_token_id: 1, bos_token_id: null,
    decoder_start_token_id: 0, forced_eos_token_id: 1, torch_dtype: 'float32',
  };
  const generation = {
    decoder_start_token_id: 0, eos_token_id: 1, forced_eos_token_id: 1, pad_token_id: 0, num_beams: 4, max_length: 128,
  };
  const tokenizerConfig = {
    tokenizer_class: 'PreTrainedTokenizerFast', pad_token: PAD, eos_token: END, unk_token: UNKNOWN, model_max_length: LONGEST,
  };
  const write = (name, value) => writeFileSync(path.join(folder, name), `${JSON.stringify(value, null, 1)}\n`);
  write('config.json', config);
  write('generation_config.json', generation);
  write('tokenizer.json', tokenizer);
  write('tokenizer_config.json', tokenizerConfig);
}

/**
 * The recipe of a translator. `pairs(side)` gives `{ source, target }`. The rate stays as it is for `steps` steps, then falls to 0 in a
 * quarter as many again, so that a run can be made longer and keeps what it has learned.
 */
export function translatorRecipe({ about, minutes, pairs, vocabSize, size, steps, options }) {
  const decay = Math.round(steps / 4);
  return {
    about, minutes, task: 'translation',
    async prepare({ writeRows, folder }) {
      const train = pairs('train');
      writeNewModel(folder, await makeTokenizer(train.flatMap(({ source, target }) => [source, target]), vocabSize), size);
      writeRows('train', train);
      writeRows('validation', pairs('validation'));
    },
    options: {
      fresh: true, 'label-smoothing': 0.1, 'weight-decay': 0.01, clip: 1, beta2: 0.98, seed: 1, 'validate-every': 1000,
      'checkpoint-every': 200, ...options,
    },
    stages: [{ schedule: 'constant', warmup: 500, steps }, { schedule: 'linear', warmup: steps, steps: steps + decay }],
    /** Each source text once, all its translations as references, as sacrebleu scores them. */
    async evaluate(model) {
      const references = new Map();
      for (const { source, target } of pairs('test')) references.set(source, [...references.get(source) ?? [], target]);
      const sources = [...references.keys()].sort();
      const scored = async (numBeams) => {
        const { texts } = await model.translate(sources, { numBeams, maxNewTokens: 96 }).result();
        return bleu(texts, sources.map((source) => references.get(source)));
      };
      return { sentences: sources.length, beam4: await scored(4), greedy: await scored(1) };
    },
  };
}

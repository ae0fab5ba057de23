export const tokens = {
  'tokens.what': 'A model does not read letters or words but tokens, pieces from a list that was learned before it: its vocabulary. '
    + 'Whole words are few tokens but a long list, and a word that is not on it is lost. Single characters lose none that was '
    + 'learned, but make long sequences, and a letter means little.',
  'tokens.kinds': 'So most models cut words into pieces: frequent words stay whole, rare ones fall apart. BPE (GPT, LLaMA) joins the '
    + 'most frequent pair again and again; byte-level BPE does so on bytes, and so knows every text. WordPiece (BERT) joins the pair '
    + 'that says most, and marks what goes on inside a word by ##. Unigram (T5) starts with many pieces and drops those that are missed '
    + 'least.',
  'tokens.figure': 'Six tokenizers on your sentence',
  'tokens.figure.lead': 'Each learns from the text below as soon as you change it, and then cuts your sentence.',
  'tokens.text': 'Text to learn from',
  'tokens.size': 'Vocabulary at most',
  'tokens.pieces': 'Pieces',
  'tokens.count': 'Count',
  'tokens.vocabulary': 'Vocabulary',
  'tokens.failed': 'A tokenizer could not be trained',
  'tokens.more': 'See the tokenizers of the models of this page, and byte-pair encoding merge by merge',
  'tokens.exercise.question': 'BPE learns from four words: lowest, lower, newer, wider. Which pair does it join first?',
  'tokens.exercise.option.0': 'l + o',
  'tokens.exercise.option.1': 'e + r',
  'tokens.exercise.option.2': 's + t',
  'tokens.exercise.right': '“er” is in three of the words, “lo” in two, “st” in one.',
  'tokens.exercise.wrong': 'Count in how many of the words each pair is.',
};

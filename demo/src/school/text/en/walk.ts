export const walk = {
  'walk.what': 'Here a sentence goes all the way through the English to French model of this page: a Marian, an encoder-decoder with '
    + 'three layers on one side and two on the other, each vector 192 numbers wide. Choose any cell to see its numbers.',
  'walk.tokens': '1. From text to tokens to ids',
  'walk.tokens.lead': 'The tokenizer cuts the text into pieces of its vocabulary of 4,000; ▁ is the space before a word. Each piece has '
    + 'a number, its id. </s> ends the sentence.',
  'walk.encoder': '2. Through the encoder',
  'walk.encoder.lead': 'The first row is the embedding of each token, a row of a learned table times √192, plus the sinusoids of its '
    + 'position. Each layer makes new vectors of them. The number is the cosine with the row before: the lower, the more the layer '
    + 'changed that token.',
  'walk.writing': '3. Writing, one token at a time',
  'walk.writing.lead': 'The decoder reads what is written so far and looks across at the encoder’s output. Its last vector, times the '
    + 'embedding table, gives a logit for each token of the vocabulary; softmax makes probabilities of them. The likeliest is written, '
    + 'and all begins anew.',
  'walk.decoder': '4. Inside the decoder',
  'walk.decoder.lead': 'The same picture for the decoder. Its columns are what it read: the start token, which is <pad> here, then each '
    + 'token that it had written. From the last row of a column comes the next token.',
  'walk.embedding': 'embedding',
  'walk.layer': 'layer {n}',
  'walk.cell.first': '“{token}”: its embedding, with its position',
  'walk.cell': '“{token}” after {stage}: cosine {value} with the row before',
  'walk.part': 'Show',
  'walk.part.output': 'what the layer gives',
  'walk.part.query': 'query',
  'walk.part.key': 'key',
  'walk.part.value': 'value',
  'walk.part.context': 'mixed values',
  'walk.part.attention': 'output of attention',
  'walk.part.activation': 'activation of the feed-forward',
  'walk.part.ffn': 'output of the feed-forward',
  'walk.vector': 'Vector',
  'walk.vectorOf': '“{token}”, {stage}: {part}',
  'walk.noVector': '“{token}”: an embedding has no {part}. Choose a layer.',
  'walk.number': 'number {i}: {value}',
  'walk.step': 'Step',
  'walk.before': 'Back',
  'walk.after': 'Next',
  'walk.sofar': '{read} → {written}',
  'walk.candidates': 'The likeliest tokens',
  'walk.token': 'Token',
  'walk.id': 'Id',
  'walk.logit': 'Logit',
  'walk.looked': 'Where it looks: last layer, mean of its heads',
  'walk.result': 'The translation',
  'walk.cache': 'All steps are shown here by one pass over the finished translation: a causal mask makes that the same as running them '
    + 'one by one. When it writes, the model keeps keys and values in its cache and computes one column a step.',
  'walk.exercise.question': 'The translation is “{text}”. How many times did the decoder run to write it, the end of the sentence '
    + 'included?',
  'walk.exercise.right': 'Once for each token that it wrote, and once for </s>.',
  'walk.exercise.wrong': 'Move the slider of step 3 to its end.',
};

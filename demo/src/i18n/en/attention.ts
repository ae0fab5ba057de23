/** What index.html says of the tab. */
export const attention = {
  'attention.lead': 'To write a word, the model looks at others, each of its heads in its own way. See where each looks, and take one look '
    + 'apart.',
  'attention.kind': 'Who looks',
  'attention.kind.encoder': 'the source at itself',
  'attention.kind.cross': 'the translation at the source',
  'attention.kind.decoder': 'the translation at itself',
  'attention.text': 'Sentence',
  'attention.heads': 'All layers and heads',
  'attention.heads.help': 'A row is a layer. Choose a head, also by the arrow keys.',
  'attention.matrix.help': 'A row looks, the columns are looked at: the stronger the colour, the more. Choose a cell, also by the arrow '
    + 'keys, to take it apart.',
};

export const attend = {
  'attend.what': 'Attention lets a token gather what it needs from others. Think of a library: the query is what it looks for, a key is '
    + 'what stands on the back of a book, the value is what is in it. All three are made of the same vectors, by three learned matrices.',
  'attend.why': 'Why three? If a token were compared with others as it is, the relation would be fixed and mutual: “old” would look at '
    + '“man” as much as “man” at “old”. With a matrix for looking and another for being found, a token can look without being looked at; '
    + 'with a third, what it passes on need not be what it was found by.',
  'attend.figure': 'From vectors to attention, on your sentence',
  'attend.figure.lead': 'First layer of the tale teller, with its own weights. Go through the stages in their order.',
  'attend.stage': 'Stage',
  'attend.stage.same': 'X Xᵀ, without matrices',
  'attend.stage.products': '1. Q Kᵀ',
  'attend.stage.scaled': '2. divided by √d',
  'attend.stage.weights': '3. masked, softmax',
  'attend.stage.mixed': '4. times V',
  'attend.about.same': 'Were queries and keys the vectors themselves: the picture is its own mirror image, and each token is most like '
    + 'itself.',
  'attend.about.products': 'Each row is a query, each column a key. The picture is no longer its own mirror image.',
  'attend.about.scaled': 'The same, smaller by √48 = 6.93, the root of the size of a head: so that softmax does not take one for all.',
  'attend.about.weights': 'What comes later is hidden, and each row sums to 1.',
  'attend.about.mixed': 'Each row is the sum of the values, times the weights: 48 numbers for each token, which the heads put side by '
    + 'side.',
  'attend.cell': '“{query}” and “{key}”: {value}',
  'attend.number': '“{token}”, number {i}: {value}',
  'attend.heads': 'One head sees one kind of relation. So there are several, each with matrices of its own and a part of the width: 512 '
    + 'numbers are 8 heads of 64. They cost no more than one large one. Their outputs are joined and mixed by a fourth matrix, W_O. '
    + 'Where several heads share a key and a value (grouped-query attention), the cache is smaller.',
  'attend.three': 'The same operation stands in three places. In an encoder all look at all; in a decoder each looks back; across, the '
    + 'queries are the decoder’s, the keys and values the encoder’s.',
  'attend.more': 'See every head of the translation model, and take one of its weights apart',
  'attend.exercise.question': 'A multi-head attention of width 64 with 8 heads has no biases. How many weights are in its four matrices?',
  'attend.exercise.right': '4 · 64 · 64. The number of heads does not matter.',
  'attend.exercise.wrong': 'Each of W_Q, W_K, W_V, W_O takes 64 numbers to 64.',
};

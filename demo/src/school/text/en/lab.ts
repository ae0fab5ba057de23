export const lab = {
  'lab.what': 'A model learns by guessing. Its loss is −ln of the probability that it gave to the right answer: 0 if it was sure, large '
    + 'if it was surprised. Backpropagation says for each weight which way the loss would fall; the optimizer takes a small step that '
    + 'way, again and again.',
  'lab.how': 'Adam gives every weight its own pace, by the mean of its gradients and of their squares. A warm-up lets the first steps be '
    + 'small, then the rate falls. Too large a gradient is clipped. Here a Transformer of two layers, 32 numbers wide, starts from '
    + 'random weights.',
  'lab.title': 'Train one while you watch',
  'lab.task': 'What it learns',
  'lab.task.classifier': 'to classify (BERT)',
  'lab.task.translator': 'to translate (Marian)',
  'lab.task.writer': 'to write (GPT-2)',
  'lab.about.classifier': 'A line is a label, a colon and a text; at least two labels.',
  'lab.about.translator': 'A line is a sentence, a bar and its translation. The words are its vocabulary.',
  'lab.about.writer': 'Every line is a text to learn; the model reads it letter by letter, and is asked for the next one.',
  'lab.lines': 'Your lines',
  'lab.wrong': 'These lines do not fit the task',
  'lab.failed': 'The model could not be trained',
  'lab.steps': 'Steps',
  'lab.rate': 'Learning rate',
  'lab.facts': '{parameters} parameters · epoch {epoch} · gradient {norm} · rate {rate}',
  'lab.question': 'Ask it',
  'lab.samples': 'What it says as it learns',
  'lab.says': 'Its answer',
  'lab.looks': 'Where its last layer looks, as that forms',
  'lab.trained': 'Trained, the loss is {loss}.',
  'lab.shelve': 'Put it among the models of this page',
  'lab.save': 'Download its files',
  'lab.shelved': '{name} is below, among the models, and in the tabs that can use it.',
  'lab.saved': 'Put them into one folder: {files}. It loads here, in node and in transformers.',
  'lab.exercise.question': 'Before it has learned anything, a classifier of two labels holds both for equally likely. What is its loss?',
  'lab.exercise.right': '−ln 0.5 = ln 2: where the curve of the classifier begins, more or less.',
  'lab.exercise.wrong': 'The right label has the probability 0.5. Take −ln of it.',
};

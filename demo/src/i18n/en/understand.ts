/** What index.html says of the tab. */
export const understand = {
  'understand.lead': 'Models that read, each with one errand. Type, and the result changes with the text.',
  'understand.page': 'With a model of this page',
  'understand.own': 'With a model of yours',
  'understand.result': 'Result',
  'errand.pos': 'Parts of speech',
  'errand.slots': 'Slots of a command',
  'errand.intents': 'Intent of a command',
  'errand.spam': 'Spam',
  'errand.mask': 'Missing words',
  'errand.similar': 'Similar lines',
  'errand.sentiment': 'Sentiment',
  'errand.labels': 'Labels of your own',
  'errand.answer': 'Answers',
  'errand.summary': 'Summary',
};

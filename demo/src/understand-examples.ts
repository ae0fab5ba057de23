// A good example of each errand, the first of which stands there at the beginning.
import type { Errand } from './errands';
import type { Input } from './readings';

const LINES = [
  'The train to Paris leaves at noon.', 'The weather is terrible today.', 'The cat is sleeping on the sofa.',
  'I missed the bus this morning.', 'She cooked a delicious soup.', 'We went swimming in the lake.', 'Dinner is ready.',
  'My brother lost his keys again.',
].join('\n');

const TALE = 'The little mermaid was the youngest of six sisters. She lived with her father, the king of the sea, and with her old '
  + 'grandmother in a castle of coral. When she was fifteen years old, she rose to the surface for the first time, and saw a ship with '
  + 'a young prince on board. At night there came a storm. The ship broke, and the mermaid carried the prince to the shore, where a girl '
  + 'from a convent found him. He never knew who had saved him.';

const plain = (text: string): Input => ({ text, second: '' });

export const EXAMPLES: Readonly<Record<Errand['name'], readonly Input[]>> = {
  pos: [
    "I can't open the can of beans, can you?", 'The quick brown fox jumps over the lazy dog.', 'Mary gave him three books about London.',
    'She saw a bird near the old bank, and it quickly flew away.',
  ].map(plain),
  slots: [
    'Play the newest album by Miles Davis on Spotify', 'Will it rain in Seoul next Friday', 'Add this song to my summer party playlist',
    'Give five stars to the book The Old Man and the Sea', 'Book a table for four at an italian restaurant tomorrow at noon',
  ].map(plain),
  intents: [
    'Book a table for four at an Italian restaurant tomorrow', 'Will it rain in Seoul next Friday?', 'Play something by Miles Davis',
    'Give five stars to this book', 'When is the new Star Wars movie playing near me',
  ].map(plain),
  spam: [
    'Congratulations! You have won a £1000 prize. Call 09061701461 now to claim. Offer ends tonight.',
    'I will be ten minutes late, start dinner without me', 'Free entry! Text WIN to 80082 for your chance',
    'Can you pick up some milk on your way home? Love you',
  ].map(plain),
  mask: [
    'Once upon a time there was a little [MASK] who had a beautiful [MASK].', 'What [MASK] is it?', 'I would like a cup of [MASK], please.',
    'I have to go to [MASK] because I am [MASK].',
  ].map(plain),
  similar: ['A dog lies on the couch.', 'The weather is bad.', 'We swam in the sea.'].map((text) => ({ text, second: LINES })),
  sentiment: ['What a wonderful film, I could have watched it all night!', 'The soup was cold, and nobody said sorry.'].map(plain),
  labels: [
    { text: 'The striker scored twice in the last ten minutes.', second: 'sport\npolitics\ncooking\nscience' },
    { text: 'Stir the onions until they are golden.', second: 'sport\npolitics\ncooking\nscience' },
  ],
  answer: ['Where did the little mermaid live?', 'How old was she?', 'Who found the prince?'].map((text) => ({ text, second: TALE })),
  summary: [plain(TALE)],
};

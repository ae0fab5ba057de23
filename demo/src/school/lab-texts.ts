// What the three tasks begin with; the reader writes over it.
import type { Task } from './lab-tasks';

const classifier = `good: what a lovely day
good: I love this book
good: the food was great
good: a wonderful film
good: we had a great time
good: the garden is beautiful
good: I am very happy today
good: thank you for the lovely gift
good: this film is great
good: the room was beautiful
good: I love the food
good: a happy day in the garden
bad: what a terrible day
bad: I hate this book
bad: the food was cold
bad: a boring film
bad: we had a terrible time
bad: the room is dirty
bad: I am very sad today
bad: no thank you for the boring gift
bad: this film is terrible
bad: the garden was dirty
bad: I hate the food
bad: a sad day in the room`;

const translator = `hello | bonjour
good morning | bonjour
thank you | merci
the cat sleeps | le chat dort
the dog sleeps | le chien dort
the cat eats | le chat mange
the dog eats | le chien mange
a cat | un chat
a dog | un chien
the house is red | la maison est rouge
the house is blue | la maison est bleue
the cat is black | le chat est noir
the dog is black | le chien est noir
the dog is red | le chien est rouge`;

const writer = `the quick brown fox jumps over the lazy dog
the lazy dog sleeps under the old tree
the old owl sits in the old tree`;

export const TEXTS: Record<Task, { lines: string; question: string }> = {
  classifier: { lines: classifier, question: 'what a beautiful book' },
  translator: { lines: translator, question: 'the house is black' },
  writer: { lines: writer, question: 'the lazy' },
};

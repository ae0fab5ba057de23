// The steps of the reading path, in their order. Each is fetched when it is first shown.
import type { Lesson } from './lesson';

export const STEPS = [
  { id: 'tokens', load: async (): Promise<Lesson> => (await import('./tokens')).tokensLesson() },
  { id: 'words', load: async (): Promise<Lesson> => (await import('./words')).wordsLesson() },
  { id: 'positions', load: async (): Promise<Lesson> => (await import('./positions')).positionsLesson() },
  { id: 'attention', load: async (): Promise<Lesson> => (await import('./attend')).attendLesson() },
  { id: 'scores', load: async (): Promise<Lesson> => (await import('./scores')).scoresLesson() },
  { id: 'masks', load: async (): Promise<Lesson> => (await import('./masks')).masksLesson() },
  { id: 'activations', load: async (): Promise<Lesson> => (await import('./activations')).activationsLesson() },
  { id: 'norms', load: async (): Promise<Lesson> => (await import('./norms')).normsLesson() },
  { id: 'depth', load: async (): Promise<Lesson> => (await import('./depth')).depthLesson() },
  { id: 'cost', load: async (): Promise<Lesson> => (await import('./cost')).costLesson() },
  { id: 'walk', load: async (): Promise<Lesson> => (await import('./walk')).walkLesson() },
  { id: 'families', load: async (): Promise<Lesson> => (await import('./families')).familiesLesson() },
  { id: 'train', load: async (): Promise<Lesson> => (await import('./lab')).labLesson() },
] as const;
export type StepId = typeof STEPS[number]['id'];
export const isStep = (name: string): name is StepId => STEPS.some(({ id }) => id === name);

// How one sentence was translated: its words against those of the source, and all that the beams tried.
import { createAlignment } from './alignment';
import { alignmentOf } from './alignment-data';
import { treeOf } from './beam-data';
import { createBeamTree } from './beam-tree';
import type { Translation } from './translation';

export interface InsideView {
  show(translation: Translation, languages: { from: string; to: string }, word: number): void;
  clear(): void;
}

/** `pointed` is called with the word of the translation that the user points out. */
export function createInside(pointed: (word: number) => void): InsideView {
  const alignment = createAlignment(pointed);
  const beams = createBeamTree();
  return {
    show(translation, languages, word) {
      alignment.show(alignmentOf(translation, languages), languages, word);
      beams.show(treeOf(translation), languages.to);
    },
    clear() {
      alignment.clear();
      beams.clear();
    },
  };
}

// A text cut into its tokens, as an interlinear gloss: each piece on a coloured ground, its id beneath.
import type { Encoding } from 'webformer';
import { h } from './dom';
import { visible } from './candidates';

/** More are counted but not drawn. */
export const MAX_DRAWN = 1500;
const TONES = 5;

export interface Piece { index: number; token: string; id: number; start: number; end: number; special: boolean }

export const piecesOf = (encoding: Encoding): Piece[] => encoding.ids.map((id, index) => {
  const [start, end] = encoding.offsets[index];
  return { index, id, token: encoding.tokens[index], start, end, special: encoding.specialMask[index] === 1 };
});

/** What to draw: the piece's characters; the token, where it has none; dots, where it goes on with the bytes of the same character. */
function faceOf(piece: Piece, before: Piece | undefined, text: string): string {
  const shared = before !== undefined && before.start === piece.start && before.end === piece.end;
  if (piece.special || piece.start === piece.end) return piece.token;
  return shared ? '⋯' : visible(text.slice(piece.start, piece.end));
}

/** The signs that stand for spaces, set paler than what is there to be read. */
const withSpaces = (face: string) => face.split(/([␣↵⇥]+)/).map((part, i) => (i % 2 ? h('span', { class: 'space' }, part) : part));

export function drawPieces(pieces: readonly Piece[], text: string): HTMLElement[] {
  return pieces.slice(0, MAX_DRAWN).map((piece, i) => {
    const tone = piece.special ? 'special' : `tone-${i % TONES}`;
    return h('span', { class: `piece ${tone}`, 'data-index': piece.index },
      h('span', { class: 'piece-text', dir: piece.special && 'ltr' }, ...withSpaces(faceOf(piece, pieces[i - 1], text))),
      h('span', { class: 'piece-id' }, String(piece.id)));
  });
}

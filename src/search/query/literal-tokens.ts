/** The words of a piece of text as it stands: those at its ends may be parts of longer ones. */
import { forEachToken, joinsWords, MAX_TOKEN } from '../../notes/text/tokens.ts';
import type { NoteIndex } from '../index/note-index.ts';

/** Open where the word it belongs to may go on. */
export interface LiteralToken {
  readonly text: string;
  readonly openLeft: boolean;
  readonly openRight: boolean;
}

export function literalTokens(piece: string): LiteralToken[] {
  const tokens: LiteralToken[] = [];
  forEachToken(piece, (start, end) => {
    const text = piece.slice(start, end);
    const openLeft = start === 0 && joinsWords(text);
    const openRight = (end === piece.length || text.length === MAX_TOKEN) && joinsWords(text);
    tokens.push({ text, openLeft, openRight });
  });
  return tokens;
}

/** The words of the index that the token can be or be part of. */
export function wordsFor(index: NoteIndex, { text, openLeft, openRight }: LiteralToken): readonly number[] {
  if (openLeft || openRight) {
    const place = openLeft && openRight ? 'anywhere' : openLeft ? 'end' : 'start';
    return index.vocabulary.containing(text, place);
  }
  const word = index.vocabulary.find(text);
  return word === undefined ? [] : [word];
}

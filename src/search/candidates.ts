/**
 * Which notes can hold a piece of text as it stands. The words inside the piece must be words of the note;
 * the one at its beginning may be the end of a word, the one at its end the beginning of one, and a single
 * one may stand inside. What comes out still has to be checked against the text, except for a single word.
 */
import type { NoteIndex } from './note-index.ts';
import { forEachToken, joinsWords, LONG_RUN_MARK, MAX_TOKEN } from './tokens.ts';

export interface LiteralCandidates {
  /** Numbers of notes whose words alone prove it. */
  readonly certain: readonly number[];
  /** Numbers of notes whose text has to be read. */
  readonly possible: readonly number[];
}

/** Undefined when the piece holds nothing that is indexed (`++`): then any note can hold it. */
export function notesThatMayHold(index: NoteIndex, piece: string): LiteralCandidates | undefined {
  const tokens: { text: string; start: number; end: number }[] = [];
  forEachToken(piece, (start, end) => tokens.push({ text: piece.slice(start, end), start, end }));
  if (tokens.length === 0) return undefined;
  /** How many of the tokens, from the first on, the note holds. */
  const reached = new Uint8Array(index.span);
  const { sizes } = index;
  let holders: number[] = [];
  for (const [stage, { text, start, end }] of tokens.slice(0, 250).entries()) {
    holders = [];
    const openLeft = start === 0 && joinsWords(text);
    const openRight = (end === piece.length || text.length === MAX_TOKEN) && joinsWords(text);
    for (const word of wordsFor(index, text, openLeft, openRight)) {
      index.postings.forEach(word, (note) => {
        if (reached[note] !== stage || sizes[note] === 0) return;
        reached[note] = stage + 1;
        holders.push(note);
      });
    }
  }
  const isProof = tokens.length === 1 && tokens[0]?.text === piece;
  const others = notesWithLongRuns(index).filter((note) => reached[note] !== Math.min(tokens.length, 250));
  return isProof
    ? { certain: holders, possible: others }
    : { certain: [], possible: [...holders, ...others] };
}

/** Notes with runs too long to be indexed whole can hold anything. */
function notesWithLongRuns(index: NoteIndex): number[] {
  const mark = index.vocabulary.find(LONG_RUN_MARK);
  const notes: number[] = [];
  if (mark !== undefined) index.postings.forEach(mark, (note) => void (index.note(note) && notes.push(note)));
  return notes;
}

function wordsFor(index: NoteIndex, text: string, openLeft: boolean, openRight: boolean): readonly number[] {
  if (openLeft || openRight) {
    const place = openLeft && openRight ? 'anywhere' : openLeft ? 'end' : 'start';
    return index.vocabulary.containing(text, place);
  }
  const word = index.vocabulary.find(text);
  return word === undefined ? [] : [word];
}

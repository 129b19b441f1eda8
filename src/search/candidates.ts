/**
 * Which notes can hold a piece of text as it stands. The words inside the piece must be words of the note;
 * the one at its beginning may be the end of a word, the one at its end the beginning of one, and a single
 * one may stand inside. What comes out still has to be checked against the text, except for a single word.
 */

import { forEachToken, joinsWords, LONG_RUN_MARK, MAX_TOKEN } from '../notes/words/tokens.ts';
import type { NoteIndex } from './note-index.ts';

export interface LiteralCandidates {
  /** Numbers of notes whose words alone prove it. */
  readonly certain: readonly number[];
  /** Numbers of notes whose text has to be read. */
  readonly possible: readonly number[];
}

/** Open where the word it belongs to may go on. */
interface Token {
  readonly text: string;
  readonly openLeft: boolean;
  readonly openRight: boolean;
}

/** So few are looked into sooner than all the notes with words that begin with a single letter. */
const FEW = 24;

const isWhole = ({ openLeft, openRight }: Token) => !openLeft && !openRight;

/** Undefined when the piece holds nothing that is indexed (`++`): then any note can hold it. */
export function notesThatMayHold(index: NoteIndex, piece: string): LiteralCandidates | undefined {
  const tokens: Token[] = [];
  forEachToken(piece, (start, end) => {
    const text = piece.slice(start, end);
    const openLeft = start === 0 && joinsWords(text);
    const openRight = (end === piece.length || text.length === MAX_TOKEN) && joinsWords(text);
    tokens.push({ text, openLeft, openRight });
  });
  if (tokens.length === 0) return undefined;
  // A whole word is one word of the index, and often leaves no note for the many that the others can be part of.
  const stages = [...tokens.filter(isWhole), ...tokens.filter((token) => !isWhole(token))].slice(0, 250);
  /** How many of the tokens, from the first on, the note holds. */
  const reached = new Uint8Array(index.span);
  const { sizes } = index;
  let holders: number[] = [];
  let stagesDone = 0;
  for (const [stage, token] of stages.entries()) {
    holders = [];
    for (const word of wordsFor(index, token)) {
      index.postings.forEach(word, (note) => {
        if (reached[note] !== stage || sizes[note] === 0) return;
        reached[note] = stage + 1;
        holders.push(note);
      });
    }
    stagesDone = stage + 1;
    if (holders.length <= FEW) break;
  }
  const isProof = tokens.length === 1 && tokens[0]?.text === piece;
  const others = notesWithLongRuns(index).filter((note) => reached[note] !== stagesDone);
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

function wordsFor(index: NoteIndex, { text, openLeft, openRight }: Token): readonly number[] {
  if (openLeft || openRight) {
    const place = openLeft && openRight ? 'anywhere' : openLeft ? 'end' : 'start';
    return index.vocabulary.containing(text, place);
  }
  const word = index.vocabulary.find(text);
  return word === undefined ? [] : [word];
}

/**
 * The notes that can hold a piece of text as it stands. The words inside the piece must be words of the note;
 * the one at its beginning may be the end of a word, the one at its end the beginning of one, and a single
 * one may stand inside. The text of a candidate still has to be checked, except for a single word.
 */
import type { NoteIndex } from '../index/note-index.ts';
import { hasVeryMany } from './likely-notes.ts';
import { type LiteralToken, literalTokens, wordsFor } from './literal-tokens.ts';

interface LiteralCandidates {
  /** Numbers of notes whose words alone prove it. */
  readonly certain: readonly number[];
  /** Numbers of notes whose text has to be read. */
  readonly possible: readonly number[];
}

/** So few are looked into sooner than all the notes with words that begin with a single letter. */
const FEW = 24;

/** Stages are counted in a byte. */
const MOST_STAGES = 250;

const isWhole = ({ openLeft, openRight }: LiteralToken) => !openLeft && !openRight;

/**
 * Undefined when the piece holds nothing that is indexed (`++`): then any note can hold it. Of very many notes, a piece of
 * several words is looked for as whole words only: most words of such an index begin or end with a short one.
 */
export function notesThatMayHold(index: NoteIndex, piece: string): LiteralCandidates | undefined {
  const tokens = literalTokens(piece);
  if (tokens.length === 0) return undefined;
  // A whole word is one word of the index, and often leaves no note for the many that the others can be part of.
  const stages = [
    ...rarestFirst(index, tokens.filter(isWhole)),
    ...tokens.filter((token) => !isWhole(token)),
  ];
  /** How many of the tokens, from the first on, the note holds. */
  const reached = index.scratch.marks();
  const { sizes } = index;
  const isPart = tokens.length === 1 || !hasVeryMany(index);
  let holders: number[] = [];
  let stagesDone = 0;
  for (const [stage, token] of stages.slice(0, MOST_STAGES).entries()) {
    holders = [];
    for (const word of wordsFor(index, isPart ? token : { ...token, openLeft: false, openRight: false })) {
      index.postings.reach(word, stage, reached, sizes, holders);
    }
    stagesDone = stage + 1;
    if (holders.length <= FEW) break;
  }
  const isProof = tokens.length === 1 && tokens[0]?.text === piece;
  const others = index.notesWithLongRuns().filter((note) => reached[note] !== stagesDone);
  index.scratch.giveBack(reached);
  return isProof
    ? { certain: holders, possible: others }
    : { certain: [], possible: others.length === 0 ? holders : [...holders, ...others] };
}

/** The sooner few notes are left, the fewer are looked into for nothing. */
function rarestFirst({ vocabulary, postings }: NoteIndex, tokens: readonly LiteralToken[]): LiteralToken[] {
  const countOf = ({ text }: LiteralToken) => {
    const word = vocabulary.find(text);
    return word === undefined ? 0 : postings.countOf(word);
  };
  const counts = new Map(tokens.map((token) => [token, countOf(token)]));
  return [...tokens].sort((a, b) => counts.get(a)! - counts.get(b)!);
}

/** Whether a note can hold all of the pieces; undefined when any note can. */
export function mayHoldAll(
  index: NoteIndex,
  pieces: readonly string[],
): ((number: number) => boolean) | undefined {
  const sets: ReadonlySet<number>[] = [];
  for (const piece of pieces) {
    const candidates = notesThatMayHold(index, piece);
    if (candidates) sets.push(new Set([...candidates.certain, ...candidates.possible]));
  }
  return sets.length === 0 ? undefined : (number) => sets.every((set) => set.has(number));
}

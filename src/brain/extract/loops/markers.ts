/** Words and tags people mark loose ends with: `TODO:`, `WAITING FOR @x`, `#question`. */
import type { LoopKind, LoopStatus } from '../types.ts';

export interface Marker {
  readonly kind: LoopKind;
  readonly status: LoopStatus;
  /** Where it stands in the text, and where its words begin. */
  readonly at: number;
  readonly from: number;
  /** Of `TODO(name)`. */
  readonly owner?: string;
}

const AFTER =
  '(?:\\*\\*|__)?(?:\\(([@\\p{L}][^()\\n]{0,40})\\))?(?:\\*\\*|__)?\\s*[:：](?:\\*\\*|__)?(?!//|\\S*::)\\s*';
const BEFORE = '(?<![\\p{L}\\d_/.-])(?:\\*\\*|__)?';

/** `anywhere`: in capitals it may also stand inside a line. */
const MARKS: readonly { kind: LoopKind; words: string; anywhere: boolean }[] = [
  { kind: 'todo', words: 'TO-?DO|FIXME', anywhere: true },
  { kind: 'openloop', words: 'OPEN[- ]?LOOP', anywhere: true },
  { kind: 'question', words: 'QUESTION|OPEN QUESTION|FRAGE', anywhere: true },
  { kind: 'question', words: 'Q', anywhere: false },
  {
    kind: 'waiting_for',
    words: 'WAITING(?:[- ](?:FOR|ON))?|BLOCKED(?: (?:BY|ON))?|WARTE(?:N)? AUF',
    anywhere: true,
  },
  { kind: 'follow_up', words: 'FOLLOW[- ]?UP', anywhere: true },
];
const PATTERNS = MARKS.map(({ kind, words, anywhere }) => ({
  kind,
  first: new RegExp(`^(?:\\*\\*|__)?(?:${words})${AFTER}`, 'iu'),
  inside: anywhere ? new RegExp(`${BEFORE}(?:${words})${AFTER}`, 'u') : undefined,
}));
const WAITING_FOR_PERSON = /(?<![\p{L}\d])WAITING FOR (?=@)/u;
/** As Logseq and Org mode begin an item. */
const STATE_WORD = /^(TODO|DOING|LATER|NOW|WAITING|DONE|CANCELLED)\s+(?=\S)(?![:：])/;
const STATUS_OF_WORD: Readonly<Record<string, LoopStatus>> = {
  DOING: 'in_progress',
  NOW: 'in_progress',
  LATER: 'deferred',
  DONE: 'done',
  CANCELLED: 'cancelled',
};

/** Every mark has a colon or is in capitals. */
const HINT = /[:：]|TODO|DOING|LATER|NOW|WAITING|DONE|CANCELLED/;

export function findMarker(text: string, isItem: boolean): Marker | undefined {
  if (!HINT.test(text)) return undefined;
  const state = isItem ? STATE_WORD.exec(text) : null;
  if (state) {
    const kind = state[1] === 'WAITING' ? 'waiting_for' : 'todo';
    return { kind, status: STATUS_OF_WORD[state[1] ?? ''] ?? 'open', at: 0, from: state[0].length };
  }
  const person = WAITING_FOR_PERSON.exec(text);
  if (person)
    return { kind: 'waiting_for', status: 'open', at: person.index, from: person.index + person[0].length };
  for (const { kind, first, inside } of PATTERNS) {
    const match = first.exec(text) ?? inside?.exec(text);
    if (!match) continue;
    const owner = match[1]?.replace(/^@/, '');
    return {
      kind,
      status: 'open',
      at: match.index,
      from: match.index + match[0].length,
      ...(owner && { owner }),
    };
  }
  return undefined;
}

const KIND_OF_TAG: readonly (readonly [RegExp, LoopKind])[] = [
  [/^(?:todo|to-do|fixme)$/i, 'todo'],
  [/^waiting(?:[-_/]?for)?(?:\/.*)?$/i, 'waiting_for'],
  [/^(?:open-?)?question$/i, 'question'],
  [/^open-?loop$/i, 'openloop'],
  [/^follow-?up$/i, 'follow_up'],
];

export function kindOfTags(tags: readonly string[]): LoopKind | undefined {
  for (const tag of tags) {
    const kind = KIND_OF_TAG.find(([pattern]) => pattern.test(tag))?.[1];
    if (kind) return kind;
  }
  return undefined;
}

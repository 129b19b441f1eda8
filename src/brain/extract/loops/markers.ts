/** Markers and tags of open loops: `TODO:`, `TODO chase HR`, `WAITING FOR @x`, `Offen:`, `#question`. */

import { wordsFor } from '../language/languages.ts';
import type { MarkerKind } from '../language/vocabulary.ts';
import type { LoopKind, LoopStatus } from '../types.ts';
import { isDoneMark } from './closing.ts';

export interface Marker {
  readonly kind: LoopKind;
  readonly status: LoopStatus;
  /** Offsets of the marker, and of the words after it. */
  readonly at: number;
  readonly from: number;
  /** The name in `TODO(name)`. */
  readonly owner?: string;
}

/** Emoji, bold. */
export const BEFORE_MARKER = '(?:[^\\p{L}\\p{N}\\s[\\](@#<>|`"\'“„«]{1,4}\\s?){0,2}';
const COLON = '\\s?[:：](?:\\*\\*|__)?(?!//|\\S*::)\\s*';
/** A colon, or a dash with spaces. `TODO(ana):`, `**Action** -` */
const AFTER = `(?:\\*\\*|__)?(?: ?\\(([@\\p{L}][^()\\n]{0,40})\\))?(?:\\*\\*|__)?(?:${COLON}|\\s+[–—-]\\s+)`;
const INSIDE_BEFORE = '(?<![\\p{L}\\d_/.-])(?:\\*\\*|__)?';

/** In capitals these may also be inside a line. */
const INSIDE: Readonly<Partial<Record<MarkerKind, string>>> = {
  todo: 'TO-?DO|FIXME|ACTION(?: ITEM)?',
  openloop: 'OPEN[- ]?LOOP',
  question: '(?:OPEN )?QUESTION|FRAGE',
  waiting_for: 'WAITING(?:[- ](?:FOR|ON))?|BLOCKED(?: (?:BY|ON))?|WARTE(?:N)? AUF',
  follow_up: 'FOLLOW[- ]?UP',
};
const KINDS = ['todo', 'openloop', 'question', 'waiting_for', 'follow_up'] as const;
const PATTERNS = KINDS.map((kind) => {
  const rare = wordsFor(({ markers }) => markers[kind]?.rare);
  const common = wordsFor(({ markers }) => markers[kind]?.common);
  const short = kind === 'question' ? '|Q' : '';
  return {
    kind,
    rare: new RegExp(`^${BEFORE_MARKER}(?:${rare}${short})${AFTER}`, 'iu'),
    common: new RegExp(`^${BEFORE_MARKER}(?:${common})${AFTER}`, 'iu'),
    inside: new RegExp(`${INSIDE_BEFORE}(?:${INSIDE[kind] ?? '(?!)'})${AFTER}`, 'u'),
  };
});
const WAITING_FOR_PERSON = /(?<![\p{L}\d])WAITING FOR (?=@)/u;
/** State keywords of Logseq and Org mode; `LATER` is how Logseq may write `TODO`. */
const STATE_WORD = /^(TODO|DOING|LATER|NOW|WAITING|DONE|CANCELLED)\s+(?=\S)(?![:：])/;
/** `TODO chase HR`, but no sentence about TODO lists. */
const BARE_TODO =
  /^(?:\*\*|__)?(?:TODO|FIXME)(?:\*\*|__)?\s+(?![:：(–—-])(?!(?:lists?|items?|comments?|apps?|files?|notes?|is|are|was|were|and|or|in|app|tracker|MVC)\b)(?=[\p{L}@[*_"'“`\uFFFC])/u;
/** `Action to revisit`, `ACTION Ana to call`. */
const BARE_ACTION =
  /^(?:\*\*|__)?(?:Action|ACTION|AI)(?: [Ii]tem| [Pp]oint)?(?:\*\*|__)?\s+(?=to \p{Ll}|@\p{L}|\p{Lu}\p{Ll}+ (?:to|will) )/u;
const STATUS_OF_WORD: Readonly<Record<string, LoopStatus>> = {
  DOING: 'in_progress',
  NOW: 'in_progress',
  DONE: 'done',
  CANCELLED: 'cancelled',
};

/** Fast path: every marker has a colon or a dash near its beginning, or is in capitals. */
const NEAR = 70;
const HINT = /[:：]|\s[–—-]\s|^\W*A(?:ction|CTION|I)\b/;
const CAPITALS =
  /TODO|FIXME|DOING|LATER|NOW|WAITING|DONE|CANCELLED|BLOCKED|ACTION|QUESTION|OPEN|FOLLOW|FRAGE|WARTE/;

interface MarkerContext {
  readonly isItem: boolean;
  readonly isRecord: boolean;
}

export function findMarker(text: string, { isItem, isRecord }: MarkerContext): Marker | undefined {
  const inCapitals = CAPITALS.test(text);
  if (!inCapitals && !HINT.test(text.slice(0, NEAR))) return undefined;
  const bare = inCapitals || isRecord ? bareMarker(text, isItem, isRecord) : undefined;
  if (bare) return bare;
  for (const { kind, rare, common, inside } of PATTERNS) {
    const match =
      rare.exec(text) ?? (isRecord ? common.exec(text) : null) ?? (inCapitals ? inside.exec(text) : null);
    if (!match) continue;
    const said = match[1]?.replace(/^@/, '');
    const isDone = said !== undefined && isDoneMark(`(${said})`);
    return {
      kind,
      status: isDone ? 'done' : 'open',
      at: match.index,
      from: match.index + match[0].length,
      owner: isDone ? undefined : said || undefined,
    };
  }
  return undefined;
}

/** Markers without a colon. */
function bareMarker(text: string, isItem: boolean, isRecord: boolean): Marker | undefined {
  const state = isItem ? STATE_WORD.exec(text) : null;
  if (state) {
    const kind = state[1] === 'WAITING' ? 'waiting_for' : 'todo';
    return { kind, status: STATUS_OF_WORD[state[1] ?? ''] ?? 'open', at: 0, from: state[0].length };
  }
  const todo = BARE_TODO.exec(text) ?? (isRecord ? BARE_ACTION.exec(text) : null);
  if (todo) return { kind: 'todo', status: 'open', at: 0, from: todo[0].length };
  const person = WAITING_FOR_PERSON.exec(text);
  return (
    (person && {
      kind: 'waiting_for',
      status: 'open',
      at: person.index,
      from: person.index + person[0].length,
    }) ??
    undefined
  );
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

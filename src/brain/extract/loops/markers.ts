/** Markers, tags and phrases of open loops: `TODO:`, `WAITING FOR @x`, `#question`, "we are waiting for". */

import { type Sentence, sentencesOf } from '../../../notes/text/sentences.ts';
import type { LoopKind, LoopStatus } from '../types.ts';

export interface Marker {
  readonly kind: LoopKind;
  readonly status: LoopStatus;
  /** Offsets of the marker, and of the words after it. */
  readonly at: number;
  readonly from: number;
  /** The name in `TODO(name)`. */
  readonly owner?: string;
}

const AFTER =
  '(?:\\*\\*|__)?(?:\\(([@\\p{L}][^()\\n]{0,40})\\))?(?:\\*\\*|__)?\\s*[:：](?:\\*\\*|__)?(?!//|\\S*::)\\s*';
const BEFORE = '(?<![\\p{L}\\d_/.-])(?:\\*\\*|__)?';

/** `anywhere`: in capitals the marker may also be inside a line. */
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
/** State keywords of Logseq and Org mode. */
const STATE_WORD = /^(TODO|DOING|LATER|NOW|WAITING|DONE|CANCELLED)\s+(?=\S)(?![:：])/;
const STATUS_OF_WORD: Readonly<Record<string, LoopStatus>> = {
  DOING: 'in_progress',
  NOW: 'in_progress',
  LATER: 'deferred',
  DONE: 'done',
  CANCELLED: 'cancelled',
};

/** Fast path: every marker has a colon or is in capitals. */
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
      owner: owner || undefined,
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

interface LoopPhrase {
  readonly kind: 'question' | 'waiting_for' | 'follow_up';
  readonly sentence: Sentence;
}

const WAITING =
  /^(?:we(?:'re|’re| are)|i(?:'m|’m| am))?\s*(?:still |currently |now )?(?:waiting (?:for|on)|blocked (?:by|on)|awaiting)\s+\S|\b(?:we(?:'re|’re| are)|i(?:'m|’m| am)|(?:is|are) (?:still )) ?(?:still |currently )?(?:waiting (?:for|on)|blocked (?:by|on)|awaiting)\s|^(?:wir |ich )?wart(?:e|en) (?:noch |immer noch )?auf\s/i;
const NO_LONGER =
  /\b(?:no longer|not|never|stop(?:ped)?|while|was|were|instead of)\s+(?:waiting|blocked)|^while\b|\bused to\b|waiting (?:for|on) (?:the )?(?:bus|train|my turn|no one|nobody|you to)/i;
const FOLLOW_UP =
  /^(?:(?:i|we)(?:'ll|’ll| will| should| need to| must)?\s+)?follow(?:ing)?[- ]up (?:with|on|by|about|next|to)\b|^(?:we|i)(?:'ll|’ll| will| should| need to| must) follow up\b/i;
const UNDECIDED =
  /\b(?:(?:not|n['’]t|never) (?:yet )?(?:been )?decided|(?:has|have|had|is|are)(?:n['’]t| not) (?:yet )?(?:been )?(?:decided|settled|agreed)|undecided|(?:still )?to be decided|noch nicht entschieden|noch (?:zu entscheiden|offen))\b(?! again)/i;
/** A pending decision of people; a program that decides which file to take is none. */
const TO_DECIDE =
  /^(?:still )?decide (?:whether|if|between|who|which|when|how|on)\b|\b(?:we|i|they|team|board|group|committee|somebody|someone)\b[^.?!]{0,40}\b(?:should|must|(?:need|needs|have|has) to|still|will|can)(?: still| also| soon)? decide\b/i;
const NOT_OPEN =
  /\b(?:if|once|when|until|helped (?:us|me) (?:to )?|used to|was easy to|how (?:people|we|to))\b[^.]{0,30}\bdecide|\bhow to decide\b|\bdecided whether\b|\bfree to decide\b/i;

/** Fast path: most blocks have none of these words. */
const PHRASE_HINT = /wait|blocked|follow|decid|settled|agreed|wart|offen|entsch/i;

export function loopPhrasesOf(text: string): LoopPhrase[] {
  if (!PHRASE_HINT.test(text)) return [];
  return sentencesOf(text).flatMap((sentence) => {
    const kind = kindOfSentence(sentence.text);
    return kind ? [{ kind, sentence }] : [];
  });
}

function kindOfSentence(text: string): LoopPhrase['kind'] | undefined {
  if (WAITING.test(text) && !NO_LONGER.test(text)) return text.endsWith('?') ? undefined : 'waiting_for';
  if (FOLLOW_UP.test(text)) return 'follow_up';
  if ((UNDECIDED.test(text) || TO_DECIDE.test(text)) && !NOT_OPEN.test(text)) return 'question';
  return undefined;
}

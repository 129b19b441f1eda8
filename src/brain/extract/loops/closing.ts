/** What says in words or signs that a loop is over: `~~call Ana~~`, `call Ana (done)`, `call Ana ✅`, `call Ana DONE`. */
import type { Range } from '../../../notes/markdown/regions.ts';
import type { LoopStatus } from '../types.ts';

const SIGN = '[✅✔✓☑]\\uFE0F?';
const DONE =
  'done|completed|finished|erledigt|fertig|fait|terminée?|hecho|completad[oa]|feit[oa]|concluíd[oa]|готово|完了|已完成';
/** Only behind the words: at the beginning they may be part of them. */
const SETTLED =
  'closed|answered|resolved|solved|received|beantwortet|geklärt|gelöst|erhalten|répondu|résolue?|reçue?|respondid[oa]|resuelt[oa]|recibid[oa]|respondid[oa]|resolvid[oa]|recebid[oa]';
const CANCELLED =
  'cancell?ed|dropped|obsolete|no longer needed|not needed(?: any ?more)?|abgesagt|entfällt|hinfällig|gestrichen|nicht mehr nötig|annulée?|abandonnée?|cancelad[oa]|anulad[oa]|descartad[oa]';
const ALREADY = '(?:(?:already|now|all|schon|bereits|déjà|ya|já) )?';
const ON_DAY = '(?:,? (?:(?:on|am|le|el|em) )?\\d[\\d. /-]*)?';

const ITEM_FIRST = new RegExp(`^(?:${SIGN}|[(*_[]{0,3}(?:${DONE})(?:[)*_\\],:;.]|\\s|$))`, 'iu');
/** A task may begin with such a word: "Finished goods: count them". */
const TASK_FIRST = new RegExp(`^(?:${SIGN}|[(*_[]{1,3}(?:${DONE})[)*_\\]]|(?:done|erledigt):)\\s*`, 'iu');
const CAPITALS_FIRST = /^DONE\s+(?=\S)/u;
const last = (words: string) =>
  new RegExp(
    `(?:\\s[–—-]+\\s*|[→>([]\\s*|[:.;!]\\s+)${ALREADY}(?:${words})${ON_DAY}\\)?[^\\p{L}\\p{N}]*$`,
    'iu',
  );
const DONE_LAST = last(`${DONE}|${SETTLED}`);
const CANCELLED_LAST = last(CANCELLED);
const SIGN_FIRST = new RegExp(`^${SIGN}`, 'u');
const SIGN_LAST = new RegExp(`\\s*[([]?${SIGN}[^\\p{L}\\p{N}]*$`, 'u');
/** "move the card to DONE" is still to do. */
const CAPITALS_LAST =
  /(?<!\s(?:to|as|is|are|be|in|into|under|until|when|on|auf|als|nach))\s+DONE[^\p{L}\p{N}]*$/u;
const LAST: readonly (readonly [LoopStatus, RegExp])[] = [
  ['cancelled', CANCELLED_LAST],
  ['done', DONE_LAST],
  ['done', SIGN_LAST],
  ['done', CAPITALS_LAST],
];
/** How many characters at the end of a text are looked through for a mark. */
const LOOK_AT = 120;
const DONE_TAG = /\s#(?:done|erledigt)(?![\p{L}\d/_-])/iu;
const TAGS_LAST = /(?:\s#[\p{L}\d/_-]{1,80}){1,10}\s{0,9}$/u;
/** Behind struck words there may be a remark. */
const STRUCK = /^[*_\s]*~~[^~]+~~[*_\s]*(?:$|#\S|\([^()]*\)[\s.]*$|[–—:;,.-]\s|→)/u;

export function isStruck(words: string): boolean {
  return STRUCK.test(words);
}

/** Whether an item of a list says that it is done. */
export function isDoneMark(text: string): boolean {
  const end = text.slice(-LOOK_AT);
  return ITEM_FIRST.test(text) || LAST.some(([, mark]) => mark.test(end));
}

interface Closing {
  readonly status: LoopStatus;
  /** Range of the words that say so; empty for struck words. */
  readonly span: Range;
}

interface Task {
  readonly text: string;
  /** Start of the task, and of its words behind box and marker. */
  readonly start: number;
  readonly from: number;
  /** Ranges of its fields. */
  readonly fields: readonly Range[];
}

/** Undefined for a task that is not said to be over. */
export function closingOf({ text, start, from, fields }: Task): Closing | undefined {
  const words = withoutFields(text, fields);
  const whole = words.slice(start).replace(/^\[[^[\]]{1,12}\]\s+/, '');
  if (SIGN_FIRST.test(whole) || isStruck(whole) || isStruck(words.slice(from)) || DONE_TAG.test(words))
    return { status: 'done', span: { start: from, end: from } };
  return firstMark(words, from) ?? lastMark(words.replace(TAGS_LAST, ''), from);
}

function firstMark(text: string, from: number): Closing | undefined {
  const words = text.slice(from);
  const match = TASK_FIRST.exec(words) ?? CAPITALS_FIRST.exec(words);
  return match ? { status: 'done', span: { start: from, end: from + match[0].length } } : undefined;
}

function lastMark(text: string, from: number): Closing | undefined {
  const start = Math.max(from, text.length - LOOK_AT);
  for (const [status, mark] of LAST) {
    const match = mark.exec(text.slice(start));
    if (match) return { status, span: { start: start + match.index, end: text.length } };
  }
  return undefined;
}

function withoutFields(text: string, fields: readonly Range[]): string {
  return fields.reduce(
    (words, { start, end }) => words.slice(0, start) + ' '.repeat(end - start) + words.slice(end),
    text,
  );
}

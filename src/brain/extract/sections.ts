/** Kinds of sections by their headings, and lines that begin a new block within a paragraph. */

import { sectionWords } from './language/languages.ts';
import type { SectionKind } from './language/vocabulary.ts';

/** In this order: "open decisions" are questions, not decisions. */
const KINDS: readonly SectionKind[] = [
  'questions',
  'waiting',
  'follow_ups',
  'actions',
  'decisions',
  'risks',
  'attendees',
  'absent',
  'agenda',
  'parking',
  'notes',
];
const NAMES = KINDS.map((kind) => [kind, new RegExp(`^(?:${sectionWords(kind)})$`, 'u')] as const);

/** A heading without numbers, punctuation, emoji and markup. */
export function plainHeading(heading: string): string {
  return heading
    .replace(/\[\[(?:[^[\]|]{0,80}\|)?([^[\]|]{0,80})\]\]|\[([^[\]]{0,80})\]\([^()]{0,200}\)/g, '$1$2')
    .replace(/[*_`~]+|#[\p{L}\d/_-]+$/gu, '')
    .replace(/^[^\p{L}\d]+|^\d+(?:\.\d+)*[.)]?\s+/gu, '')
    .replace(/^\d+(?:\.\d+)*[.)]?\s+/u, '')
    .replace(/[\s:.–—-]+$/u, '')
    .trim();
}

const MAX_HEADING = 90;

/** Notes have the same headings again and again. */
const known = new Map<string, SectionKind | undefined>();
const MOST_KNOWN = 2_000;

export function sectionOf(heading: string): SectionKind | undefined {
  if (heading.length > MAX_HEADING) return undefined;
  if (known.has(heading)) return known.get(heading);
  const name = plainHeading(heading)
    .toLowerCase()
    .replace(/\s*\([^)]*\)$/, '')
    .replace(/\s+/g, ' ');
  const kind = NAMES.find(([, pattern]) => pattern.test(name))?.[0];
  if (known.size >= MOST_KNOWN) known.clear();
  // A copy: a part of a note's text would keep the whole text in memory.
  known.set(Buffer.from(heading).toString(), kind);
  return kind;
}

/** `(A) 2026-11-01 text`, `x 2026-11-02 text`. A line without a date must have a project, a context or a field. */
const TODO_TXT =
  /^(?:x \d{4}-\d{2}-\d{2} \S|\([A-Z]\) \d{4}-\d{2}-\d{2} \S|(?:x |\([A-Z]\) |\d{4}-\d{2}-\d{2} )(?=[^\n]*(?:(?:^|\s)[+@][\p{L}][\w-]*|\sdue:\d{4}-\d{2}-\d{2})(?:\s|$))\S)/u;
/** `TODO:`, `**Ana**:`, `[00:01:02] Ana:`, `Waiting for:`; at most three words before the colon. */
const LABELLED =
  /^(?:\[?\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,3})?\]?[\s:-]+)?(?:\*\*|__)?[@\p{Lu}][\p{L}\d'’.-]*(?:[ -][\p{L}\d'’.&-]+){0,3}(?: ?\([^()\n]{1,24}\))?(?:\*\*|__)?:(?:\*\*|__)?(?:\s|$)/u;
const STAMPED = /^\[?\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,3})?\]?\s/;
const MARKED = /^(?:TODO|FIXME|ACTION|WAITING FOR|DONE|BLOCKED|DECISION|RESOLVED)\b/;

export function isTodoTxt(line: string): boolean {
  return TODO_TXT.test(line);
}

/** Whether a line within a paragraph begins a new block; both lines without their line endings. */
export function beginsAnew(line: string, before: string): boolean {
  const text = line.replace(/^[\s>]+/, '');
  if (endsThought(text, before.trimEnd())) return true;
  return LABELLED.test(text) || STAMPED.test(text) || MARKED.test(text) || isTodoTxt(text);
}

const SHORT_LINE = 50;

/** Distinguishes a line break that wraps a text from one that ends a line. */
function endsThought(next: string, before: string): boolean {
  if (/\s#[\p{L}\d/_-]+$/u.test(before)) return true;
  if (/^\p{Ll}/u.test(next)) return false;
  if (/^\s*(?:\*\*|__).*(?:\*\*|__):?\\?$/.test(before)) return true;
  return before.length < SHORT_LINE || /[.!?:]["'”’)*_~]*$/u.test(before);
}

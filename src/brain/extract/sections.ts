/** Kinds of sections by their headings, and lines that begin a new block within a paragraph. */

export type SectionKind =
  | 'actions'
  | 'absent'
  | 'agenda'
  | 'attendees'
  | 'decisions'
  | 'follow_ups'
  | 'notes'
  | 'parking'
  | 'questions'
  | 'risks'
  | 'waiting';

const NAMES: readonly (readonly [SectionKind, RegExp])[] = [
  [
    'questions',
    /^(?:(?:open|outstanding|unresolved|remaining|unanswered|our|my) )?questions?(?: (?:for|to|about|we|still|left).*)?$|^(?:known )?unknowns$|^(?:open|pending) (?:decisions|issues)$|^(?:decisions? (?:needed|to make)|to be decided|undecided)$|^(?:offene )?fragen$|^questions ouvertes$|^preguntas(?: abiertas)?$/,
  ],
  [
    'waiting',
    /^waiting(?: (?:for|on).*)?$|^waiting-for$|^blocked(?: (?:by|on).*)?$|^warten auf.*$|^wartet auf.*$/,
  ],
  ['follow_ups', /^follow[- ]?ups?(?: .*)?$|^to follow up$|^nachfassen$/],
  [
    'actions',
    /^(?:open |new |my |our )?(?:action (?:items?|points?|list)|actions(?: items)?|aktionen|aufgaben|maßnahmen|to[- ]?dos?(?: list)?|tasks?|next (?:steps|actions)|nächste schritte|prochaines étapes|próximos pasos)(?: (?:for|from|this|next|today|und|and|&).*)?$|^open loops?$/,
  ],
  [
    'decisions',
    /^(?:key |our )?decisions?(?: (?:made|taken|log|record|list|and .*))?$|^(?:what we )?decided$|^agreed$|^agreements$|^beschl(?:uss|üsse)$|^entscheidung(?:en)?$|^décisions?$|^decisiones$/,
  ],
  [
    'risks',
    /^(?:key |open |main |top )?risks?(?: (?:and|&|register|log|und|\/).*)?$|^concerns$|^risiken(?: .*)?$|^risques$|^riesgos$/,
  ],
  [
    'attendees',
    /^(?:attendees?|attendance|attending|participants?|present|in attendance|who(?: was there)?|people|anwesend(?:e)?|teilnehmer(?:innen|:innen|\*innen)?|teilnehmende|participants|asistentes)$/,
  ],
  [
    'absent',
    /^(?:absent|absentees|apologies|regrets|not present|excused|abwesend(?:e)?|entschuldigt|fehlend|absents|ausentes)$/,
  ],
  ['agenda', /^(?:agenda|topics|tagesordnung|themen|ordre du jour|orden del día)(?: .*)?$/],
  ['parking', /^parking ?lot$|^parked(?: .*)?$|^themenspeicher$/],
  [
    'notes',
    /^(?:meeting |session )?(?:notes|minutes|discussion|summary|recap|log|notizen|diskussion|protokoll|besprochen)(?: .*)?$/,
  ],
];

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

export function sectionOf(heading: string): SectionKind | undefined {
  if (heading.length > 80) return undefined;
  const name = plainHeading(heading)
    .toLowerCase()
    .replace(/\s*\([^)]*\)$/, '')
    .replace(/\s+/g, ' ');
  return NAMES.find(([, pattern]) => pattern.test(name))?.[0];
}

/** `(A) 2026-11-01 text`, `x 2026-11-02 text`. A line without a date must have a project, a context or a field. */
const TODO_TXT =
  /^(?:x \d{4}-\d{2}-\d{2} \S|\([A-Z]\) \d{4}-\d{2}-\d{2} \S|(?:x |\([A-Z]\) |\d{4}-\d{2}-\d{2} )(?=[^\n]*(?:(?:^|\s)[+@][\p{L}][\w-]*|\sdue:\d{4}-\d{2}-\d{2})(?:\s|$))\S)/u;
/** `TODO:`, `**Ana**:`, `[00:01:02] Ana:`, `Waiting for:`; at most three words before the colon. */
const LABELLED =
  /^(?:\[?\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,3})?\]?[\s:-]+)?(?:\*\*|__)?[@\p{Lu}][\p{L}\d'’.-]*(?:[ -][\p{L}\d'’.&-]+){0,3}(?: ?\([^()\n]{1,24}\))?(?:\*\*|__)?:(?:\*\*|__)?(?:\s|$)/u;
const STAMPED = /^\[?\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,3})?\]?\s/;
const MARKED = /^(?:TODO|FIXME|WAITING FOR|DONE|BLOCKED)\b/;

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
  if (/^\s*(?:\*\*|__).*(?:\*\*|__):?$/.test(before)) return true;
  return before.length < SHORT_LINE || /[.!?:]["'”’)*_~]*$/u.test(before);
}

/** How lines begin that are things of their own, whatever stands above them. */

/** `(A) 2026-11-01 text`, `x 2026-11-02 text`. Without a date, it takes a project, a context or a field. */
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

/** Whether a line that follows another within a paragraph is a thing of its own; both without their ends. */
export function beginsAnew(line: string, before: string): boolean {
  const text = line.replace(/^[\s>]+/, '');
  if (endsThought(text, before.trimEnd())) return true;
  return LABELLED.test(text) || STAMPED.test(text) || MARKED.test(text) || isTodoTxt(text);
}

const SHORT_LINE = 50;

/** A line break is a space where somebody wrapped a text, and an end where somebody wrote line by line. */
function endsThought(next: string, before: string): boolean {
  if (/\s#[\p{L}\d/_-]+$/u.test(before)) return true;
  if (/^\p{Ll}/u.test(next)) return false;
  if (/^\s*(?:\*\*|__).*(?:\*\*|__):?$/.test(before)) return true;
  return before.length < SHORT_LINE || /[.!?:]["'”’)*_~]*$/u.test(before);
}

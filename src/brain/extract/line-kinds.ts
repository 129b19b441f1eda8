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

export function beginsAnew(line: string): boolean {
  const text = line.trimStart();
  return LABELLED.test(text) || STAMPED.test(text) || MARKED.test(text) || isTodoTxt(text);
}

/**
 * The text of a note after a part of it was changed. What stood there stays as it was written; but a text that could
 * act when it is put together, whoever wrote which half of it, is cleaned as a whole.
 */
import { findingsIn } from './can-act.ts';
import { cleanHtml } from './clean.ts';
import { joinHtml } from './join-html.ts';

export function editedHtml(before: string, after: string): string {
  const { canAct, oddities } = findingsIn(after);
  const isKnown = oddities.length === 0 || isAmong(oddities, findingsIn(before).oddities);
  return !canAct && isKnown ? after : cleanHtml(after);
}

/** `addition` is clean. */
export function appendedHtml(before: string, addition: string): string {
  return findingsIn(before).endsOpen ? cleanHtml(before + addition) : joinHtml(before, addition);
}

/** Each of them, as often as it is there. */
function isAmong(wanted: readonly string[], present: readonly string[]): boolean {
  const left = new Map<string, number>();
  for (const one of present) left.set(one, (left.get(one) ?? 0) + 1);
  return wanted.every((one) => {
    const count = left.get(one) ?? 0;
    left.set(one, count - 1);
    return count > 0;
  });
}

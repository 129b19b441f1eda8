/** The places where two texts differ, so that each can be accepted by itself. */
import { diffArrays } from 'diff';

const LINE = /[^\n]*\n|[^\n]+$/g;
/** Texts that differ in more places are accepted or rejected whole. */
const TIMEOUT_MS = 1_000;

export interface Hunk {
  /** Line numbers, from 0, in the text before. */
  readonly start: number;
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** Each line with its line break. */
export function linesOf(text: string): string[] {
  return text.match(LINE) ?? [];
}

/** Undefined when the texts are too different to be compared in time. */
export function hunksOf(before: string, after: string): Hunk[] | undefined {
  const parts = diffArrays(linesOf(before), linesOf(after), { timeout: TIMEOUT_MS });
  if (!parts) return undefined;
  const hunks: { start: number; removed: string[]; added: string[] }[] = [];
  let line = 0;
  let isOpen = false;
  for (const { value, added, removed } of parts) {
    if (!added && !removed) {
      line += value.length;
      isOpen = false;
      continue;
    }
    if (!isOpen) hunks.push({ start: line, removed: [], added: [] });
    isOpen = true;
    const hunk = hunks.at(-1)!;
    if (added) hunk.added.push(...value);
    else {
      hunk.removed.push(...value);
      line += value.length;
    }
  }
  return hunks;
}

/** The text before with the chosen hunks applied. */
export function withHunks(before: string, hunks: readonly Hunk[], chosen: ReadonlySet<number>): string {
  const lines = linesOf(before);
  const result: string[] = [];
  let at = 0;
  for (const [index, { start, removed, added }] of hunks.entries()) {
    result.push(...lines.slice(at, start));
    result.push(...(chosen.has(index) ? added : lines.slice(start, start + removed.length)));
    at = start + removed.length;
  }
  return [...result, ...lines.slice(at)].join('');
}

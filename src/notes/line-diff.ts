/** The unified diff of two texts. */
import { type StructuredPatchHunk, structuredPatch } from 'diff';

const CONTEXT = 3;
/** Texts further apart are shown as one replaced by the other: the time to compare them grows with the square of this. */
const MOST_CHANGES = 1_000;

/** Empty for equal texts. */
export function lineDiff(before: string, after: string): string {
  const options = { context: CONTEXT, maxEditLength: MOST_CHANGES };
  const patch = structuredPatch('', '', before, after, undefined, undefined, options);
  return (patch?.hunks ?? [replacement(before, after)])
    .flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
      `@@ -${rangeOf(oldStart, oldLines)} +${rangeOf(newStart, newLines)} @@`,
      ...lines,
    ])
    .join('\n');
}

function replacement(before: string, after: string): StructuredPatchHunk {
  const removed = linesOf('-', before);
  const added = linesOf('+', after);
  const isLine = (line: string) => !line.startsWith('\\');
  return {
    oldStart: 1,
    oldLines: removed.filter(isLine).length,
    newStart: 1,
    newLines: added.filter(isLine).length,
    lines: [...removed, ...added],
  };
}

function linesOf(sign: '-' | '+', text: string): string[] {
  const lines = text.split('\n').map((line) => sign + line);
  return lines.at(-1) === sign ? lines.slice(0, -1) : [...lines, '\\ No newline at end of file'];
}

function rangeOf(start: number, count: number): string {
  const from = count === 0 ? start - 1 : start;
  return count === 1 ? `${from}` : `${from},${count}`;
}

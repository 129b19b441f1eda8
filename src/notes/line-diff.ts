/** What changes between two texts, line by line, in the unified form people know from version control. */

interface Change {
  readonly kind: ' ' | '-' | '+';
  readonly line: string;
}

const CONTEXT = 3;
/** Beyond this many pairs of lines the middle is shown as replaced as a whole. */
const MOST_PAIRS = 4_000_000;

/** Empty for equal texts. */
export function lineDiff(before: string, after: string): string {
  if (before === after) return '';
  return hunksOf(changesOf(linesOf(before), linesOf(after))).join('\n');
}

/** A last line without a line break is told apart from one with it. */
function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  else lines[lines.length - 1] += '\n\\ No newline at end of file';
  return lines;
}

function changesOf(before: readonly string[], after: readonly string[]): Change[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  const same = (line: string): Change => ({ kind: ' ', line });
  return [
    ...before.slice(0, start).map(same),
    ...middleOf(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map(same),
  ];
}

/** By the longest common subsequence. */
function middleOf(before: readonly string[], after: readonly string[]): Change[] {
  const rows = before.length;
  const columns = after.length;
  const removed = before.map((line): Change => ({ kind: '-', line }));
  const added = after.map((line): Change => ({ kind: '+', line }));
  if (rows === 0 || columns === 0 || rows * columns > MOST_PAIRS) return [...removed, ...added];
  const width = columns + 1;
  const common = new Uint32Array((rows + 1) * width);
  for (let row = rows - 1; row >= 0; row--)
    for (let column = columns - 1; column >= 0; column--)
      common[row * width + column] =
        before[row] === after[column]
          ? common[(row + 1) * width + column + 1]! + 1
          : Math.max(common[(row + 1) * width + column]!, common[row * width + column + 1]!);
  const changes: Change[] = [];
  let row = 0;
  let column = 0;
  while (row < rows && column < columns) {
    if (before[row] === after[column]) {
      changes.push({ kind: ' ', line: before[row]! });
      row++;
      column++;
    } else if (common[(row + 1) * width + column]! >= common[row * width + column + 1]!)
      changes.push(removed[row++]!);
    else changes.push(added[column++]!);
  }
  return [...changes, ...removed.slice(row), ...added.slice(column)];
}

function hunksOf(changes: readonly Change[]): string[] {
  const output: string[] = [];
  let old = 1;
  let fresh = 1;
  for (let at = 0; at < changes.length; ) {
    const first = changes.findIndex(({ kind }, index) => index >= at && kind !== ' ');
    if (first < 0) break;
    const from = Math.max(at, first - CONTEXT);
    const to = hunkEnd(changes, first);
    old += from - at;
    fresh += from - at;
    const hunk = changes.slice(from, to);
    const oldLines = hunk.filter(({ kind }) => kind !== '+').length;
    const freshLines = hunk.filter(({ kind }) => kind !== '-').length;
    output.push(`@@ -${rangeOf(old, oldLines)} +${rangeOf(fresh, freshLines)} @@`);
    output.push(...hunk.map(({ kind, line }) => kind + line));
    old += oldLines;
    fresh += freshLines;
    at = to;
  }
  return output;
}

/** Behind the context of the last change that is near enough to belong to this hunk. */
function hunkEnd(changes: readonly Change[], first: number): number {
  let last = first;
  for (let at = first; at < changes.length && at - last <= 2 * CONTEXT; at++)
    if (changes[at]!.kind !== ' ') last = at;
  return Math.min(changes.length, last + CONTEXT + 1);
}

function rangeOf(start: number, count: number): string {
  const from = count === 0 ? start - 1 : start;
  return count === 1 ? `${from}` : `${from},${count}`;
}

/** Unified diffs: of two texts, and applied to one. */
import { type StructuredPatchHunk, structuredPatch } from 'diff';
import { AppError } from '../../shared/errors.ts';
import { lineEndingOf } from './text.ts';

const CONTEXT = 3;
/** Texts further apart are shown as one replaced by the other: the time to compare them grows with the square of this. */
const MOST_CHANGES = 1_000;

/** The unified diff of two texts; empty for equal ones. */
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

interface Hunk {
  readonly lines: readonly HunkLine[];
  /** The lines it stands on, as they are before it. */
  readonly before: readonly string[];
  /** Where it says it begins, counted from 0. */
  readonly start: number;
  /** Whether the text ends without a line break behind it; undefined when it does not say. */
  readonly endsOpen?: boolean;
}

interface HunkLine {
  readonly sign: '+' | '-' | ' ';
  readonly text: string;
}

const HEADER = /^@@+ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@/;

/**
 * Applies a unified diff, all of it or nothing. The lines that it removes and keeps must be there to the letter; only
 * line numbers, counts and line endings may be off, since models guess them. The package `diff` cannot do this: its
 * `parsePatch` refuses wrong counts, its `applyPatch` mixed line endings, and a hunk that fits twice goes to the nearer place.
 */
export function applyPatch(text: string, patch: string): string {
  const hunks = hunksOf(patch);
  if (hunks.length === 0)
    throw failed(
      'The patch holds no hunk',
      'A unified diff has lines such as "@@ -1,3 +1,4 @@"; see diff -u.',
    );
  const carriageReturn = lineEndingOf(text) === '\r\n' ? '\r' : undefined;
  const endsClosed = text.endsWith('\n');
  const lines = text === '' ? [] : (endsClosed ? text.slice(0, -1) : text).split('\n');
  const result: string[] = [];
  let from = 0;
  let shift = 0;
  for (const [number, hunk] of hunks.entries()) {
    const at = placeOf(lines, hunk, { from, shift, number });
    result.push(...lines.slice(from, at));
    from = at;
    for (const { sign, text: line } of hunk.lines) {
      if (sign === '+') result.push(carriageReturn ? bare(line) + carriageReturn : line);
      else {
        if (sign === ' ') result.push(lines[from]!);
        from++;
      }
    }
    shift = at - hunk.start;
  }
  result.push(...lines.slice(from));
  const reachesEnd = from === lines.length;
  const staysOpen = (reachesEnd ? hunks.at(-1)?.endsOpen : undefined) ?? !endsClosed;
  return result.join('\n') + (staysOpen || result.length === 0 ? '' : '\n');
}

function hunksOf(patch: string): Hunk[] {
  const lines = patch.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const starts = lines.flatMap((line, at) => (HEADER.test(line) ? [at] : []));
  return starts.map((start, number) => readHunk(lines.slice(start, starts[number + 1]), number));
}

function readHunk([header = '', ...body]: readonly string[], number: number): Hunk {
  const lines: HunkLine[] = [];
  let endsOpen: boolean | undefined;
  for (const raw of body) {
    const sign = bare(raw) === '' ? ' ' : raw.charAt(0);
    if (sign === '\\') endsOpen = lines.at(-1)?.sign !== '-';
    else if (sign === '+' || sign === '-' || sign === ' ') lines.push({ sign, text: raw.slice(1) });
    else
      throw failed(
        `Hunk ${number + 1} of the patch cannot be read`,
        `Its lines begin with a space, "-" or "+"; this one does not: ${JSON.stringify(raw.slice(0, 80))}`,
      );
  }
  if (lines.length === 0)
    throw failed(`Hunk ${number + 1} of the patch is empty`, 'It has to take lines away or add some.');
  const before = lines.filter(({ sign }) => sign !== '+').map(({ text }) => text);
  const [, line = '0', count] = HEADER.exec(header) ?? [];
  // Without lines to stand on, the number is that of the line it comes behind.
  const start = before.length === 0 && count === '0' ? Number(line) : Math.max(0, Number(line) - 1);
  return { lines, before, start, endsOpen };
}

function placeOf(
  lines: readonly string[],
  { before, start }: Hunk,
  { from, shift, number }: { readonly from: number; readonly shift: number; readonly number: number },
): number {
  const fits = (at: number) => before.every((line, n) => bare(lines[at + n] ?? '\n') === bare(line));
  const expected = start + shift;
  if (expected >= from && expected + before.length <= lines.length && fits(expected)) return expected;
  const last = lines.length - before.length;
  const places: number[] = [];
  for (let at = from; at <= last && places.length < 2; at++) if (fits(at)) places.push(at);
  const [only] = places;
  if (only !== undefined && places.length === 1 && before.length > 0) return only;
  throw failed(
    `Hunk ${number + 1} of the patch does not fit`,
    places.length > 1
      ? 'Its lines are in several places, and its line number names none of them. Give more lines around the change.'
      : 'The lines it applies to are not in the stored text. Read that again; stored HTML often is one long line, for which changes fit better.',
  );
}

const bare = (line: string): string => (line.endsWith('\r') ? line.slice(0, -1) : line);

function failed(title: string, hint: string): AppError {
  return new AppError('invalid_input', title, {
    reason: 'text_not_found',
    hint: `${hint} Nothing was changed.`,
  });
}

/** A text changed in several places at once, by replacements or a unified diff: all of the changes or none. */
import { AppError } from '../../shared/errors.ts';
import { closestHint, findText, linesOfSpans, replaceSpans } from '../edit.ts';
import { lineEndingOf } from './text.ts';

interface TextChange {
  /** Stands in the text once. Empty to put the new text before everything. */
  readonly oldString: string;
  readonly newString: string;
}

/** Each change is made in what the ones before it left. */
export function applyChanges(text: string, changes: readonly TextChange[]): string {
  return changes.reduce((before, change, at) => applyChange(before, change, at), text);
}

function applyChange(text: string, change: TextChange, at: number): string {
  const { oldString, newString } = change;
  if (oldString === '') return newString + text;
  const spans = findText(text, oldString, { overlapping: true });
  const shown = JSON.stringify(oldString.slice(0, 100)).slice(1, -1);
  const subject = `changes[${at}].old_string "${shown}${oldString.length > 100 ? '…' : ''}"`;
  if (spans.length === 0)
    throw new AppError('invalid_input', 'The text to replace is not there', {
      subject,
      reason: 'text_not_found',
      hint: `${closestHint(text, oldString) ?? 'Nothing like it is there.'} Read the stored text again and copy from it; nothing was changed.`,
    });
  if (spans.length > 1)
    throw new AppError('invalid_input', 'The text to replace is there several times', {
      subject,
      reason: 'text_not_unique',
      hint: `It is in ${linesOfSpans(text, spans)}. Give more of the text around the one you mean; nothing was changed.`,
    });
  return replaceSpans(text, spans, change);
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
      : 'The lines it stands on are not in the stored text. Read that again; stored HTML often is one long line, for which changes fit better.',
  );
}

const bare = (line: string): string => (line.endsWith('\r') ? line.slice(0, -1) : line);

function failed(title: string, hint: string): AppError {
  return new AppError('invalid_input', title, {
    reason: 'text_not_found',
    hint: `${hint} Nothing was changed.`,
  });
}

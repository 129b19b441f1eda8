/**
 * Replaces exact text in a note. Strings are literal. Only when nothing matches to the letter are line
 * endings and Unicode forms (é as one or as two characters) taken for equal; the note keeps its own.
 */
import { AppError } from '../shared/errors.ts';
import { closestLine } from './closest-line.ts';
import { fold } from './fold.ts';
import { lineEndingOf, withLineEnding } from './text.ts';

export interface Replacement {
  readonly oldString: string;
  readonly newString: string;
  readonly replaceAll: boolean;
}

/** A place in a text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export function replaceText(text: string, replacement: Replacement): { text: string; count: number } {
  const { oldString, newString, replaceAll } = replacement;
  if (oldString === newString) {
    throw new AppError('invalid_input', 'oldString and newString are the same', {
      hint: 'Nothing to change.',
    });
  }
  const spans = findText(text, oldString, { overlapping: !replaceAll });
  if (spans.length === 0) throw noMatch(text, oldString);
  if (spans.length > 1 && !replaceAll) throw ambiguous(text, spans);
  return { text: replaceSpans(text, spans, replacement), count: spans.length };
}

/** Where `wanted` stands: to the letter or, only if nowhere, alike. Overlapping places count when one is meant. */
export function findText(text: string, wanted: string, { overlapping }: { overlapping: boolean }): Span[] {
  const exact = occurrences(text, wanted, overlapping);
  return exact.length > 0 ? exact : alikeOccurrences(text, wanted, overlapping);
}

/** Puts the new text in each of the places, which must not overlap. */
export function replaceSpans(
  text: string,
  spans: readonly Span[],
  replacement: Pick<Replacement, 'oldString' | 'newString'>,
): string {
  let edited = '';
  let from = 0;
  for (const { start, end } of spans) {
    edited += text.slice(from, start) + inNotesStyle(text, text.slice(start, end), replacement);
    from = end;
  }
  return edited + text.slice(from);
}

/** `aa` stands in `aaa` twice when overlapping places count. */
function occurrences(text: string, wanted: string, overlapping: boolean): Span[] {
  const spans: Span[] = [];
  const step = overlapping ? 1 : wanted.length;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + step)) {
    spans.push({ start: at, end: at + wanted.length });
  }
  return spans;
}

function alikeOccurrences(text: string, wanted: string, overlapping: boolean): Span[] {
  const folding = { ignoreLineEndings: true };
  const folded = fold(text, folding);
  return occurrences(folded.text, fold(wanted, folding).text, overlapping).map(({ start, end }) => ({
    start: folded.originalOffset(start),
    end: folded.originalOffset(end),
  }));
}

/** New lines end as the replaced ones did, or as most of the note's do. */
function inNotesStyle(
  text: string,
  replaced: string,
  { oldString, newString }: Pick<Replacement, 'oldString' | 'newString'>,
): string {
  const onlyEndingsDiffer = withLineEnding(oldString, '\n') === withLineEnding(newString, '\n');
  if (onlyEndingsDiffer || !newString.includes('\n')) return newString;
  const sample = replaced.includes('\n') ? replaced : text;
  return sample.includes('\n') ? withLineEnding(newString, lineEndingOf(sample)) : newString;
}

/** `lines 3, 8, …`: in which lines the places begin. */
export function linesOfSpans(text: string, spans: readonly Span[]): string {
  const lines = [...new Set(spans.slice(0, 8).map(({ start }) => lineNumberAt(text, start)))];
  return `line${lines.length > 1 ? 's' : ''} ${lines.join(', ')}${spans.length > 8 ? ', …' : ''}`;
}

function ambiguous(text: string, spans: readonly Span[]): AppError {
  return new AppError(
    'invalid_input',
    `Found ${spans.length} occurrences of oldString (${linesOfSpans(text, spans)}). Use replaceAll=true to replace them all, or give more of the surrounding text so that it matches once`,
  );
}

function noMatch(text: string, oldString: string): AppError {
  return new AppError('invalid_input', 'oldString not found in the note', {
    hint: closestHint(text, oldString) ?? 'The note holds nothing like it. read_note shows its text.',
  });
}

/** How near a text that is not there comes to a line that is. */
export function closestHint(text: string, wanted: string): string | undefined {
  const near = closestLine(text, wanted);
  return (
    near &&
    `Closest is line ${near.line}: ${JSON.stringify(near.text)}${near.why}. White space and line breaks must match.`
  );
}

export function lineNumberAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

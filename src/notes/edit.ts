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

interface Span {
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
  const exact = occurrences(text, oldString, !replaceAll);
  const spans = exact.length > 0 ? exact : alikeOccurrences(text, oldString, !replaceAll);
  if (spans.length === 0) throw noMatch(text, oldString);
  if (spans.length > 1 && !replaceAll) throw ambiguous(text, spans);
  let edited = '';
  let from = 0;
  for (const { start, end } of spans) {
    edited += text.slice(from, start) + inNotesStyle(text, text.slice(start, end), replacement);
    from = end;
  }
  return { text: edited + text.slice(from), count: spans.length };
}

/** Overlapping ones count when one place is meant: `aa` stands twice in `aaa`. */
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
function inNotesStyle(text: string, replaced: string, { oldString, newString }: Replacement): string {
  const onlyEndingsDiffer = withLineEnding(oldString, '\n') === withLineEnding(newString, '\n');
  if (onlyEndingsDiffer || !newString.includes('\n')) return newString;
  const sample = replaced.includes('\n') ? replaced : text;
  return sample.includes('\n') ? withLineEnding(newString, lineEndingOf(sample)) : newString;
}

function ambiguous(text: string, spans: readonly Span[]): AppError {
  const lines = [...new Set(spans.slice(0, 8).map(({ start }) => lineNumberAt(text, start)))];
  const more = spans.length > 8 ? ', …' : '';
  return new AppError(
    'invalid_input',
    `Found ${spans.length} occurrences of oldString (line${lines.length > 1 ? 's' : ''} ${lines.join(', ')}${more}). Use replaceAll=true to replace them all, or give more of the surrounding text so that it matches once`,
  );
}

function noMatch(text: string, oldString: string): AppError {
  const near = closestLine(text, oldString);
  return new AppError('invalid_input', 'oldString not found in the note', {
    hint: near
      ? `Closest is line ${near.line}: ${JSON.stringify(near.text)}${near.why}. White space and line breaks must match.`
      : 'The note holds nothing like it. read_note shows its text.',
  });
}

export function lineNumberAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

/** The lines of a text as editors count them, from 1; text after the last line break is a line too. */
import { AppError } from '../../shared/errors.ts';
import { wholeCharacter } from '../text/characters.ts';
import { lowerBound, type Range } from './regions.ts';

interface LineRange {
  /** The first line wanted, from 1. */
  readonly offset: number;
  /** How many lines; 0 for all that remain. */
  readonly limit: number;
  /** The character of the first line to start at, from 1. */
  readonly column: number;
}

export interface LinePage {
  readonly total: number;
  /** First and last line shown; zeros for an empty text. */
  readonly first: number;
  readonly last: number;
  /** To the letter, line breaks included. */
  readonly text: string;
  /** Where to go on when the budget ended the page before the range did. */
  readonly next?: { readonly offset: number; readonly column: number };
}

export function countLines(text: string): number {
  return startsOf(text).length;
}

/** Whole lines while they fit `budget` characters; a line longer than that is cut between characters. */
export function linePage(text: string, range: LineRange, budget: number): LinePage {
  const starts = startsOf(text);
  const total = starts.length;
  assertRange(range, total);
  if (total === 0) return { total, first: 0, last: 0, text: '' };
  const startOf = (line: number) => starts[line - 1] ?? text.length;
  const begin = startOf(range.offset) + range.column - 1;
  if (begin >= startOf(range.offset + 1))
    throw outOfRange(`column ${range.column} is beyond the end of line ${range.offset}`);
  const wanted = range.limit === 0 ? total : Math.min(total, range.offset + range.limit - 1);
  let last = wanted;
  if (startOf(last + 1) - begin > budget)
    last = lowerBound(total, (index) => starts[index]! <= begin + budget) - 1;
  if (last < range.offset) {
    const end = wholeCharacter(text, begin + budget);
    const next = { offset: range.offset, column: end - startOf(range.offset) + 1 };
    return { total, first: range.offset, last: range.offset, text: text.slice(begin, end), next };
  }
  const page = { total, first: range.offset, last, text: text.slice(begin, startOf(last + 1)) };
  return last < wanted ? { ...page, next: { offset: last + 1, column: 1 } } : page;
}

function assertRange({ offset, limit, column }: LineRange, total: number): void {
  if (offset < 1) throw outOfRange(`offset is ${offset}; lines are counted from 1`);
  if (limit < 0) throw outOfRange(`limit is ${limit}; give a number of lines, or 0 for all that remain`);
  if (column < 1) throw outOfRange(`column is ${column}; characters are counted from 1`);
  if (offset > Math.max(1, total))
    throw outOfRange(
      `offset ${offset} is beyond the end; the file has ${total} line${total === 1 ? '' : 's'}`,
    );
}

function outOfRange(problem: string): AppError {
  return new AppError('invalid_input', 'Invalid range', { subject: problem, reason: 'invalid_range' });
}

function startsOf(text: string): number[] {
  const starts = text === '' ? [] : [0];
  for (let at = text.indexOf('\n'); at >= 0 && at + 1 < text.length; at = text.indexOf('\n', at + 1))
    starts.push(at + 1);
  return starts;
}

/** The lines from an offset on, without their line feeds. */
export function* linesFrom(text: string, from: number): Generator<Range> {
  for (let start = from; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    yield { start, end };
    start = end + 1;
  }
}

/** The line of an offset, from 1, as editors count them. */
export function lineNumberAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

/** Line numbers of many offsets of one text. */
export function createLineNumbers(text: string): (offset: number) => number {
  const breaks: number[] = [];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) breaks.push(at);
  return (offset) => lowerBound(breaks.length, (index) => breaks[index]! < offset) + 1;
}

/**
 * Replaces exact text in a note. Strings are literal. Only when nothing matches to the letter are line
 * endings and Unicode forms (é as one or as two characters) taken for equal; the note keeps its own.
 */
import { AppError } from '../shared/errors.ts';
import { lineNumberAt } from './markdown/lines.ts';
import type { Range } from './markdown/regions.ts';
import { fold } from './text/fold.ts';
import { applySplices, lineEndingOf, withLineEnding } from './text/text.ts';

const MAX_LINES = 50_000;
const MAX_LENGTH = 400;
const SHOWN = 160;
const LEAST_SIMILAR = 0.3;

/** Names the line of the note that is most similar to a text that is not in it. */
export function closestHint(text: string, wanted: string): string | undefined {
  const wantedLine = wanted
    .split(/\r?\n/)
    .map((line) => line.trim())
    .reduce((longest, line) => (line.length > longest.length ? line : longest), '')
    .slice(0, MAX_LENGTH);
  if (wantedLine === '') return undefined;
  const wantedPairs = pairsOf(wantedLine.toLowerCase());
  let best = { number: 0, line: '', score: LEAST_SIMILAR };
  for (const [index, line] of text.split(/\r?\n/, MAX_LINES).entries()) {
    const score = similarity(wantedPairs, line.trim().slice(0, MAX_LENGTH).toLowerCase());
    if (score > best.score) best = { number: index + 1, line, score };
  }
  const { number, line } = best;
  if (number === 0) return undefined;
  const shown = line.length > SHOWN ? `${line.slice(0, SHOWN)}…` : line;
  return `Closest is line ${number}: ${JSON.stringify(shown.toWellFormed())}${difference(line, wantedLine)}. White space and line breaks must match.`;
}

/** In words to append; empty when the lines are merely similar. */
function difference(line: string, wanted: string): string {
  const squeeze = (text: string) => text.replace(/\s+/g, '');
  if (squeeze(line) === squeeze(wanted))
    return line.includes(wanted)
      ? ' (this line is right; another one of the text sought differs)'
      : ' (it differs in white space only)';
  return squeeze(line).toLowerCase() === squeeze(wanted).toLowerCase() ? ' (it differs in case only)' : '';
}

/**
 * Shared pairs of neighbouring characters, from 0 (none) to 1 (all): half for how much of the wanted text is in
 * the line, so that a word in a long line counts, half for how alike the two are as a whole.
 */
function similarity(wanted: ReadonlyMap<string, number>, line: string): number {
  if (line === '') return 0;
  const pairs = pairsOf(line);
  let shared = 0;
  let wantedTotal = 0;
  let lineTotal = 0;
  for (const [pair, count] of pairs) shared += Math.min(count, wanted.get(pair) ?? 0);
  for (const count of wanted.values()) wantedTotal += count;
  for (const count of pairs.values()) lineTotal += count;
  return shared / wantedTotal / 2 + shared / (wantedTotal + lineTotal);
}

function pairsOf(text: string): Map<string, number> {
  const pairs = new Map<string, number>();
  for (let at = 0; at < Math.max(1, text.length - 1); at++) {
    const pair = text.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

export interface Replacement {
  readonly oldString: string;
  readonly newString: string;
  readonly replaceAll: boolean;
}

export function replaceText(text: string, replacement: Replacement): { text: string; count: number } {
  const { oldString, newString, replaceAll } = replacement;
  if (oldString === newString) {
    throw new AppError('invalid_input', 'oldString and newString are the same', {
      hint: 'Nothing to change.',
    });
  }
  const spans = findText(text, oldString, { overlapping: !replaceAll });
  if (spans.length === 0) {
    throw new AppError('invalid_input', 'oldString not found in the note', {
      hint: closestHint(text, oldString) ?? 'The note holds nothing like it. read_note shows its text.',
    });
  }
  if (spans.length > 1 && !replaceAll) {
    throw new AppError(
      'invalid_input',
      `Found ${spans.length} occurrences of oldString (${linesOfSpans(text, spans)}). Use replaceAll=true to replace them all, or give more of the surrounding text so that it matches once`,
    );
  }
  return { text: replaceSpans(text, spans, replacement), count: spans.length };
}

/** The exact places of `wanted`; if there are none, the places in another Unicode form or with other line endings. */
export function findText(text: string, wanted: string, { overlapping }: { overlapping: boolean }): Range[] {
  const exact = occurrences(text, wanted, overlapping);
  return exact.length > 0 ? exact : alikeOccurrences(text, wanted, overlapping);
}

/** Puts the new text in each of the places, which must not overlap. */
export function replaceSpans(
  text: string,
  spans: readonly Range[],
  replacement: Pick<Replacement, 'oldString' | 'newString'>,
): string {
  const splices = spans.map(({ start, end }) => ({
    start,
    end,
    text: inNotesStyle(text, text.slice(start, end), replacement),
  }));
  return applySplices(text, splices);
}

/** `aa` stands in `aaa` twice when overlapping places count. */
function occurrences(text: string, wanted: string, overlapping: boolean): Range[] {
  const spans: Range[] = [];
  const step = overlapping ? 1 : wanted.length;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + step)) {
    spans.push({ start: at, end: at + wanted.length });
  }
  return spans;
}

function alikeOccurrences(text: string, wanted: string, overlapping: boolean): Range[] {
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
export function linesOfSpans(text: string, spans: readonly Range[]): string {
  const lines = [...new Set(spans.slice(0, 8).map(({ start }) => lineNumberAt(text, start)))];
  return `line${lines.length > 1 ? 's' : ''} ${lines.join(', ')}${spans.length > 8 ? ', …' : ''}`;
}

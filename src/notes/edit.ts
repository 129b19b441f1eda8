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
function closestHint(text: string, wanted: string): string | undefined {
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
      ? ' (this line matches; another line of your text differs)'
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
  readonly replaceAll?: boolean;
}

/** The errors for a text that is not there, and for one that is there several times. */
interface Refusals {
  readonly missing: (closest: string | undefined) => AppError;
  /** `lines` is `lines 3, 8, …`. */
  readonly several: (count: number, lines: string) => AppError;
}

/** Replaces all places of the text, or the only one. */
export function replaceIn(
  text: string,
  replacement: Replacement,
  refusals: Refusals,
): { text: string; count: number } {
  const { oldString, replaceAll = false } = replacement;
  const exact = occurrences(text, oldString, !replaceAll);
  const spans = exact.length > 0 ? exact : alikeOccurrences(text, oldString, !replaceAll);
  if (spans.length === 0) throw refusals.missing(closestHint(text, oldString));
  if (spans.length > 1 && !replaceAll) throw refusals.several(spans.length, linesOfSpans(text, spans));
  const splices = spans.map(({ start, end }) => ({
    start,
    end,
    text: inNotesStyle(text, text.slice(start, end), replacement),
  }));
  return { text: applySplices(text, splices), count: spans.length };
}

export function replaceText(text: string, replacement: Replacement): { text: string; count: number } {
  if (replacement.oldString === replacement.newString) {
    throw new AppError('invalid_input', 'oldString and newString are the same', {
      hint: 'Nothing to change.',
    });
  }
  return replaceIn(text, replacement, {
    missing: (closest) =>
      new AppError('invalid_input', 'oldString not found in the note', {
        hint: closest ?? 'The note has nothing similar. read_note shows its text.',
      }),
    several: (count, lines) =>
      new AppError(
        'invalid_input',
        `Found ${count} occurrences of oldString (${lines}). Use replaceAll=true to replace them all, or give more of the surrounding text so that it matches once`,
      ),
  });
}

/**
 * Changes a text in several places, all of the changes or none, each in what the ones before it left. An empty
 * `oldString` puts the new text before everything.
 */
export function applyChanges(text: string, changes: readonly Replacement[]): string {
  return changes.reduce(applyChange, text);
}

function applyChange(text: string, change: Replacement, at: number): string {
  const { oldString, newString } = change;
  if (oldString === '') return newString + text;
  const shown = JSON.stringify(oldString.slice(0, 100)).slice(1, -1);
  const subject = `changes[${at}].old_string "${shown}${oldString.length > 100 ? '…' : ''}"`;
  return replaceIn(text, change, {
    missing: (closest = 'There is nothing similar.') =>
      new AppError('invalid_input', 'The text to replace is not there', {
        subject,
        reason: 'text_not_found',
        hint: `${closest} Read the stored text again and copy from it; nothing was changed.`,
      }),
    several: (_, lines) =>
      new AppError('invalid_input', 'The text to replace is there several times', {
        subject,
        reason: 'text_not_unique',
        hint: `It is in ${lines}. Give more of the text around the one you mean; nothing was changed.`,
      }),
  }).text;
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
function inNotesStyle(text: string, replaced: string, { oldString, newString }: Replacement): string {
  const onlyEndingsDiffer = withLineEnding(oldString, '\n') === withLineEnding(newString, '\n');
  if (onlyEndingsDiffer || !newString.includes('\n')) return newString;
  const sample = replaced.includes('\n') ? replaced : text;
  return sample.includes('\n') ? withLineEnding(newString, lineEndingOf(sample)) : newString;
}

/** `lines 3, 8, …`: in which lines the places begin. */
function linesOfSpans(text: string, spans: readonly Range[]): string {
  const lines = [...new Set(spans.slice(0, 8).map(({ start }) => lineNumberAt(text, start)))];
  return `line${lines.length > 1 ? 's' : ''} ${lines.join(', ')}${spans.length > 8 ? ', …' : ''}`;
}

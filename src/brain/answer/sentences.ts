/**
 * The sentences of a passage: each with its exact place in the note, and as it is read. Code, headings, comments and
 * rules are no sentences; an item of a list and a row of a table are at least one each.
 */

import { codeBlocks, codeRegions, overlapsAny, type Range } from '../../notes/markdown/regions.ts';
import { memoize } from '../../shared/memoize.ts';
import { printable } from '../../shared/printable.ts';
import type { RankedPassage, Span } from '../types.ts';

/** Markdown as it is read: one line without its signs, and without numbers in brackets, which would look like citations. */

const SIGNS: readonly (readonly [RegExp, string])[] = [
  [/<!--[\s\S]{0,2000}?-->|%%[^%]{0,2000}%%/g, ' '],
  [/^[ \t]*(?:>[ \t]?)+/gm, ''],
  [/^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[.\][ \t]+)?/gm, ''],
  [/^[ \t]*#{1,6}[ \t]+/gm, ''],
  [/!?\[\[([^\][|]{0,300})\|([^\][]{0,300})\]\]/g, '$2'],
  [/!?\[\[([^\][]{0,300})\]\]/g, '$1'],
  [/!?\[([^\][]{0,300})\]\([^()\s]{0,1000}(?:[ \t]"[^"]{0,300}")?\)/g, '$1'],
  [/\[\^[^\][\s]{1,60}\]:?/g, ''],
  [/\[\d{1,4}(?:[,–-]\s?\d{1,4}){0,8}\]/g, ''],
  [/<\/?[a-zA-Z][^<>]{0,300}>/g, ' '],
  [/(\*\*|__|~~|==)(?=\S)([^\n]{1,2000}?)(?<=\S)\1/g, '$2'],
  [/(?<![\p{L}\p{N}*])\*(?=\S)([^*\n]{1,2000})(?<=\S)\*(?![\p{L}\p{N}*])/gu, '$1'],
  [/(?<![\p{L}\p{N}_])_(?=\S)([^_\n]{1,2000})(?<=\S)_(?![\p{L}\p{N}_])/gu, '$1'],
  [/`+([^`\n]{1,2000})`+/g, '$1'],
  [/[ \t]\^[A-Za-z\d-]{1,60}[ \t]*$/gm, ''],
  [/\\([!-/:-@[-`{-~])/g, '$1'],
];

export function readingText(markdown: string): string {
  let text = markdown;
  for (const [pattern, rest] of SIGNS) text = text.replace(pattern, rest);
  return printable(isTableRow(text) ? cellsOf(text) : text).replace(/ (?=[.,;:!?](?: |$))/g, '');
}

function isTableRow(line: string): boolean {
  return /^\s*\|.*\|\s*$/s.test(line);
}

function cellsOf(row: string): string {
  const cells = row
    .trim()
    .replace(/^\||\|$/g, '')
    .split('|')
    .map((cell) => cell.trim())
    .filter((cell) => cell !== '');
  return cells.length === 2 ? cells.join(': ') : cells.join(', ');
}

export interface Sentence {
  readonly source: RankedPassage;
  /** In the note. */
  readonly span: Span;
  /** As it is read. */
  readonly text: string;
}

const MAX_SENTENCES = 200;
const MAX_LENGTH = 400;

export function sentencesOf(source: RankedPassage): Sentence[] {
  const { text, span } = source.passage;
  const sentences: Sentence[] = [];
  for (const block of blocksOf(text)) {
    for (const piece of splitText(text.slice(block.start, block.end))) {
      if (sentences.length === MAX_SENTENCES) return sentences;
      const start = span.start + block.start + piece.start;
      const raw = text.slice(block.start + piece.start, block.start + piece.end);
      const reading = readingText(raw);
      if (/[\p{L}\p{N}]/u.test(reading))
        sentences.push({ source, span: { start, end: start + raw.length }, text: reading });
    }
  }
  return sentences;
}

const BEGINS_BLOCK = /^[ \t]*(?:>[ \t]?)*[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]|\|)/;
const NOT_PROSE =
  /^[ \t]*(?:>[ \t]?)*[ \t]*(?:$|#{1,6}(?:[ \t]|$)|=+[ \t]*$|-+[ \t]*$|(?:[-*_=][ \t]*){3,}$|\|?[ \t:|-]*-[ \t:|-]*\|[ \t:|-]*$|<!--.*-->$|%%.*%%$|\[\^?[^\]]+\]:[ \t])/;

interface Block {
  readonly start: number;
  end: number;
  readonly isParagraph: boolean;
}

/** Paragraphs, items and rows; what goes on over several lines is one. */
function blocksOf(text: string): readonly Range[] {
  const isHidden = hiddenLines(text);
  const blocks: Block[] = [];
  let open: Block | undefined;
  for (const line of linesOf(text)) {
    const content = text.slice(line.start, line.end).replace(/\r$/, '');
    const end = line.start + content.length;
    // What stands over such a line is a heading.
    if (open?.isParagraph && /^ {0,3}(?:=+|-+)[ \t]*$/.test(content)) blocks.pop();
    const begins = BEGINS_BLOCK.test(content);
    if (NOT_PROSE.test(content) || isHidden(line)) open = undefined;
    else if (open && !begins) open.end = end;
    else {
      open = { start: line.start, end, isParagraph: !begins };
      blocks.push(open);
    }
  }
  return blocks;
}

/** Lines of code, and lines that are nothing but a comment or a formula. */
function hiddenLines(text: string): (line: Range) => boolean {
  const code = codeBlocks(text);
  const asides = codeRegions(text).filter(({ start }) =>
    /^(?:<!--|%%|\$\$)/.test(text.slice(start, start + 4)),
  );
  return (line) => {
    const { start, end } = trimmed(text, line);
    return overlapsAny(code, line) || asides.some((aside) => aside.start <= start && end <= aside.end);
  };
}

function* linesOf(text: string): Generator<Range> {
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    yield { start, end };
    start = end + 1;
  }
}

const segmenter = memoize(() => new Intl.Segmenter('en', { granularity: 'sentence' }));
/** What a full stop after it does not end. */
const ABBREVIATION =
  /(?:^|[\s(["'>])(?:(?:\p{L}\.)*\p{L}|dr|mr|mrs|ms|prof|st|sr|jr|vs|eg|ie|approx|ca|cf|nr|fig|abb|vol|pp|inc|ltd|corp|dept|bzw|usw|ggf|evtl|inkl|zzgl|str|tel|jan|feb|apr|jun|jul|aug|sep|sept|oct|okt|nov|dec|dez|mme|sra?)\.\s*$/iu;

const LONGEST_ABBREVIATION = 20;
const LONGEST_LABEL = 60;

/** Ranges of the sentences of a text, without the white space around them. */
export function splitText(text: string): Range[] {
  if (isTableRow(text)) return cut(text, trimmed(text, { start: 0, end: text.length }));
  // As long as it was, so that places stay the same. Neither a line break within a paragraph ends a sentence,
  // nor a mark within a word or before a picture.
  const flat = text.replace(/[\r\n]/g, ' ').replace(/[!?](?=[^\s!?.…"'”’»)\]*_~])/g, '_');
  const ranges: { start: number; end: number }[] = [];
  let goesOn = false;
  for (const { segment, index } of segmenter().segment(flat)) {
    const last = ranges.at(-1);
    if (last && goesOn) last.end = index + segment.length;
    else ranges.push({ start: index, end: index + segment.length });
    const end = index + segment.length;
    const tail = flat.slice(Math.max(ranges.at(-1)?.start ?? 0, end - LONGEST_ABBREVIATION), end);
    const whole = flat.slice(ranges.at(-1)?.start ?? 0, end);
    goesOn = ABBREVIATION.test(tail) || /(?:^|\s)\d{1,2}\.\s*$/.test(tail) || isLabel(whole);
  }
  return ranges.flatMap((range) => cut(text, trimmed(text, range)));
}

/** A few words in bold, as before a paragraph: they belong to what they stand before. */
function isLabel(text: string): boolean {
  return (
    text.length <= LONGEST_LABEL &&
    /^\s*(?:[-*+]\s+)?(?:\*\*|__)(?:(?!\*\*|__).)+(?:\*\*|__)?[:.]?\s*$/.test(text)
  );
}

function trimmed(text: string, { start, end }: Range): Range {
  const piece = text.slice(start, end);
  const lead = piece.length - piece.trimStart().length;
  return { start: start + lead, end: Math.max(start + lead, start + piece.trimEnd().length) };
}

/** A sentence without an end is taken in pieces, cut between words where there are any. */
function cut(text: string, { start, end }: Range): Range[] {
  const pieces: Range[] = [];
  for (let at = start; at < end; ) {
    const limit = at + MAX_LENGTH;
    const space = limit < end ? text.lastIndexOf(' ', limit) : end;
    const next = limit >= end ? end : space > at ? space : wholeCharacter(text, limit);
    pieces.push(trimmed(text, { start: at, end: next }));
    at = next;
  }
  return pieces.filter((piece) => piece.end > piece.start);
}

function wholeCharacter(text: string, at: number): number {
  return /^[\uDC00-\uDFFF]/.test(text.charAt(at)) ? at - 1 : at;
}

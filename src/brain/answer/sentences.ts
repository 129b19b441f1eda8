/**
 * The sentences of a passage, each with its range in the note and its plain text. Code, headings, comments and
 * horizontal rules are no sentences; a list item and a table row are at least one each.
 */

import { type Heading, outlineOf } from '../../notes/markdown/outline.ts';
import { type Range, trimmedRange } from '../../notes/markdown/regions.ts';
import { textSpans } from '../../notes/markdown/text-spans.ts';
import { wholeCharacter } from '../../notes/text/characters.ts';
import { sentencesOf } from '../../notes/text/sentences.ts';
import { runAtOnce } from '../../shared/async/time-slices.ts';
import { printable } from '../../shared/printable.ts';
import type { Passage, RankedPassage } from '../types.ts';

/** Markdown markup, and numbers in brackets, which would look like citations. */
const MARKUP: readonly (readonly [RegExp, string])[] = [
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

/** Markdown as one line of plain text. */
export function readingText(markdown: string): string {
  let text = markdown;
  for (const [pattern, rest] of MARKUP) text = text.replace(pattern, rest);
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

export interface PassageSentence {
  readonly source: RankedPassage;
  /** Offsets in the note. */
  readonly span: Range;
  /** Plain text, without markdown. */
  readonly text: string;
}

/** A paragraph, an item of a list, a row of a table, or what one person says in a conversation. */
export interface Paragraph {
  readonly source: RankedPassage;
  /** Plain text. */
  readonly text: string;
  /** Who says it, when it begins with a label such as "Ana:". */
  readonly label?: string;
  /** Those over it within the passage. */
  readonly headings: readonly string[];
  readonly sentences: readonly PassageSentence[];
}

const MAX_SENTENCES = 200;
const MAX_LENGTH = 400;
const LABEL =
  /^(?:[-*+][ \t]+)?(?:\*\*|__)?(\p{Lu}[\p{L}\p{M}.'’-]*(?: \p{Lu}[\p{L}\p{M}.'’-]*){0,2})(?:[ \t]*[[(][^\])\n]{1,20}[\])])?(?:\*\*|__)?:(?:\*\*|__)?\s/u;

export function passageSentences(source: RankedPassage): PassageSentence[] {
  return paragraphsIn(source).flatMap(({ sentences }) => sentences);
}

export function paragraphsIn(source: RankedPassage): Paragraph[] {
  if (source.passage.isFrontmatter) return frontmatterEntries(source);
  const { text, span } = source.passage;
  let room = MAX_SENTENCES;
  return proseBlocks(text).flatMap((block) => {
    const raw = text.slice(block.start, block.end);
    const sentences = splitText(raw)
      .map((part) => sentenceAt(source, raw, { block: span.start + block.start, part }))
      .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence.text))
      .slice(0, room);
    room -= sentences.length;
    if (sentences.length === 0) return [];
    const label = LABEL.exec(raw)?.[1];
    const headings = headingsWithin(source.passage, span.start + block.start);
    return [
      { source, label, headings, sentences, text: sentences.map((sentence) => sentence.text).join(' ') },
    ];
  });
}

/** The headings over an offset of the note that stand in the passage itself: it may hold several small sections. */
export function headingsWithin({ text, span }: Passage, at: number): string[] {
  const over: Heading[] = [];
  for (const heading of outlineOf(text)) {
    if (span.start + heading.start > at) break;
    while ((over.at(-1)?.level ?? 0) >= heading.level) over.pop();
    over.push(heading);
  }
  return over.map(({ text: words }) => words);
}

/** The path, title and headings over a part of a note, which may have its date. */
export function placeOf({ source: { passage }, span }: Omit<PassageSentence, 'text'>): string {
  const headings = [...passage.headings, ...headingsWithin(passage, span.start)];
  return [passage.sourcePath, passage.title, ...headings].join('\n');
}

/** Keys that say nothing about what the note is about. */
const NAMING_KEY = /^(?:tags?|alias(?:es)?|title|id|uid|css-?class(?:es)?)\s*:/i;
const BEGINS_ENTRY = /^(?=[^\s#-][^\n]*:(?:\s|$))/m;

/** A sentence for each key, such as "due: 2026-12-01" or "people: Ana, Ben". */
function frontmatterEntries(source: RankedPassage): Paragraph[] {
  const { text, span } = source.passage;
  let start = span.start;
  return text.split(BEGINS_ENTRY).flatMap((raw) => {
    const entry = raw.replace(/\n(?:---|\.\.\.)\s*$/, '');
    const own = trimmedRange(entry, { start: 0, end: Math.min(entry.length, MAX_LENGTH) });
    const at = { start: start + own.start, end: start + own.end };
    start += raw.length;
    const plain = raw
      .slice(own.start, own.end)
      .replace(/\s*\n\s*-\s+/g, ', ')
      .replace(/:,/, ':')
      .replace(/^([^:]*:\s*)\[([^[\]]*)\]$/, '$1$2')
      .replace(/["']/g, '');
    const reading = readingText(plain);
    if (NAMING_KEY.test(raw) || !/:[^\p{L}\p{N}]*[\p{L}\p{N}]/u.test(reading)) return [];
    return [{ source, text: reading, headings: [], sentences: [{ source, span: at, text: reading }] }];
  });
}

function sentenceAt(
  source: RankedPassage,
  raw: string,
  { block, part }: { block: number; part: Range },
): PassageSentence {
  const span = { start: block + part.start, end: block + part.end };
  return { source, span, text: readingText(raw.slice(part.start, part.end)) };
}

/** The line of an item, however far it is indented: markdown takes it for a part of the paragraph above. */
const BEGINS_ITEM = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]/;
/** Lines of a paragraph that are no prose: indented headings, delimiter rows of tables, comments, formulas, link definitions. */
const NOT_PROSE =
  /^[ \t>]*(?:#{1,6}[ \t]|\|?[ \t:|-]*-[ \t:|-]*\|[ \t:|-]*$|%%.*%%\s*$|\$\$.*\$\$\s*$|\[\^?[^\]]+\]:[ \t])/;

/** Paragraphs, items of lists and rows of tables, each from the start of its first line. */
function proseBlocks(text: string): Range[] {
  const standsApart = (line: string, before: string) =>
    BEGINS_ITEM.test(line) || NOT_PROSE.test(line) || NOT_PROSE.test(before);
  return runAtOnce(textSpans(text, 0, standsApart))
    .filter(({ kind, start, end }) => kind !== 'heading' && !NOT_PROSE.test(text.slice(start, end)))
    .map(({ start, end }) => ({ start: text.lastIndexOf('\n', start - 1) + 1, end }));
}

const LONGEST_LABEL = 60;
/** The full stop of a day, as in "am 3. März", ends no sentence. */
const DAY = /(?:^|\s)\d{1,2}\.$/;

/** Ranges of the sentences of a text, without the white space around them. */
export function splitText(text: string): Range[] {
  if (isTableRow(text)) return cut(text, trimmedRange(text, { start: 0, end: text.length }));
  // A line break within a paragraph, with the quote mark behind it, ends no sentence; equal length keeps the offsets.
  const flat = text.replace(/\r?\n[ \t>]*|\r/g, (run) => ' '.repeat(run.length));
  const ranges: { start: number; end: number }[] = [];
  let goesOn = false;
  for (const { start, end } of sentencesOf(flat)) {
    if (goesOn) ranges.at(-1)!.end = end;
    else ranges.push({ start, end });
    const whole = flat.slice(ranges.at(-1)!.start, end);
    goesOn = DAY.test(whole.slice(-4)) || isLabel(whole);
  }
  return ranges.flatMap((range) => cut(text, trimmedRange(text, range)));
}

/** A few words in bold before a paragraph belong to its first sentence. */
function isLabel(text: string): boolean {
  return (
    text.length <= LONGEST_LABEL &&
    /^\s*(?:[-*+]\s+)?(?:\*\*|__)(?:(?!\*\*|__).)+(?:\*\*|__)?[:.]?\s*$/.test(text)
  );
}

/** A sentence that is too long is cut between words where there are any. */
function cut(text: string, { start, end }: Range): Range[] {
  const parts: Range[] = [];
  for (let at = start; at < end; ) {
    const limit = at + MAX_LENGTH;
    const space = limit < end ? text.lastIndexOf(' ', limit) : end;
    const next = limit >= end ? end : space > at ? space : wholeCharacter(text, limit);
    parts.push(trimmedRange(text, { start: at, end: next }));
    at = next;
  }
  return parts.filter((part) => part.end > part.start);
}

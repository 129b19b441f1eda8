/**
 * The chunker: cuts a note's text into passages where a reader would, at headings, then between paragraphs, lists,
 * tables and blocks of code, then between lines, then between sentences and words. A passage holds no heading of the
 * same or a higher level but its first, unless all of it is tiny.
 */
import { bodyStartOf } from '../frontmatter/split.ts';
import { type Heading, outlineOf } from '../markdown/outline.ts';
import { codeBlocks, type Range, trimmedRange } from '../markdown/regions.ts';
import { graphemeEnd } from './characters.ts';
import { BOM } from './text.ts';

const SENTENCE_END = /[.!?…。！？]["'”’)\]]*\s/g;
/** The share of the allowed length that a cut between sentences, or between words, must leave. */
const SENTENCE_SHARE = 0.5;
const WORD_SHARE = 0.7;

/** The best end at or before `latest` of what begins at `from`: after a sentence, else a word, else a whole character. */
export function wholeEnd(text: string, from: number, latest: number): number {
  if (latest >= text.length) return text.length;
  const length = latest - from;
  return (
    lastSentenceEnd(text, from + Math.floor(length * SENTENCE_SHARE), latest) ??
    lastSpace(text, from + Math.floor(length * WORD_SHARE), latest) ??
    graphemeEnd(text, from, latest)
  );
}

function lastSentenceEnd(text: string, from: number, latest: number): number | undefined {
  let end: number | undefined;
  for (const { 0: found, index } of text.slice(from, latest).matchAll(SENTENCE_END))
    end = from + index + found.length;
  return end;
}

function lastSpace(text: string, from: number, latest: number): number | undefined {
  for (let at = latest; at > from; at--) if (/\s/.test(text[at - 1]!)) return at;
  return undefined;
}

/** Where a passage stands in its note. */
export interface PassageRange extends Range {
  /** The heading over its first line and those over that one, outermost first. */
  readonly headings: readonly string[];
}

const LARGEST = 1_200;
/** A passage that has this much does not go on behind a blank line. */
const ENOUGH = 900;
const TINY = 240;
/** Of a note; in a longer one, passages are longer. */
const MOST_PASSAGES = 256;

/**
 * In order, without overlap; each begins and ends with a character that shows. Frontmatter is in none of them, unless
 * there is nothing else.
 */
export function passageRanges(text: string, isMarkdown: boolean): PassageRange[] {
  const passages = isMarkdown ? cut(text, bodyStartOf(text), codeBlocks(text)) : [];
  return passages.length > 0 ? passages : cut(text, Number(text.startsWith(BOM)), undefined);
}

/** `code` is undefined in a text that is no markdown. */
function cut(text: string, from: number, code: readonly Range[] | undefined): PassageRange[] {
  const outline = code ? outlineOf(text, code) : [];
  const blocksIn = createBlocks(text, code ?? []);
  const passages = sectionsOf(text, outline, from).flatMap((section) =>
    cutSection(text, section, blocksIn(section)),
  );
  return bounded(joinTiny(passages).map(({ start, end, headings }) => ({ start, end, headings })));
}

interface Section extends PassageRange {
  /** Level of its heading; 0 above the first one. */
  readonly depth: number;
}

function sectionsOf(text: string, outline: readonly Heading[], from: number): Section[] {
  const open: Heading[] = [];
  const starts = [{ start: from, level: 0, text: '' }, ...outline];
  return starts.map((heading, at) => {
    while (heading.level > 0 && (open.at(-1)?.level ?? 0) >= heading.level) open.pop();
    if (heading.level > 0) open.push(heading);
    return {
      start: heading.start,
      end: starts[at + 1]?.start ?? text.length,
      depth: heading.level,
      headings: open.map((each) => each.text).filter((each) => each !== ''),
    };
  });
}

function cutSection(text: string, section: Section, blocks: readonly Range[]): Section[] {
  const passages: Section[] = [];
  let current: Range | undefined;
  const finish = () => {
    if (current) passages.push({ ...section, ...current });
    current = undefined;
  };
  for (const block of blocks) {
    if (current && !takesMore(current, block)) finish();
    const { start } = current ?? block;
    if (block.end - block.start <= LARGEST) current = { start, end: block.end };
    else {
      const parts = cutLong(text, { start, end: block.end });
      passages.push(...parts.slice(0, -1).map((part) => ({ ...section, ...part })));
      current = parts.at(-1);
    }
  }
  finish();
  return passages;
}

/** A tiny passage takes whatever comes: mostly it is a heading. */
function takesMore(current: Range, block: Range): boolean {
  return isTiny(current) || (current.end - current.start < ENOUGH && block.end - current.start <= LARGEST);
}

/** Runs of lines without a blank one between, and whole blocks of code. Sections must come in order. */
function createBlocks(text: string, code: readonly Range[]): (section: Range) => Range[] {
  const blankLineFrom = createBlankLines(text);
  let nextCode = 0;
  const endOfBlock = (from: number, end: number): number => {
    let stop = Math.min(end, blankLineFrom(from));
    for (let block = code[nextCode]; block && block.start < stop; block = code[++nextCode])
      if (block.end > stop) stop = Math.min(end, blankLineFrom(block.end));
    return stop;
  };
  return ({ start, end }) => {
    const blocks: Range[] = [];
    for (let at = nextVisible(text, start, end); at < end; ) {
      const stop = endOfBlock(at, end);
      blocks.push(trimmedRange(text, { start: at, end: stop }));
      at = nextVisible(text, stop, end);
    }
    return blocks;
  };
}

/** Where the next blank line begins, at an offset or after it. Offsets must not go back. */
function createBlankLines(text: string): (from: number) => number {
  const blank = /\n[^\S\n]*(?=\n)/g;
  let next = -1;
  return (from) => {
    if (next < from) {
      blank.lastIndex = from;
      next = blank.exec(text)?.index ?? text.length;
    }
    return next;
  };
}

const VISIBLE = /\S/g;

function nextVisible(text: string, from: number, end: number): number {
  VISIBLE.lastIndex = from;
  return VISIBLE.test(text) ? Math.min(end, VISIBLE.lastIndex - 1) : end;
}

/** A block too long for one passage is cut between lines where that gives parts of some size, else between sentences or words. */
function cutLong(text: string, { start, end }: Range): Range[] {
  const parts: Range[] = [];
  for (let at = start; at < end; ) {
    const cut = end - at <= LARGEST ? end : cutBefore(text, at, at + LARGEST);
    const part = trimmedRange(text, { start: at, end: cut });
    if (part.end > part.start) parts.push(part);
    at = cut;
  }
  return parts;
}

function cutBefore(text: string, from: number, latest: number): number {
  const line = text.lastIndexOf('\n', latest - 1) + 1;
  return line > from + TINY ? line : wholeEnd(text, from, latest);
}

/** A heading with next to nothing under it says little alone: it goes with what follows, if that is its own or as tiny. */
function joinTiny(passages: readonly Section[]): Section[] {
  const joined: Section[] = [];
  for (const passage of passages) {
    const before = joined.at(-1);
    const fits = before !== undefined && passage.end - before.start <= LARGEST;
    if (fits && isTiny(before) && (passage.depth > before.depth || isTiny(passage)))
      joined[joined.length - 1] = { ...before, end: passage.end };
    else joined.push(passage);
  }
  return joined;
}

function isTiny({ start, end }: Range): boolean {
  return end - start < TINY;
}

function bounded(passages: readonly PassageRange[]): PassageRange[] {
  const together = Math.ceil(passages.length / MOST_PASSAGES);
  if (together <= 1) return [...passages];
  return passages
    .filter((_, at) => at % together === 0)
    .map((first, group) => ({
      ...first,
      end: passages[Math.min(passages.length, (group + 1) * together) - 1]!.end,
    }));
}

/**
 * The sections of a markdown text, each under its heading, and the blocks that have an id (`^abc`). Headings are lines
 * with `#` and underlined ones; nothing in code or frontmatter is either.
 */
import { AppError } from '../../shared/errors.ts';
import { nearest } from '../../shared/nearest.ts';
import { bodyStartOf } from '../frontmatter/split.ts';
import { scanBlocks } from './blocks.ts';
import { createLineNumbers } from './lines.ts';
import { itemAt, lineEnd, lineStart } from './list-items.ts';
import { headingAnchor, signedHeadings, underlinedHeading } from './outline.ts';
import { codeBlocks, isInside, type Range } from './regions.ts';

export interface Section {
  /** 1 to 6. */
  readonly level: number;
  /** The headings over it, outermost first, and its own. */
  readonly path: readonly string[];
  /** Of the heading, from 1. */
  readonly line: number;
  /** Where its heading begins. */
  readonly start: number;
  /** Where the text below the heading begins. */
  readonly bodyStart: number;
  /** Where the next heading begins, of whatever level. */
  readonly ownEnd: number;
  /** Where the next heading begins that is not below it. */
  readonly end: number;
}

interface PlacedHeading {
  readonly level: number;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** In order. */
export function sectionsOf(text: string): Section[] {
  const headings = headingsOf(text);
  const lineOf = createLineNumbers(text);
  const ends: number[] = headings.map(() => text.length);
  const open: number[] = [];
  const paths = headings.map(({ level, start }, at) => {
    while (open.length > 0 && headings[open.at(-1)!]!.level >= level) ends[open.pop()!] = start;
    open.push(at);
    return open.map((index) => headings[index]!.text);
  });
  return headings.map(({ level, start, end }, at) => ({
    level,
    path: paths[at]!,
    line: lineOf(start),
    start,
    bodyStart: end,
    ownEnd: headings[at + 1]?.start ?? text.length,
    end: ends[at]!,
  }));
}

function headingsOf(text: string): PlacedHeading[] {
  const code: Range[] = [];
  const underlined: PlacedHeading[] = [];
  let last: Range = { start: 0, end: 0 };
  scanBlocks(text, bodyStartOf(text), {
    code: (start, end) => void (end > start && code.push({ start, end })),
    inline: (start, end) => {
      last = { start, end };
    },
    underline: (level) => {
      const heading = underlinedHeading(text, last, level);
      if (heading) underlined.push({ ...heading, end: lineEnd(text, lineEnd(text, last.end)) });
    },
  });
  const signed = signedHeadings(text, code).map((heading) => ({
    ...heading,
    end: lineEnd(text, heading.start),
  }));
  return [...signed, ...underlined].sort((a, b) => a.start - b.start);
}

/** Candidates that a message names. */
const SHOWN = 8;

/**
 * The section that `wanted` means: a heading, or the headings on the way to it, `A > B`, `A/B` or `A#B`, some of which
 * may be left out. What may mean several is answered with all of them.
 */
export function findSection(
  sections: readonly Section[],
  wanted: string,
  line?: number,
): Section | undefined {
  const named = sectionsNamed(sections, wanted);
  const [only, ...others] = line === undefined ? named : named.filter((section) => section.line === line);
  if (only && others.length === 0) return only;
  if (named.length === 0) return undefined;
  const places = named.slice(0, SHOWN).map((section) => `${pathOf(section)} (line ${section.line})`);
  throw new AppError('invalid_input', `"${shown(wanted)}" can mean ${named.length} sections`, {
    subject: places.join(', ') + (named.length > SHOWN ? ', …' : ''),
    hint: 'Give the headings above it too, as "A > B", or the line of the heading.',
    reason: 'text_not_unique',
  });
}

export function noSuchSection(sections: readonly Section[], wanted: string): AppError {
  const names = sections.map(pathOf);
  const near = nearest(wanted, names) ?? nearest(wanted, sections.map(titleOf));
  const some = names.slice(0, SHOWN).join(', ') + (names.length > SHOWN ? ', …' : '');
  const there = names.length === 0 ? 'The note has no headings.' : `The note has: ${some}.`;
  return new AppError('invalid_input', 'No such heading in this note', {
    subject: shown(wanted),
    hint: near === undefined ? there : `Did you mean ${near}? ${there}`,
    reason: 'text_not_found',
  });
}

export function pathOf({ path }: Pick<Section, 'path'>): string {
  return path.join(' > ');
}

export function titleOf({ path }: Pick<Section, 'path'>): string {
  return path.at(-1)!;
}

/** The headings on the way to a section, as somebody writes them. */
export function headingPath(wanted: string): string[][] {
  const bare = wanted.trim().replace(/^#+[ \t]*/, '');
  const ways = [[bare], bare.split('>'), bare.split('#'), bare.split('/')];
  return ways.map((way) => way.map((part) => part.trim()).filter((part) => part !== ''));
}

function sectionsNamed(sections: readonly Section[], wanted: string): readonly Section[] {
  for (const way of headingPath(wanted)) {
    const keys = way.map(keyOf);
    const found = sections.filter((section) => leadsTo(section.path.map(keyOf), keys));
    const whole = found.filter(({ path }) => path.length === keys.length);
    if (found.length > 0) return whole.length === 1 ? whole : found;
  }
  return [];
}

/** Whether `keys` are headings on the way, in order, and the last one is the section's own. */
function leadsTo(path: readonly string[], keys: readonly string[]): boolean {
  if (keys.length === 0 || path.at(-1) !== keys.at(-1)) return false;
  let at = 0;
  for (const heading of path.slice(0, -1)) if (heading === keys[at] && at < keys.length - 1) at++;
  return at === keys.length - 1;
}

function keyOf(heading: string): string {
  return headingAnchor(heading).replace(/[*_`]/g, '').normalize('NFC').toLowerCase().trim();
}

function shown(wanted: string): string {
  return wanted.trim().slice(0, 100);
}

export interface Block extends Range {
  readonly id: string;
  /** Where its id stands. */
  readonly line: number;
}

const BLOCK_ID = /(?:^|[ \t])\^([A-Za-z0-9-]+)[ \t]*\r?$/gm;

/** The blocks with an id: a list item with what is below it, else a paragraph; an id alone names the block over it. */
export function blocksOf(text: string): Block[] {
  const ids = [...text.matchAll(BLOCK_ID)];
  if (ids.length === 0) return [];
  const bodyStart = bodyStartOf(text);
  const code = codeBlocks(text);
  const lineOf = createLineNumbers(text);
  return ids
    .filter(({ index }) => index >= bodyStart && !isInside(code, index))
    .map(({ index, 0: match, 1: id = '' }) => {
      const at = index + match.indexOf('^');
      const { start, end } = blockAround(text, at, bodyStart);
      // A block of code may hold blank lines.
      const around = code.find((range) => range.start < start && start < range.end);
      return { id, line: lineOf(at), start: around ? lineStart(text, around.start) : start, end };
    });
}

function blockAround(text: string, at: number, from: number): Range {
  const own = lineStart(text, at);
  const isAlone = text.slice(own, at).trim() === '';
  const item = isAlone ? undefined : itemAt(text, own);
  if (item) return item;
  let start = own;
  // An id alone may have a blank line over it.
  if (isAlone)
    while (start > from && isBlankLine(text, lineStart(text, start - 1))) start = lineStart(text, start - 1);
  while (start > from) {
    const above = lineStart(text, start - 1);
    if (isBlankLine(text, above) || (!isAlone && /^ {0,3}#{1,6}[ \t]/.test(text.slice(above, start)))) break;
    start = above;
  }
  let end = lineEnd(text, at);
  while (!isAlone && end < text.length && !isBlankLine(text, end) && !startsBlock(text, end))
    end = lineEnd(text, end);
  return { start, end };
}

function isBlankLine(text: string, at: number): boolean {
  return text.slice(at, lineEnd(text, at)).trim() === '';
}

function startsBlock(text: string, at: number): boolean {
  return /^[ \t]*(?:[-*+][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|```|~~~|>)/.test(text.slice(at, at + 16));
}

export function findBlock(text: string, id: string): Block {
  const wanted = id.trim().replace(/^#?\^/, '').toLowerCase();
  const blocks = blocksOf(text);
  const [only, ...others] = blocks.filter((block) => block.id.toLowerCase() === wanted);
  if (only && others.length === 0) return only;
  const ids = blocks.map((block) => `^${block.id}`);
  if (!only)
    throw new AppError('invalid_input', 'No such block in this note', {
      subject: shown(id),
      hint: ids.length === 0 ? 'The note has no block ids.' : `It has ${ids.slice(0, SHOWN).join(', ')}.`,
      reason: 'text_not_found',
    });
  throw new AppError('invalid_input', `${others.length + 1} blocks have this id`, {
    subject: [only, ...others].map(({ line }) => `line ${line}`).join(', '),
    hint: 'Make the ids unique, or edit the text itself.',
    reason: 'text_not_unique',
  });
}

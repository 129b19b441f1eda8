/**
 * The parts of a markdown text that are not prose: fenced and indented code, code spans, comments, `$$`
 * mathematics. Frontmatter is neither code nor scanned for it. Time grows with the text's length only,
 * whatever the text holds.
 */
import { bodyStartOf } from '../frontmatter/split.ts';
import { scanBlocks } from './blocks.ts';
import { createInlineScanner } from './inline-code.ts';

/** A half-open stretch of a text, in UTF-16 code units. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Sorted and without overlap. */
export function codeRegions(text: string): readonly Range[] {
  const regions: Range[] = [];
  const report = (start: number, end: number) => {
    if (end > start) regions.push({ start, end });
  };
  scanBlocks(text, bodyStartOf(text), { code: report, inline: createInlineScanner(text, report) });
  return regions;
}

/** Only the fenced and indented blocks of code: found several times faster. */
export function codeBlocks(text: string, bodyStart: number = bodyStartOf(text)): readonly Range[] {
  const blocks: Range[] = [];
  scanBlocks(text, bodyStart, {
    code: (start, end) => {
      if (end > start) blocks.push({ start, end });
    },
    inline: () => {},
  });
  return blocks;
}

const BACKTICKS = '```';
/** Each can begin a block that hides what looks like a fence. */
const OTHER_SIGNS = ['~~~', '<!--', '$$'];

/**
 * The blocks of code in which a heading could stand, found by their fences alone, in a fraction of the time: those of a
 * text in which every fence stands at the start of its line, as in most. Undefined for any other text.
 */
export function blocksAtMargin(text: string, bodyStart: number = bodyStartOf(text)): Range[] | undefined {
  const blocks: Range[] = [];
  let opened: { readonly at: number; readonly length: number } | undefined;
  for (let at = text.indexOf(BACKTICKS, bodyStart); at >= 0; ) {
    const start = Math.max(bodyStart, text.lastIndexOf('\n', at) + 1);
    const newline = text.indexOf('\n', at);
    const line = text.slice(start, newline < 0 ? text.length : newline).trimEnd();
    if (at > start) {
      // In code it is text, unless nothing stands before it.
      if (!opened || /^[ \t]*`/.test(line)) return undefined;
    } else {
      const length = /^`*/.exec(line)![0].length;
      if (!opened) {
        if (line.includes('`', length)) return undefined;
        opened = { at, length };
      } else if (length >= opened.length && length === line.length) {
        blocks.push({ start: opened.at, end: at + length });
        opened = undefined;
      }
    }
    at = newline < 0 ? -1 : text.indexOf(BACKTICKS, newline);
  }
  if (opened) blocks.push({ start: opened.at, end: text.length });
  for (const sign of OTHER_SIGNS) {
    const inCode = createRangeCursor(blocks);
    for (let at = text.indexOf(sign, bodyStart); at >= 0; ) {
      const block = inCode(at);
      if (!block) return undefined;
      at = text.indexOf(sign, block.end);
    }
  }
  return blocks;
}

const FENCE = /^[ \t>*+-]*(```|~~~)/gm;

/**
 * What stands between fences, by their lines alone, in a fraction of the time: code without a fence is not found, and a
 * fence that means nothing where it stands is taken for one.
 */
export function fencedBlocks(text: string): readonly Range[] {
  const blocks: Range[] = [];
  let opened: { readonly at: number; readonly sign: string | undefined } | undefined;
  for (const { index: at, 1: sign } of text.matchAll(FENCE)) {
    if (!opened) opened = { at, sign };
    else if (opened.sign === sign) {
      blocks.push({ start: opened.at, end: at });
      opened = undefined;
    }
  }
  if (opened) blocks.push({ start: opened.at, end: text.length });
  return blocks;
}

/** The range without the white space at its ends. */
export function trimmedRange(text: string, { start, end }: Range): Range {
  const part = text.slice(start, end);
  const from = start + part.length - part.trimStart().length;
  return { start: from, end: Math.max(from, start + part.trimEnd().length) };
}

/** Whether one of the sorted `ranges` holds `offset`. */
export function isInside(ranges: readonly Range[], offset: number): boolean {
  return overlapsAny(ranges, { start: offset, end: offset + 1 });
}

/** Whether one of the sorted `ranges` shares a character with `range`. */
export function overlapsAny(ranges: readonly Range[], range: Range): boolean {
  const first = ranges[lowerBound(ranges.length, (index) => ranges[index]!.end <= range.start)];
  return first !== undefined && first.start < range.end;
}

/** Looks up ranges for offsets that only grow, in constant time on average. */
export function createRangeCursor(ranges: readonly Range[]): (offset: number) => Range | undefined {
  let index = 0;
  return (offset) => {
    while (index < ranges.length && ranges[index]!.end <= offset) index++;
    const range = ranges[index];
    return range !== undefined && range.start <= offset ? range : undefined;
  };
}

/** Binary search: the first index for which `isBelow` is false. */
export function lowerBound(length: number, isBelow: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBelow(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

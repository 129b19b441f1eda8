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

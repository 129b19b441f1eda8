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

const FENCE_SIGN = '```';
const COMMENT_SIGN = '<!--';
const NOTHING_ELSE = /^`+[ \t]*\r?\n?$/;
/** Each can begin a block too. */
const OTHER_SIGNS = ['~~~', '$$'];
/** No quote and no list item begins with it: what follows on the line is running text. */
const RUNNING_TEXT = /[^\s>*+\-\d.)]/;

/**
 * The blocks of code and comments in which a heading could stand, found by their signs alone, in a fraction of the time:
 * those of a text in which every such block begins at the start of its line, as in most. Undefined for any other text.
 */
export function blocksAtMargin(text: string, bodyStart: number = bodyStartOf(text)): Range[] | undefined {
  const blocks: Range[] = [];
  let opened: Range | undefined;
  let comment = -1;
  for (let from = bodyStart; from < text.length; ) {
    if (!opened && comment < from) comment = indexFrom(text, COMMENT_SIGN, from);
    const fence = indexFrom(text, FENCE_SIGN, from);
    const at = opened ? fence : Math.min(fence, comment);
    if (at === text.length) break;
    const start = startOfLine(text, bodyStart, at);
    from = indexFrom(text, '\n', at) + 1;
    const line = text.slice(start, from);
    if (at > start) {
      const before = text.slice(start, at);
      if (opened ? before.trim() === '' : !RUNNING_TEXT.test(before)) return undefined;
    } else if (at === comment && !opened) {
      const close = text.indexOf('-->', at + 2);
      const end = close < 0 ? text.length : close + 3;
      blocks.push({ start: at, end });
      from = indexFrom(text, '\n', end) + 1;
    } else {
      const signEnd = at + /^`*/.exec(line)![0].length;
      if (!opened) {
        if (text.slice(signEnd, from).includes('`')) return undefined;
        opened = { start: at, end: signEnd };
      } else if (signEnd - at >= opened.end - opened.start && NOTHING_ELSE.test(line)) {
        blocks.push({ start: opened.start, end: signEnd });
        opened = undefined;
      }
    }
  }
  if (opened) blocks.push({ start: opened.start, end: text.length });
  return OTHER_SIGNS.some((sign) => mayBegin(text, bodyStart, sign, blocks)) ? undefined : blocks;
}

function startOfLine(text: string, bodyStart: number, at: number): number {
  return Math.max(bodyStart, at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1);
}

/** The length of the text where it has no more of it. */
function indexFrom(text: string, part: string, from: number): number {
  const at = text.indexOf(part, from);
  return at < 0 ? text.length : at;
}

/** Whether a block may begin with the sign, outside of the blocks that are known. */
function mayBegin(text: string, bodyStart: number, sign: string, blocks: readonly Range[]): boolean {
  const blockAt = createRangeCursor(blocks);
  for (let at = text.indexOf(sign, bodyStart); at >= 0; ) {
    const block = blockAt(at);
    const running = !block && RUNNING_TEXT.test(text.slice(startOfLine(text, bodyStart, at), at));
    if (!block && !running) return true;
    at = text.indexOf(sign, block ? block.end : at + 1);
  }
  return false;
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

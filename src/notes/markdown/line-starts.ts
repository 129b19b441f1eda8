/** Recognizes blocks by the first characters of a line, from `at` to `end`. */

export interface FenceOpening {
  readonly char: string;
  readonly length: number;
}

export function fenceOpening(text: string, at: number, end: number): FenceOpening | undefined {
  const char = text[at];
  if (char !== '`' && char !== '~') return undefined;
  const length = runLength(text, at, end);
  if (length < 3) return undefined;
  if (char === '`' && hasBacktick(text, at + length, end)) return undefined;
  return { char, length };
}

export function closesFence(text: string, fence: FenceOpening, line: { at: number; end: number }): boolean {
  if (text[line.at] !== fence.char) return false;
  const length = runLength(text, line.at, line.end);
  return length >= fence.length && isBlankBetween(text, line.at + length, line.end);
}

/** How many characters the list marker takes, or 0. Only `1.` may cut into a paragraph, and no empty item may. */
export function listMarkerWidth(
  text: string,
  line: { at: number; end: number },
  inParagraph: boolean,
): number {
  const { at, end } = line;
  const char = text[at];
  let width = 0;
  if (char === '-' || char === '+' || char === '*') {
    width = isRule(text, at, end) ? 0 : 1;
  } else {
    let digits = 0;
    while (digits < 9 && isDigit(text.charCodeAt(at + digits)) && at + digits < end) digits++;
    const delimiter = text[at + digits];
    if (digits > 0 && at + digits < end && (delimiter === '.' || delimiter === ')')) width = digits + 1;
    if (inParagraph && !(digits === 1 && char === '1')) width = 0;
  }
  if (width === 0) return 0;
  if (at + width >= end) return inParagraph ? 0 : width;
  const next = text.charCodeAt(at + width);
  return next === 32 || next === 9 ? width : 0;
}

/** Lines whose inline content never joins their neighbours': headings, table rows and rules. */
export function standsAlone(text: string, at: number, end: number): boolean {
  const char = text[at];
  if (char === '|') return true;
  if (char === '#') {
    const length = runLength(text, at, end);
    const next = text.charCodeAt(at + length);
    return length <= 6 && (at + length >= end || next === 32 || next === 9);
  }
  return (char === '-' || char === '*' || char === '_') && isRule(text, at, end);
}

/** The level of the heading that a line of `=` or `-` makes of a paragraph over it; 0 for other lines. */
export function underlineLevel(text: string, at: number, end: number): 0 | 1 | 2 {
  const char = text[at];
  if (char !== '=' && char !== '-') return 0;
  if (!isBlankBetween(text, at + runLength(text, at, end), end)) return 0;
  return char === '=' ? 1 : 2;
}

export function isBlankBetween(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const char = text.charCodeAt(at);
    if (char !== 32 && char !== 9) return false;
  }
  return true;
}

function isRule(text: string, at: number, end: number): boolean {
  const mark = text.charCodeAt(at);
  let marks = 0;
  for (let i = at; i < end; i++) {
    const char = text.charCodeAt(i);
    if (char === mark) marks++;
    else if (char !== 32 && char !== 9) return false;
  }
  return marks >= 3;
}

function runLength(text: string, at: number, end: number): number {
  const char = text.charCodeAt(at);
  let length = 1;
  while (at + length < end && text.charCodeAt(at + length) === char) length++;
  return length;
}

function hasBacktick(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (text.charCodeAt(at) === 96) return true;
  return false;
}

function isDigit(char: number): boolean {
  return char >= 48 && char <= 57;
}

/**
 * A position inside one line that counts columns, because a tab is as wide as the column it starts in and a
 * container may take only a part of it.
 */
export interface LineCursor {
  /** Where the line ends, without its line break. */
  end: number;
  offset: number;
  column: number;
  /** Columns of a tab already passed by `offset` that no container has taken. */
  spare: number;
  /** Set by `measureIndent`: columns of white space ahead, and the first character behind them. */
  indent: number;
  textAt: number;
}

const TAB_WIDTH = 4;

export function measureIndent(text: string, line: LineCursor): void {
  let column = line.column + line.spare;
  let at = line.offset;
  for (; at < line.end; at++) {
    const char = text.charCodeAt(at);
    if (char === 32) column++;
    else if (char === 9) column += TAB_WIDTH - (column % TAB_WIDTH);
    else break;
  }
  line.indent = column - line.column;
  line.textAt = at;
}

/** Moves over `columns` of white space; at most as many as `measureIndent` found. */
export function takeIndent(text: string, line: LineCursor, columns: number): void {
  let left = columns;
  const fromSpare = Math.min(left, line.spare);
  line.spare -= fromSpare;
  line.column += fromSpare;
  left -= fromSpare;
  while (left > 0 && line.offset < line.end) {
    const width = text.charCodeAt(line.offset) === 9 ? TAB_WIDTH - (line.column % TAB_WIDTH) : 1;
    line.offset++;
    line.spare = Math.max(0, width - left);
    line.column += Math.min(width, left);
    left -= Math.min(width, left);
  }
}

/** Moves to the measured text and over `width` marker characters, then over one space or tab column if there is one. */
export function takeMarker(text: string, line: LineCursor, width: number): void {
  line.column += line.indent + width;
  line.offset = line.textAt + width;
  line.spare = 0;
  const next = text.charCodeAt(line.offset);
  if (line.offset < line.end && (next === 32 || next === 9)) takeIndent(text, line, 1);
}

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

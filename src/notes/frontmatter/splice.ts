/** Cutting and inserting in a text by offsets, and the line arithmetic that goes with it. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export function insertion(at: number, text: string): Splice {
  return { start: at, end: at, text };
}

/** Applies splices that do not overlap. Insertions at one place keep their order. */
export function applySplices(source: string, splices: readonly Splice[]): string {
  const ordered = [...splices].sort((a, b) => a.start - b.start || a.end - b.end);
  let result = '';
  let position = 0;
  for (const { start, end, text } of ordered) {
    if (start < position) throw new RangeError('Splices overlap');
    result += source.slice(position, start) + text;
    position = end;
  }
  return result + source.slice(position);
}

export function lineStart(source: string, offset: number): number {
  return source.lastIndexOf('\n', offset - 1) + 1;
}

/** The start of the line after the one that holds `offset`. */
export function nextLine(source: string, offset: number): number {
  const newline = source.indexOf('\n', offset);
  return newline < 0 ? source.length : newline + 1;
}

/** The start of the next line, or `offset` itself when content that ends with a line break ends there. */
export function afterLines(source: string, offset: number): number {
  return source[offset - 1] === '\n' ? offset : nextLine(source, offset);
}

export function joinLines(lines: readonly string[], ending: string): string {
  return lines.map((line) => line + ending).join('');
}

/** The block being edited, with what every edit of it needs to know. */
export interface EditedSource {
  readonly source: string;
  readonly lineEnding: string;
  /** How far the dashes of a new list stand in from its key. */
  readonly dashOffset: number;
  /** False where an indented comment follows, which a literal block would take for its own text. */
  readonly literalFitsAt: (offset: number) => boolean;
}

export function editedSource(source: string, lineEnding: string, dashOffset: number): EditedSource {
  return {
    source,
    lineEnding,
    dashOffset,
    literalFitsAt: (offset) => {
      const indentedComment = /(?:[ \t]*\r?\n)*[ \t]+#/y;
      indentedComment.lastIndex = offset;
      return !indentedComment.test(source);
    },
  };
}

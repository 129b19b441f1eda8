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

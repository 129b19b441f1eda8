/** Comments as Obsidian has them: `%% within a line %%`, or from a line that begins with `%%` to the next `%%`. */
import { isInside, type Range } from '../../notes/markdown/regions.ts';

/** Sorted; none begins inside one of the `hidden` ranges. */
export function commentRanges(text: string, from: number, hidden: readonly Range[]): Range[] {
  const comments: Range[] = [];
  const next = (at: number): number => {
    for (let mark = text.indexOf('%%', at); mark >= 0; mark = text.indexOf('%%', mark + 2))
      if (!isInside(hidden, mark)) return mark;
    return -1;
  };
  let lineEnd = -1;
  for (let open = next(from); open >= 0; ) {
    const close = next(open + 2);
    const atLineStart = /(?:^|\n)[ \t]*$/.test(text.slice(Math.max(0, open - 40), open));
    if (lineEnd < open) lineEnd = endOfLine(text, open);
    const onOneLine = close >= 0 && close < lineEnd;
    if (!onOneLine && !atLineStart) {
      open = close;
      continue;
    }
    const end = close < 0 ? text.length : close + 2;
    comments.push({ start: open, end });
    open = next(end);
  }
  return comments;
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

/**
 * The block quotes and list items that are open at a line. They decide how much of a line's start belongs to
 * them, and so which column its own content begins in.
 */
import { type LineCursor, measureIndent, takeIndent, takeMarker } from './line-indent.ts';
import { listMarkerWidth } from './line-starts.ts';

export interface Containers {
  /** Moves over the prefixes of the containers this line continues; whether it continues all of them. */
  match(line: LineCursor): boolean;
  /** Closes what the last `match` did not reach. */
  closeUnmatched(): void;
  /** Opens the containers that begin on this line, closing unmatched ones first; whether there were any. */
  open(line: LineCursor, inParagraph: boolean): boolean;
  /** Whether a list item is among the open ones. */
  insideItem(): boolean;
}

const QUOTE = 0;
/** Deeper nesting than anyone writes; without a bound, hostile input would cost depth × lines. */
const MAX_DEPTH = 64;

export function createContainers(text: string): Containers {
  /** Outermost first: `QUOTE`, or the columns a list item's content is indented by. */
  const open: number[] = [];
  let matched = 0;

  function continues(container: number, line: LineCursor): boolean {
    // An item goes on over blank lines, a quote needs its sign.
    if (line.textAt >= line.end) return container !== QUOTE;
    if (container === QUOTE) {
      if (line.indent > 3 || text[line.textAt] !== '>') return false;
      takeMarker(text, line, 1);
    } else {
      if (line.indent < container) return false;
      takeIndent(text, line, container);
    }
    measureIndent(text, line);
    return true;
  }

  function openItem(line: LineCursor, width: number): void {
    const before = line.column;
    takeMarker(text, line, width);
    measureIndent(text, line);
    const empty = line.textAt >= line.end;
    const padding = !empty && line.indent <= 3 ? line.indent : 0;
    takeIndent(text, line, padding);
    open.push(empty ? width + 1 : line.column - before);
  }

  return {
    match(line) {
      matched = 0;
      measureIndent(text, line);
      while (matched < open.length && continues(open[matched]!, line)) matched++;
      return matched === open.length;
    },
    closeUnmatched() {
      open.length = matched;
    },
    open(line, inParagraph) {
      let opened = false;
      while (line.indent <= 3 && line.textAt < line.end && open.length < MAX_DEPTH) {
        const isQuote = text[line.textAt] === '>';
        const cutsParagraph = inParagraph && !opened;
        const width = isQuote ? 1 : listMarkerWidth(text, { at: line.textAt, end: line.end }, cutsParagraph);
        if (width === 0) break;
        if (!opened) open.length = matched;
        opened = true;
        if (isQuote) {
          takeMarker(text, line, 1);
          open.push(QUOTE);
        } else {
          openItem(line, width);
        }
        measureIndent(text, line);
      }
      if (opened) matched = open.length;
      return opened;
    },
    insideItem() {
      return open.some((container) => container !== QUOTE);
    },
  };
}

/**
 * The block scanner: one pass over the lines of a markdown text, which separates code blocks from running text by
 * CommonMark's rules for block quotes, list items, fences and indented code. Indented lines inside a list item are
 * never code: there they are nearly always text that was indented by hand.
 */
import {
  closesFence,
  type FenceOpening,
  fenceOpening,
  isBlankBetween,
  type LineCursor,
  listMarkerWidth,
  measureIndent,
  standsAlone,
  takeIndent,
  takeMarker,
  underlineLevel,
} from './line-starts.ts';

/**
 * The block quotes and list items that are open at a line. They decide how much of a line's start belongs to
 * them, and so which column its own content begins in.
 */
interface Containers {
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

function createContainers(text: string): Containers {
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

/** Called with the offsets of a stretch. */
export type Report = (start: number, end: number) => void;

interface BlockVisitor {
  /** A stretch that is code, a comment or mathematics as a block. */
  readonly code: Report;
  /** A stretch whose inline constructs pair up among themselves only: a paragraph, a heading, a table row. */
  readonly inline: Report;
  /** A line of `=` or `-` that makes a heading of the stretch just reported. */
  readonly underline?: (level: 1 | 2) => void;
}

/** Calls the visitor in text order, for the text from `from` on. */
export function scanBlocks(text: string, from: number, visit: BlockVisitor): void {
  const containers = createContainers(text);
  const paragraph = createStretch(visit.inline);
  const indented = createStretch(visit.code);
  const rawBlockEnd = createRawBlockFinder(text);
  const line: LineCursor = { end: from, offset: from, column: 0, spare: 0, indent: 0, textAt: from };
  let fence: (FenceOpening & { readonly start: number }) | undefined;
  let afterBlank = true;
  let next = from;

  /** Takes a line inside a fence; false when the line's containers end the fence before it. */
  const continueFence = (
    open: FenceOpening & { start: number },
    matched: boolean,
    before: number,
  ): boolean => {
    if (!matched) {
      visit.code(open.start, before);
      fence = undefined;
    } else if (line.indent <= 3 && closesFence(text, open, { at: line.textAt, end: line.end })) {
      visit.code(open.start, line.end);
      fence = undefined;
    }
    return matched;
  };

  /** Takes a line that opens a fence, a comment or a `$$` block; false when it does not. */
  const openCode = (opened: boolean): boolean => {
    if (line.indent > 3) return false;
    const opening = fenceOpening(text, line.textAt, line.end);
    const rawEnd = opening ? -1 : rawBlockEnd(line.textAt, line.end);
    if (!opening && rawEnd < 0) return false;
    paragraph.finish();
    if (!opened) containers.closeUnmatched();
    if (opening) {
      fence = { ...opening, start: line.textAt };
      return true;
    }
    visit.code(line.textAt, rawEnd);
    const lineBreak = text.indexOf('\n', rawEnd);
    next = lineBreak < 0 ? text.length : lineBreak + 1;
    visit.inline(rawEnd, next);
    return true;
  };

  /** Takes a line that makes a heading of the paragraph over it, which must be in the same containers; false when it does not. */
  const takeUnderline = (matched: boolean): boolean => {
    if (!matched || !paragraph.isOpen() || line.indent > 3) return false;
    const level = underlineLevel(text, line.textAt, line.end);
    if (level === 0) return false;
    paragraph.finish();
    visit.underline?.(level);
    return true;
  };

  const takeText = (opened: boolean) => {
    const alone = line.indent <= 3 && standsAlone(text, line.textAt, line.end);
    if (alone) paragraph.finish();
    // A paragraph may go on without its container's prefix, so the containers stay open then.
    if (!opened && !paragraph.isOpen()) containers.closeUnmatched();
    paragraph.extend(line.textAt, line.end);
    if (alone) paragraph.finish();
  };

  for (let start = from; start < text.length; start = next) {
    const previousEnd = line.end;
    const lineBreak = text.indexOf('\n', start);
    next = lineBreak < 0 ? text.length : lineBreak + 1;
    enterLine(text, line, { start, end: lineBreak < 0 ? text.length : lineBreak });

    const matched = containers.match(line);
    const wasBlank = afterBlank;
    afterBlank = line.textAt >= line.end;
    if (fence && continueFence(fence, matched, previousEnd)) continue;
    if (afterBlank) {
      paragraph.finish();
      containers.closeUnmatched();
      continue;
    }
    const opened = containers.open(line, matched && paragraph.isOpen());
    if (opened) paragraph.finish();
    const mayIndent = wasBlank || opened || indented.isOpen();
    if (line.indent >= 4 && mayIndent && !paragraph.isOpen() && !containers.insideItem()) {
      indented.extend(line.offset, line.end);
      continue;
    }
    indented.finish();
    if (line.textAt < line.end && !takeUnderline(matched) && !openCode(opened)) takeText(opened);
  }
  if (fence) visit.code(fence.start, text.length);
  indented.finish();
  paragraph.finish();
}

function enterLine(text: string, line: LineCursor, range: { start: number; end: number }): void {
  const hasReturn = range.end > range.start && text.charCodeAt(range.end - 1) === 13;
  line.end = hasReturn ? range.end - 1 : range.end;
  line.offset = range.start;
  line.column = 0;
  line.spare = 0;
}

/** Several lines reported as one stretch. */
function createStretch(report: Report) {
  let start = -1;
  let end = -1;
  return {
    isOpen: () => start >= 0,
    extend(from: number, to: number) {
      if (start < 0) start = from;
      end = to;
    },
    finish() {
      if (start >= 0) report(start, end);
      start = -1;
    },
  };
}

/** Where the comment or `$$` block that starts at an offset ends, or -1 when none starts there. */
function createRawBlockFinder(text: string): (at: number, lineEnd: number) => number {
  let noMathAhead = false;
  return (at, lineEnd) => {
    if (text.startsWith('<!--', at)) {
      const close = text.indexOf('-->', at + 2);
      return close < 0 ? text.length : close + 3;
    }
    if (noMathAhead || !text.startsWith('$$', at) || !isBlankBetween(text, at + 2, lineEnd)) return -1;
    const close = text.indexOf('$$', at + 2);
    noMathAhead = close < 0;
    return close < 0 ? -1 : close + 2;
  };
}

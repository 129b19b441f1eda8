/**
 * The running text of a note as spans: headings, list items, paragraphs and table rows, each with its place. Code,
 * comments and frontmatter are left out; what is code within a line is blanked. The text of a span is as long as the
 * span, so that every offset in it leads back to the note.
 */
import { scanBlocks } from './blocks.ts';
import { createInlineScanner } from './inline-code.ts';
import { createLineNumbers } from './lines.ts';
import { createRangeCursor, isInside, type Range } from './regions.ts';

/**
 * Comments as Obsidian has them: `%% within a line %%`, or from a line that begins with `%%` to the next `%%`.
 * Sorted; none begins inside one of the `hidden` ranges.
 */
function commentRanges(text: string, from: number, hidden: readonly Range[]): Range[] {
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

/** Its place is that of its content: behind the list marker, the hashes, the quote marks. */
export interface TextSpan extends Range {
  readonly kind: 'heading' | 'item' | 'paragraph' | 'row';
  /** On one line, with code blanked; cut at `MAX_SPAN`. */
  readonly text: string;
  /** From 1. */
  readonly line: number;
  /** Of the content, hashes of a heading included, in characters from the line's start. */
  readonly indent: number;
  /** True in a block quote that is not a callout. */
  readonly quoted: boolean;
  /** True when no blank line separates it from the span before. */
  readonly follows: boolean;
  /** Of a heading, 1 to 6; else 0. */
  readonly level: number;
}

/** Whether a line within a paragraph begins a span of its own; both lines without their ends. */
type StartsSpan = (line: string, before: string) => boolean;

/** A paragraph, a heading or a table row. */
interface RunningText extends Range {
  underline: number;
}

/** The rest of a longer span is left out. */
const MAX_SPAN = 4_000;
/** Stands for a character of code. */
export const BLANK = '\uFFFC';
/** The characters of a line by which its beginning or end is judged. */
const LOOK_AT = 120;
const RANGES_A_STEP = 500;
const HASHES = /^(#{1,6})(?:[ \t]+|$)/;
const BULLET = /(?:[-*+]|\d{1,9}[.)])[ \t]+$/;

/** In text order, from `from` on. Yields between steps of long work. */
export function* textSpans(
  text: string,
  from: number,
  startsSpan: StartsSpan,
): Generator<undefined, TextSpan[]> {
  const { running, hidden } = regionsOf(text, from);
  yield;
  const mask = createMask(text, hidden);
  const lineAt = createLineNumbers(text);
  const callouts = createCallouts();
  const found: TextSpan[] = [];
  let lastEnd = -1;
  for (const [index, range] of running.entries()) {
    if (index % RANGES_A_STEP === RANGES_A_STEP - 1) yield;
    for (const part of partsOf(text, range, startsSpan)) {
      const masked = mask(part.start, Math.min(part.end, part.start + MAX_SPAN));
      const trimmed = trimmedAt(masked, part.start);
      if (trimmed.text === '') continue;
      const lineStart = text.lastIndexOf('\n', trimmed.start - 1) + 1;
      const prefix = text.slice(lineStart, Math.min(trimmed.start, lineStart + 200));
      const gap = lastEnd < 0 ? '' : text.slice(lastEnd, Math.min(trimmed.start, lastEnd + 400));
      const follows = lastEnd >= 0 && !/\n[ \t>]*\r?\n/.test(gap);
      lastEnd = trimmed.end;
      const quote = callouts(prefix.includes('>'), trimmed.text, follows);
      if (quote.skip >= trimmed.text.length) continue;
      const underline = part.end === range.end ? range.underline : 0;
      const { kind, level, skip } = kindOf(prefix, trimmed.text, underline);
      found.push({
        kind,
        start: trimmed.start + quote.skip + skip,
        end: trimmed.end,
        text: trimmed.text.slice(quote.skip + skip),
        line: lineAt(trimmed.start),
        indent: trimmed.start - lineStart,
        quoted: quote.quoted,
        follows,
        level,
      });
    }
  }
  return found;
}

/** `skip`: how many characters of the text are the hashes of a heading. */
function kindOf(
  prefix: string,
  text: string,
  underline: number,
): Pick<TextSpan, 'kind' | 'level'> & { readonly skip: number } {
  if (BULLET.test(prefix)) return { kind: 'item', level: 0, skip: 0 };
  if (text.startsWith('|')) return { kind: 'row', level: 0, skip: 0 };
  const [hashes = '', signs = ''] = HASHES.exec(text) ?? [];
  const level = signs.length || underline;
  return { kind: level > 0 ? 'heading' : 'paragraph', level, skip: hashes.length };
}

function regionsOf(text: string, from: number) {
  const running: RunningText[] = [];
  const hidden: Range[] = [];
  const report = (start: number, end: number) => {
    if (end > start) hidden.push({ start, end });
  };
  const inline = createInlineScanner(text, report);
  scanBlocks(text, from, {
    code: report,
    inline: (start, end) => {
      running.push({ start, end, underline: 0 });
      inline(start, end);
    },
    underline: (level) => {
      running.at(-1)!.underline = level;
    },
  });
  const comments = commentRanges(text, from, hidden);
  return { running, hidden: comments.length === 0 ? hidden : joined(hidden, comments) };
}

/** Both are sorted; what a comment holds is hidden with it. */
function joined(hidden: readonly Range[], comments: readonly Range[]): Range[] {
  const inComment = createRangeCursor(comments);
  const outside = hidden.filter(({ start }) => inComment(start) === undefined);
  return [...outside, ...comments].sort((a, b) => a.start - b.start);
}

/** A part of the text on one line: code as a blank, comments, line breaks and quote marks as spaces. */
function createMask(text: string, hidden: readonly Range[]): (start: number, end: number) => string {
  let first = 0;
  return (start, end) => {
    while (first < hidden.length && hidden[first]!.end <= start) first++;
    let masked = '';
    let at = start;
    for (let index = first; index < hidden.length && hidden[index]!.start < end; index++) {
      const range = hidden[index]!;
      const until = Math.min(range.end, end);
      if (until <= at) continue;
      masked += text.slice(at, Math.max(at, range.start));
      const isComment = text.startsWith('<!--', range.start) || text.startsWith('%%', range.start);
      masked += (isComment ? ' ' : BLANK).repeat(until - Math.max(at, range.start));
      at = until;
    }
    masked += text.slice(at, end);
    return masked.replace(/\r?\n[ \t>]*|\r|\t/g, (run) => ' '.repeat(run.length));
  };
}

function trimmedAt(masked: string, start: number) {
  const text = masked.trimEnd();
  const kept = text.trimStart();
  const begin = start + text.length - kept.length;
  return { text: kept, start: begin, end: begin + kept.length };
}

/** A paragraph whose lines are things of their own: tasks of todo.txt, markers, speakers. */
function* partsOf(text: string, { start, end }: Range, startsSpan: StartsSpan): Generator<Range> {
  let begun = start;
  let lineStart = start;
  for (let at = text.indexOf('\n', start); at >= 0 && at + 1 < end; at = text.indexOf('\n', at + 1)) {
    const next = at + 1;
    const line = text.slice(next, Math.min(end, next + LOOK_AT));
    const before = text.slice(Math.max(lineStart, at - LOOK_AT), at);
    lineStart = next;
    if (!startsSpan(line, before)) continue;
    yield { start: begun, end: at };
    begun = next + /^[ \t>]*/.exec(line)![0].length;
  }
  yield { start: begun, end };
}

const CALLOUT = /^\[!([\w-]+)\][+-]?\s*/;

/** A callout looks like a quote but is the writer's own, unless it is called one. */
function createCallouts() {
  let own = false;
  return (inQuote: boolean, text: string, follows: boolean): { quoted: boolean; skip: number } => {
    const callout = inQuote ? CALLOUT.exec(text) : null;
    if (callout) own = !/^(?:quote|cite)$/i.test(callout[1] ?? '');
    else if (!inQuote || !follows) own = false;
    return { quoted: inQuote && !own, skip: callout?.[0].length ?? 0 };
  };
}

/**
 * Replaces the value of one key in a block mapping and nothing else. The key, the blanks after it and the
 * comment on its line stay; quotes, flow style and indentation are taken over from the old value.
 */
import type { EditedSource } from './edited-source.ts';
import { isRecord } from './json.ts';
import { listEdits } from './list-edit.ts';
import { type PrintedValue, printFlow, printPair, printValue } from './print.ts';
import { afterLines, joinLines, lineStart, nextLine, type Splice } from './splice.ts';
import { isBlockCollection, itemEnd, itemStart, quoteStyleOf, tokenEnd, valuePlace } from './tokens.ts';
import type { FrontmatterEntry } from './yaml.ts';

export interface ValueChange {
  readonly entry: FrontmatterEntry;
  /** Where the key stands. */
  readonly column: number;
  readonly before: unknown;
  readonly after: unknown;
}

export function valueEdits(edited: EditedSource, change: ValueChange): Splice[] {
  const { item } = change.entry;
  const { colonEnd } = valuePlace(item);
  const isExplicit = item.start.some((token) => token.type === 'explicit-key-ind');
  if (isExplicit || colonEnd === undefined) return [rewrittenPair(edited, change)];
  if (Array.isArray(change.before) && Array.isArray(change.after)) {
    const edits = listEdits(edited, item.value, { before: change.before, after: change.after });
    if (edits) return edits;
  }
  return rewrittenValue(edited, change, colonEnd);
}

function rewrittenPair(edited: EditedSource, { entry, column, after }: ValueChange): Splice {
  const { source, lineEnding, dashOffset } = edited;
  const end = afterLines(source, itemEnd(entry.item));
  const style = { literal: edited.literalFitsAt(end) };
  const lines = printPair(entry.key, after, { column, dashOffset, style });
  return { start: lineStart(source, itemStart(entry.item)), end, text: joinLines(lines, lineEnding) };
}

function rewrittenValue(edited: EditedSource, change: ValueChange, colonEnd: number): Splice[] {
  const { source, lineEnding } = edited;
  const { token, start, end } = valuePlace(change.entry.item);
  const linesStart = nextLine(source, end);
  const hasLines = isBlockCollection(token) || token?.type === 'block-scalar';
  const linesEnd = hasLines ? afterLines(source, tokenEnd(token)) : linesStart;
  const printed = printInStyle(edited, change, linesEnd);
  const head = headSplice(source, printed, { colonEnd, start, end });
  if (linesStart === linesEnd && printed.lines.length === 0) return [head];
  return [head, { start: linesStart, end: linesEnd, text: joinLines(printed.lines, lineEnding) }];
}

function printInStyle(edited: EditedSource, change: ValueChange, linesEnd: number): PrintedValue {
  const { after, column } = change;
  const token = change.entry.item.value;
  const isCollection = typeof after === 'object' && after !== null;
  const quote = quoteStyleOf(token);
  if (isCollection && token?.type === 'flow-collection')
    return { head: printFlow(after, isRecord(after) ? undefined : quote), lines: [] };
  const style = {
    quote: !isCollection || (Array.isArray(after) && token?.type === 'block-seq') ? quote : undefined,
    literal: edited.literalFitsAt(linesEnd),
  };
  return printValue(after, innerColumn(), style);

  function innerColumn(): number {
    if (Array.isArray(after)) return token?.type === 'block-seq' ? token.indent : column + edited.dashOffset;
    return isRecord(after) && token?.type === 'block-map' ? token.indent : column + 2;
  }
}

interface HeadPlace {
  readonly colonEnd: number;
  readonly start: number;
  readonly end: number;
}

/** The part of the value on the line of its key. */
function headSplice(source: string, printed: PrintedValue, place: HeadPlace): Splice {
  const { colonEnd, start, end } = place;
  const gap = source.slice(colonEnd, start);
  const replacesHead = start < end && printed.head !== '';
  if (replacesHead && (/^[ \t]*$/.test(gap) || printed.lines.length === 0))
    return { start, end, text: printed.head };
  const text = printed.head === '' ? '' : ` ${printed.head}`;
  const restOfLine = /[ \t]*(?=\r?\n|$)/y;
  restOfLine.lastIndex = end;
  const cleanEnd = restOfLine.test(source) ? restOfLine.lastIndex : end;
  // A comment between the key and its value stays, and with it the line the value stood on.
  return /^\s*$/.test(gap)
    ? { start: colonEnd, end: cleanEnd, text }
    : { start, end: cleanEnd, text: printed.head };
}

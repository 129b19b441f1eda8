/**
 * The splices that turn a block mapping from one set of values into another: keys whose value stays are not
 * touched, nested mappings are edited key by key, new keys come last.
 */
import { isRecord } from '../../shared/records.ts';
import { insertion, type Splice } from '../text/text.ts';
import { listEdits } from './list-edit.ts';
import { jsonEqual, type PrintedValue, printFlow, printPair, printPairs, printValue } from './print.ts';
import { afterLines, type EditedSource, joinLines, lineStart, nextLine } from './split.ts';
import { isBlockCollection, itemEnd, itemStart, quoteStyleOf, tokenEnd, valuePlace } from './tokens.ts';
import type { FrontmatterEntry } from './yaml.ts';

interface ValueChange {
  readonly entry: FrontmatterEntry;
  /** Where the key stands. */
  readonly column: number;
  readonly before: unknown;
  readonly after: unknown;
}

/**
 * Replaces the value of one key in a block mapping and nothing else. The key, the blanks after it and the
 * comment on its line stay; quotes, flow style and indentation are taken over from the old value.
 */
function valueEdits(edited: EditedSource, change: ValueChange): Splice[] {
  const { item } = change.entry;
  const { colonEnd } = valuePlace(item);
  const isExplicit = item.start.some((token) => token.type === 'explicit-key-ind');
  if (isExplicit || colonEnd === undefined) return [rewrittenPair(edited, change)];
  return (
    listEdits(edited, item.value, change.before, change.after) ?? rewrittenValue(edited, change, colonEnd)
  );
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

interface BlockMapChange {
  readonly entries: readonly FrontmatterEntry[];
  /** Where the keys stand. */
  readonly column: number;
  readonly before: Record<string, unknown>;
  readonly after: Record<string, unknown>;
  /** Where new keys go. */
  readonly insertAt: number;
}

export function blockMapEdits(edited: EditedSource, change: BlockMapChange): Splice[] {
  const { entries, before, after } = change;
  const splices = entries.flatMap((entry, index) => {
    if (!Object.hasOwn(after, entry.key)) return [removedEntry(edited.source, change, index)];
    if (jsonEqual(before[entry.key], after[entry.key])) return [];
    return entryEdits(edited, change, entry);
  });
  const added = Object.entries(after).filter(([key]) => !Object.hasOwn(before, key));
  return added.length === 0 ? splices : [...splices, addedEntries(edited, change, added)];
}

function entryEdits(edited: EditedSource, change: BlockMapChange, entry: FrontmatterEntry): Splice[] {
  const before = change.before[entry.key];
  const after = change.after[entry.key];
  const { value, start } = entry.item;
  const isExplicit = start.some((token) => token.type === 'explicit-key-ind');
  if (
    value?.type === 'block-map' &&
    entry.children &&
    !isExplicit &&
    isRecord(before) &&
    isRecord(after) &&
    sharesKey(before, after)
  )
    return blockMapEdits(edited, {
      entries: entry.children,
      column: value.indent,
      before,
      after,
      insertAt: afterLines(edited.source, itemEnd(entry.item)),
    });
  return valueEdits(edited, { entry, column: change.column, before, after });
}

function sharesKey(a: Record<string, unknown>, b: Record<string, unknown>): boolean {
  return Object.keys(a).some((key) => Object.hasOwn(b, key));
}

function addedEntries(
  edited: EditedSource,
  { column, insertAt }: BlockMapChange,
  added: readonly (readonly [string, unknown])[],
): Splice {
  const { lineEnding, dashOffset } = edited;
  const style = { literal: edited.literalFitsAt(insertAt) };
  const lines = printPairs(added, { column, dashOffset, style });
  return insertion(insertAt, joinLines(lines, lineEnding));
}

/**
 * Whole lines, with the comment lines right above and the indented ones right below, which speak of the key.
 * Comments above the first key may speak of the whole block and stay.
 */
function removedEntry(source: string, { entries, column }: BlockMapChange, index: number): Splice {
  const { item } = entries[index]!;
  const previous = entries[index - 1];
  let start = lineStart(source, itemStart(item));
  const floor = previous ? afterLines(source, itemEnd(previous.item)) : start;
  while (start > floor) {
    const above = lineStart(source, start - 1);
    if (above < floor || !/^[ \t]*#/.test(source.slice(above, start))) break;
    start = above;
  }
  return { start, end: afterIndentedComments(source, afterLines(source, itemEnd(item)), column), text: '' };
}

/** Left behind, such a comment could end up below a block scalar and become part of its text. */
function afterIndentedComments(source: string, offset: number, column: number): number {
  const indentedComments = new RegExp(`(?:(?:[ \\t]*\\r?\\n)*[ \\t]{${column + 1},}#[^\\n]*\\n)*`, 'y');
  indentedComments.lastIndex = offset;
  return indentedComments.test(source) ? indentedComments.lastIndex : offset;
}

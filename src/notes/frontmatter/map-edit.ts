/**
 * The splices that turn a block mapping from one set of values into another: keys whose value stays are not
 * touched, nested mappings are edited key by key, new keys come last.
 */
import type { EditedSource } from './edited-source.ts';
import { isRecord, jsonEqual } from './json.ts';
import { printPair } from './print.ts';
import { afterLines, insertion, joinLines, lineStart, type Splice } from './splice.ts';
import { itemEnd, itemStart } from './tokens.ts';
import { valueEdits } from './value-edit.ts';
import type { FrontmatterEntry } from './yaml.ts';

export interface BlockMapChange {
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
  const lines = added.flatMap(([key, value]) => printPair(key, value, { column, dashOffset, style }));
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

/**
 * Changes a list item by item, so that the items that stay keep their bytes and comments. Works when the new
 * list is what is left of the old one followed by new items; gives nothing when no item stays.
 */
import type { CST } from 'yaml';
import { insertion, type Splice } from '../text/text.ts';
import { jsonEqual, printFlow, printItems } from './print.ts';
import { afterLines, type EditedSource, joinLines, lineStart } from './split.ts';
import { hasContent, itemEnd, itemStart, quoteStyleOf, tokenEnd } from './tokens.ts';

interface FlowChange {
  readonly kept: (index: number) => boolean;
  /** The new items, printed. */
  readonly added: readonly string[];
}

/**
 * Takes items out of `[…]` or `{…}` and adds items at the end, leaving the other items' bytes alone. At least one item
 * must be kept.
 */
export function flowItemEdits(
  source: string,
  items: readonly CST.CollectionItem[],
  change: FlowChange,
): Splice[] {
  const last = items.findLast((_, index) => change.kept(index));
  const lastEnd = last ? itemEnd(last) : 0;
  const removals = items.flatMap((item, index) => {
    if (change.kept(index)) return [];
    const start = itemStart(item);
    const next = items[index + 1];
    if (start < lastEnd && next) return [{ start, end: itemStart(next), text: '' }];
    const previous = items[index - 1];
    return previous ? [{ start: itemEnd(previous), end: itemEnd(item), text: '' }] : [];
  });
  const separator = separatorOf(source, items);
  const addition = change.added.map((text) => separator + text).join('');
  return addition === '' ? removals : [insertion(lastEnd, addition), ...removals];
}

function separatorOf(source: string, items: readonly CST.CollectionItem[]): string {
  const last = items.at(-1);
  const previous = items.at(-2);
  if (!last || !previous) return ', ';
  const between = source.slice(itemEnd(previous), itemStart(last));
  return /^\s*,\s*$/.test(between) ? between : ', ';
}

export function listEdits(
  edited: EditedSource,
  token: CST.Token | undefined,
  before: unknown,
  after: unknown,
): Splice[] | undefined {
  if (token?.type !== 'block-seq' && token?.type !== 'flow-collection') return undefined;
  if (!Array.isArray(before) || !Array.isArray(after)) return undefined;
  const items = token.items.filter((item) => hasContent(item));
  const { kept, added } = matchItems(before, after);
  if (items.length !== before.length || kept.size === 0) return undefined;
  const quote = quoteStyleOf(token);
  if (token.type === 'flow-collection')
    return flowItemEdits(edited.source, items, {
      kept: (index) => kept.has(index),
      added: added.map((value) => printFlow(value, quote)),
    });
  return blockItemEdits(edited, token, { items, kept, added });
}

/** Takes the old items in order for as long as the new list names them; the rest of the new list is added. */
function matchItems(before: readonly unknown[], after: readonly unknown[]) {
  const kept = new Set<number>();
  let position = 0;
  for (const value of after) {
    while (position < before.length && !jsonEqual(before[position], value)) position++;
    if (position === before.length) break;
    kept.add(position++);
  }
  return { kept, added: after.slice(kept.size) };
}

interface BlockItems {
  readonly items: readonly CST.CollectionItem[];
  readonly kept: ReadonlySet<number>;
  readonly added: readonly unknown[];
}

function blockItemEdits(edited: EditedSource, list: CST.BlockSequence, change: BlockItems): Splice[] {
  const { source, lineEnding } = edited;
  const removals = change.items
    .filter((_, index) => !change.kept.has(index))
    .map((item) => ({
      start: lineStart(source, itemStart(item)),
      end: afterLines(source, itemEnd(item)),
      text: '',
    }));
  if (change.added.length === 0) return removals;
  const at = afterLines(source, tokenEnd(list));
  const lines = printItems(change.added, list.indent, {
    quote: quoteStyleOf(list),
    literal: edited.literalFitsAt(at),
    dash: dashOf(source, change.items.at(-1)),
  });
  return [...removals, insertion(at, joinLines(lines, lineEnding))];
}

function dashOf(source: string, item: CST.CollectionItem | undefined): string {
  const dash = item?.start.find((token) => token.type === 'seq-item-ind');
  if (!dash) return '- ';
  return /^- {1,8}(?=[^\s])/.exec(source.slice(dash.offset))?.[0] ?? '- ';
}

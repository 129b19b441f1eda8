/** Takes items out of `[…]` or `{…}` and adds items at the end, leaving the other items' bytes alone. */
import type { CST } from 'yaml';
import { insertion, type Splice } from './splice.ts';
import { itemEnd, itemStart } from './tokens.ts';

interface FlowChange {
  readonly kept: (index: number) => boolean;
  /** The new items, printed. */
  readonly added: readonly string[];
}

/** At least one item must be kept. */
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

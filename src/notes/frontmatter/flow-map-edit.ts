/** Changes a mapping written in flow style, `{a: 1, b: 2}`, and keeps it so. */
import type { CST } from 'yaml';
import type { EditedSource } from './edited-source.ts';
import { flowItemEdits } from './flow-edit.ts';
import { isRecord, jsonEqual } from './json.ts';
import { listEdits } from './list-edit.ts';
import { printFlow, printFlowPairs } from './print.ts';
import { printKey } from './scalars.ts';
import { insertion, type Splice } from './splice.ts';
import { quoteStyleOf, tokenEnd, valuePlace } from './tokens.ts';
import type { FrontmatterEntry } from './yaml.ts';

interface FlowMap {
  readonly token: CST.FlowCollection;
  readonly entries: readonly FrontmatterEntry[];
  readonly before: Record<string, unknown>;
  readonly after: Record<string, unknown>;
}

export function flowMapEdits(edited: EditedSource, map: FlowMap): Splice[] {
  const { entries, before, after } = map;
  const isKept = (entry: FrontmatterEntry): boolean => Object.hasOwn(after, entry.key);
  if (!entries.some(isKept))
    return [{ start: map.token.offset, end: tokenEnd(map.token), text: `{${printFlowPairs(after)}}` }];
  const changed = entries.filter((entry) => isKept(entry) && !jsonEqual(before[entry.key], after[entry.key]));
  const added = Object.entries(after).filter(([key]) => !Object.hasOwn(before, key));
  return [
    ...changed.flatMap((entry) => flowValueEdits(edited, entry, { before, after })),
    ...flowItemEdits(
      edited.source,
      entries.map((entry) => entry.item),
      {
        kept: (index) => isKept(entries[index]!),
        added: added.map(([key, value]) => `${printKey(key)}: ${printFlow(value)}`),
      },
    ),
  ];
}

function flowValueEdits(
  edited: EditedSource,
  entry: FrontmatterEntry,
  data: { readonly before: Record<string, unknown>; readonly after: Record<string, unknown> },
): Splice[] {
  const before = data.before[entry.key];
  const after = data.after[entry.key];
  const { token, colonEnd, start, end } = valuePlace(entry.item);
  if (Array.isArray(before) && Array.isArray(after)) {
    const edits = listEdits(edited, token, { before, after });
    if (edits) return edits;
  }
  const quote = isRecord(after) ? undefined : quoteStyleOf(token);
  const text = printFlow(after, quote);
  if (colonEnd === undefined) return [insertion(end, `: ${text}`)];
  return token ? [{ start, end, text }] : [{ start: colonEnd, end, text: ` ${text}` }];
}

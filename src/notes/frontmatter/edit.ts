/**
 * Changes frontmatter by splicing the text: every byte that does not belong to a changed key stays as it is,
 * comments, order, quotes, line endings, byte order mark and body included.
 *
 * A block that cannot be read is never rewritten. Each result is read again before it is given back; if a
 * named key would not have its value, or another key would not have its old one, the edit is refused.
 */
import type { CST } from 'yaml';
import { AppError } from '../../shared/errors.ts';
import { isRecord } from '../../shared/records.ts';
import { applySplices, BOM, insertion, lineEndingOf, type Splice } from '../text/text.ts';
import { flowItemEdits, listEdits } from './list-edit.ts';
import { blockMapEdits } from './map-edit.ts';
import { parseFrontmatter } from './parse.ts';
import { jsonEqual, printFlow, printFlowPair, printPairs } from './print.ts';
import {
  type EditedSource,
  editedSource,
  type FrontmatterSpan,
  joinLines,
  splitFrontmatter,
} from './split.ts';
import { quoteStyleOf, tokenEnd, valuePlace } from './tokens.ts';
import { assertFrontmatterValues } from './values.ts';
import type { FrontmatterBlock, FrontmatterEntry } from './yaml.ts';

interface FlowMap {
  readonly token: CST.FlowCollection;
  readonly entries: readonly FrontmatterEntry[];
  readonly before: Record<string, unknown>;
  readonly after: Record<string, unknown>;
}

/** Changes a mapping written in flow style, `{a: 1, b: 2}`, and keeps it so. */
function flowMapEdits(edited: EditedSource, map: FlowMap): Splice[] {
  const { entries, before, after } = map;
  const isKept = (entry: FrontmatterEntry): boolean => Object.hasOwn(after, entry.key);
  if (!entries.some(isKept))
    return [{ start: map.token.offset, end: tokenEnd(map.token), text: printFlow(after) }];
  const changed = entries.filter((entry) => isKept(entry) && !jsonEqual(before[entry.key], after[entry.key]));
  const added = Object.entries(after).filter(([key]) => !Object.hasOwn(before, key));
  return [
    ...changed.flatMap((entry) => flowValueEdits(edited, entry, { before, after })),
    ...flowItemEdits(
      edited.source,
      entries.map((entry) => entry.item),
      {
        kept: (index) => isKept(entries[index]!),
        added: added.map(printFlowPair),
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
  const edits = listEdits(edited, token, before, after);
  if (edits) return edits;
  const quote = isRecord(after) ? undefined : quoteStyleOf(token);
  const text = printFlow(after, quote);
  if (colonEnd === undefined) return [insertion(end, `: ${text}`)];
  return token ? [{ start, end, text }] : [{ start: colonEnd, end, text: ` ${text}` }];
}

type Data = Record<string, unknown>;

/** Sets the named keys. With `replace`, keys that are not named are removed. */
export async function setFrontmatter(
  text: string,
  changes: Data,
  options: { readonly replace?: boolean } = {},
): Promise<string> {
  assertFrontmatterValues(changes);
  if (options.replace) return rewriteData(text, () => changes);
  if (Object.keys(changes).length === 0) return text;
  return rewriteData(text, (current) => ({ ...current, ...changes }));
}

/** Sets the named keys, but unites lists: the old items first, then the new ones that are not among them. */
export async function mergeFrontmatter(text: string, incoming: Data): Promise<string> {
  assertFrontmatterValues(incoming);
  if (Object.keys(incoming).length === 0) return text;
  return rewriteData(text, (current) => {
    const merged = Object.entries(incoming).map(([key, value]) => {
      const old = Object.hasOwn(current, key) ? current[key] : undefined;
      return [key, Array.isArray(old) && Array.isArray(value) ? unite(old, value) : value] as const;
    });
    return { ...current, ...Object.fromEntries(merged) };
  });
}

export async function removeFrontmatterKey(text: string, key: string): Promise<string> {
  return rewriteData(text, (current) =>
    Object.fromEntries(Object.entries(current).filter(([name]) => name !== key)),
  );
}

function unite(old: readonly unknown[], added: readonly unknown[]): unknown[] {
  const united = [...old];
  for (const value of added) if (!united.some((item) => jsonEqual(item, value))) united.push(value);
  return united;
}

async function rewriteData(text: string, wantedFrom: (current: Data) => Data): Promise<string> {
  const span = splitFrontmatter(text);
  if (!span) {
    const wanted = wantedFrom({});
    if (Object.keys(wanted).length === 0) return text;
    return verified(withNewBlock(text, wanted), wanted);
  }
  const block = await readBlock(text, span);
  const wanted = wantedFrom(block.data);
  if (Object.keys(wanted).length === 0) return withoutBlock(text, span);
  if (jsonEqual(wanted, block.data)) return text;
  const start = span.bom ? 1 : 0;
  const source = text.slice(start, span.yamlEnd);
  const edited = editedSource(source, lineEndingOf(source), dashOffsetOf(block));
  const spliced = applySplices(source, blockEdits(edited, block, wanted));
  return verified(text.slice(0, start) + spliced + text.slice(span.yamlEnd), wanted, block);
}

async function readBlock(text: string, span: FrontmatterSpan): Promise<FrontmatterBlock> {
  const { parseBlock } = await import('./yaml.ts');
  const block = parseBlock(text.slice(span.bom ? 1 : 0, span.yamlEnd));
  if (!('problem' in block)) return block;
  throw new AppError('invalid_input', 'Invalid frontmatter', {
    subject: block.problem,
    hint: 'The note was not changed. Correct the block between the --- lines first, for example by replacing its text.',
  });
}

function withNewBlock(text: string, wanted: Data): string {
  const ending = lineEndingOf(text);
  const block = joinLines(['---', ...printPairs(Object.entries(wanted), { column: 0 }), '---'], ending);
  return text.startsWith(BOM) ? BOM + block + text.slice(1) : block + text;
}

/** A body that would itself be taken for frontmatter keeps an empty block before it. */
function withoutBlock(text: string, span: FrontmatterSpan): string {
  const start = span.bom ? 1 : 0;
  const bare = text.slice(0, start) + text.slice(span.bodyStart);
  if (!splitFrontmatter(bare)) return bare;
  return text.slice(0, span.yamlStart) + text.slice(span.yamlEnd);
}

function blockEdits(edited: EditedSource, block: FrontmatterBlock, wanted: Data): Splice[] {
  const { map, entries, data } = block;
  if (map?.type === 'flow-collection')
    return flowMapEdits(edited, { token: map, entries, before: data, after: wanted });
  const { length: insertAt } = edited.source;
  return blockMapEdits(edited, { entries, column: map?.indent ?? 0, before: data, after: wanted, insertAt });
}

/** New lists are indented as the block's first list is. */
function dashOffsetOf({ map, entries }: FrontmatterBlock): number {
  const list = entries.map((entry) => entry.item.value).find((value) => value?.type === 'block-seq');
  return list?.type === 'block-seq' && map ? Math.max(0, list.indent - map.indent) : 2;
}

async function verified(result: string, wanted: Data, before?: FrontmatterBlock): Promise<string> {
  const { data, problem } = await parseFrontmatter(result);
  if (problem === undefined && jsonEqual(data, wanted)) return result;
  if (before?.hasAliases)
    throw new AppError('invalid_input', 'Invalid frontmatter', {
      subject: 'the change would alter other keys through a YAML anchor',
      hint: 'The note was not changed. Write the shared value out where it is used (instead of *name), then try again.',
    });
  throw new AppError('unsupported', 'Frontmatter could not be changed safely', {
    hint: 'The note was not changed. Edit the block as text instead.',
  });
}

/** Answers of the second brain's tools: keys on the wire, shared schemas, and the cutting of long lists. */
import * as z from 'zod';
import { snakeCased } from '../../brain/types.ts';
import type { Output } from '../../mcp/tool.ts';
import { PAGE_CHARACTERS, pageEnd } from '../shared/parameters.ts';

export type WireValue = Record<string, unknown>;

/** Of a hash, so much tells passages apart. */
export const HASH_DIGITS = 12;

/** Renames keys for the wire: `lineStart` becomes `line_start`; and shortens hashes. */
export function onWire(value: object): WireValue {
  return snakeCased(withShortHashes(value)) as WireValue;
}

function withShortHashes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withShortHashes);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === 'chunkHash' ? String(inner).slice(0, HASH_DIGITS) : withShortHashes(inner),
    ]),
  );
}

export const citation = () =>
  z.object({
    index: z.number(),
    chunk_hash: z.string(),
    source_path: z.string(),
    anchor: z.string(),
    line_start: z.number(),
    line_end: z.number(),
    text_span: z.string(),
    score: z.number(),
    retrieved_at: z.string(),
  });

const MOST_PATHS = 5;

/** What an answer holds, in a line: its answer and the notes it is from, or how many of what. */
export function lineOf(value: WireValue): string {
  const { answer, citations, total } = value as {
    answer?: string | null;
    citations?: readonly { source_path: string }[];
    total?: number;
  };
  const paths = [...new Set(citations?.map(({ source_path: path }) => path))];
  const from = paths.length > 0 ? `From ${listOf(paths)}.` : '';
  if (typeof answer === 'string') return [answer, from].join(' ').trim();
  const counts = Object.entries(value)
    .filter(([name, list]) => Array.isArray(list) && name !== 'citations' && name !== 'warnings')
    .map(([name, list]) => `${(list as unknown[]).length} ${name.replaceAll('_', ' ')}`);
  const of = total === undefined ? '' : ` (${total} notes match)`;
  return [`${counts.join(', ') || 'Done'}${of}.`, from].join(' ').trim();
}

function listOf(paths: readonly string[]): string {
  const more = paths.length - MOST_PATHS;
  return paths.slice(0, MOST_PATHS).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

export const warnings = () => z.array(z.string());

/** Number of items left out of each list because the answer would be too long. */
export const omitted = () => z.record(z.string(), z.number()).optional();

const charactersOf = (item: unknown) => JSON.stringify(item).length;

/** The longest prefix of `items` that fits the budget. */
export function fitting<Item>(items: readonly Item[], budget: number = PAGE_CHARACTERS): readonly Item[] {
  return items.slice(0, pageEnd(items, 0, charactersOf, budget));
}

/**
 * Cuts the lists of an answer that is too long, the last list first. The answer counts what was left out, and `hint`
 * says how to get it.
 */
export function outputOf(answer: object, lists: readonly string[], hint: string): Output {
  const value = onWire(answer);
  let over = charactersOf(value) - PAGE_CHARACTERS;
  if (over <= 0) return { value };
  const left: Record<string, number> = {};
  const shown: WireValue = { ...value };
  for (const name of [...lists].reverse()) {
    const items = value[name];
    if (over <= 0 || !Array.isArray(items)) continue;
    const kept = fitting(items, Math.max(1, charactersOf(items) - over));
    over -= charactersOf(items) - charactersOf(kept);
    left[name] = items.length - kept.length;
    shown[name] = kept;
  }
  const note = `The answer was too long: ${Object.entries(left)
    .map(([name, count]) => `${count} of ${name}`)
    .join(', ')} left out. ${hint}`;
  return {
    value: { ...shown, omitted: left, warnings: [...((shown.warnings as string[]) ?? []), note] },
  };
}

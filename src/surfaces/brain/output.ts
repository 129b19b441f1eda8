/** Answers of the second brain's tools: keys on the wire, shared schemas, and the cutting of long lists. */
import * as z from 'zod';
import { snakeCased } from '../../brain/types.ts';
import type { Output } from '../../mcp/tool.ts';
import { PAGE_CHARACTERS, pageEnd } from '../shared/parameters.ts';

export type WireValue = Record<string, unknown>;

/** Renames keys for the wire: `lineStart` becomes `line_start`. Of a citation, the path and the lines identify it. */
export function onWire(value: object): WireValue {
  return snakeCased(withoutHashes(value)) as WireValue;
}

function withoutHashes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutHashes);
  if (typeof value !== 'object' || value === null) return value;
  const { chunkHash: _, retrievedAt: __, ...shown } = value as Record<string, unknown>;
  return Object.fromEntries(Object.entries(shown).map(([key, inner]) => [key, withoutHashes(inner)]));
}

export const citation = () =>
  z.object({
    index: z.number(),
    source_path: z.string(),
    anchor: z.string(),
    line_start: z.number(),
    line_end: z.number(),
    text_span: z.string(),
    score: z.number(),
  });

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

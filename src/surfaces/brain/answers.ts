/** Shapes of answers that tools share, and how much of a long one is shown. */
import * as z from 'zod';
import type { Output } from '../../mcp/tool.ts';
import { PAGE_CHARACTERS, pageEnd } from '../shared/page.ts';
import { onWire, type WireValue } from './wire-keys.ts';

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

export const warnings = () => z.array(z.string());

/** What is left out of lists because the answer would be too long: how many of each. */
export const omitted = () => z.record(z.string(), z.number()).optional();

const charactersOf = (item: unknown) => JSON.stringify(item).length;

/** As many items from the front as fit. */
export function fitting<Item>(items: readonly Item[], budget: number = PAGE_CHARACTERS): readonly Item[] {
  return items.slice(0, pageEnd(items, 0, charactersOf, budget));
}

/**
 * An answer whose lists are cut where it would be too long, the last one first; it says what was left out and `hint`
 * how to get it.
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

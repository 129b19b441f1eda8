/** Sets of tools that are offered beside those of a surface. */
import * as z from 'zod';

/** The sets that every surface can have beside it. */
export const FURTHER_SETS = ['history'] as const;

/** Any words: which of them are sets depends on the surface, so the message can name them. */
export const toolSets = z.union(
  [z.literal('all'), z.array(z.string())],
  'must be a list of tool sets, or all',
);

export type ToolSets = z.output<typeof toolSets>;

/** What is wrong with the sets beside a surface, which may be named among them. */
export function toolSetProblem(surface: string, sets: ToolSets): string | undefined {
  const known: readonly string[] = [surface, ...FURTHER_SETS];
  const unknown = sets === 'all' ? undefined : sets.find((set) => !known.includes(set));
  return unknown === undefined
    ? undefined
    : `unknown tool set "${unknown}"; known: ${known.join(', ')}, or all`;
}

export function offersHistory({ toolSets: sets }: { readonly toolSets: ToolSets }): boolean {
  return sets === 'all' || sets.includes('history');
}

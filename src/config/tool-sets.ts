/** Sets of tools that are offered beside those of a surface. */
import * as z from 'zod';

/** Sets over the notes of any store. */
export const NOTE_SETS = [
  'links',
  'tags',
  'tasks',
  'properties',
  'sections',
  'daily',
  'files',
  'trash',
  'vault-info',
  'chatgpt',
] as const;

export type NoteSet = (typeof NOTE_SETS)[number];

/** The sets that every surface over notes can have beside it. */
export const FURTHER_SETS = ['history', ...NOTE_SETS] as const;

/** Any words: which of them are sets depends on the surface, so the message can name them. */
export const toolSets = z.union(
  [z.literal('all'), z.array(z.string())],
  'must be a list of tool sets, or all',
);

export type ToolSets = z.output<typeof toolSets>;

/** What is wrong with the sets beside a surface, which may be named among them. */
export function toolSetProblem(
  surface: string,
  sets: ToolSets,
  further: readonly string[] = FURTHER_SETS,
): string | undefined {
  const known: readonly string[] = [surface, ...further];
  const unknown = sets === 'all' ? undefined : sets.find((set) => !known.includes(set));
  return unknown === undefined
    ? undefined
    : `unknown tool set "${unknown}"; known: ${known.join(', ')}, or all`;
}

interface WithToolSets {
  readonly toolSets: ToolSets;
}

export function offersHistory({ toolSets: sets }: WithToolSets): boolean {
  return sets === 'all' || sets.includes('history');
}

/** In the order of the list above. */
export function noteSetsOf({ toolSets: sets }: WithToolSets): readonly NoteSet[] {
  return sets === 'all' ? NOTE_SETS : NOTE_SETS.filter((set) => sets.includes(set));
}

import * as z from 'zod';
import { findNote } from '../../notes/ops/find-note.ts';
import { changeSection } from '../../notes/ops/sections.ts';
import { defineTool } from '../shared/note-set.ts';
import { content, expectedVersion, path, warning, withWarnings } from '../shared/parameters.ts';
import { whichSection } from './parameters.ts';

/** Characters of the difference that a dry run shows. */
const SHOWN = 4_000;

export const editSection = defineTool({
  name: 'edit_section',
  title: 'Edit a section',
  description:
    'Add text under a heading (append: before its subsections), replace all below the heading, or insert before or after a block id. Example: {"path":"projects/plan.md","heading":"Plan","mode":"append","content":"- [ ] order parts"}',
  effect: 'write',
  input: () =>
    z.strictObject({
      path: path('Note: path, title or alias'),
      ...whichSection(),
      mode: z.enum(['append', 'prepend', 'replace', 'before', 'after']).describe('before, after: of a block'),
      content: content(),
      create: z.boolean().default(false).describe('A missing heading'),
      level: z.number().int('must be a whole number').min(1).max(6).optional(),
      expected_version: expectedVersion(),
      dry_run: z.boolean().default(false),
    }),
  output: () =>
    z.object({
      path: z.string(),
      heading: z.string().optional(),
      created: z.literal(true).optional(),
      unchanged: z.literal(true).optional(),
      removed: z.string().optional(),
      added: z.string().optional(),
      warning: warning(),
    }),
  async run({ path: given, expected_version, dry_run, ...change }, call) {
    const { backend, signal } = call;
    const warned = withWarnings(call);
    const at = await findNote(backend, given, warned.options);
    const changed = await changeSection(
      backend,
      at,
      { ...change, expectedVersion: expected_version },
      { dryRun: dry_run, signal },
    );
    return {
      value: {
        path: at,
        heading: changed.heading?.join(' > '),
        created: changed.created || undefined,
        unchanged: changed.unchanged || undefined,
        ...(dry_run ? differenceOf(changed) : {}),
        ...warned.warning(),
      },
    };
  },
});

/** The lines between the first and the last one that differ. */
function differenceOf({ before, after }: { readonly before: string; readonly after: string }) {
  const [old, now] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < old.length && old[start] === now[start]) start++;
  let end = 0;
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const cut = (lines: readonly string[]) => {
    const text = lines.slice(start, lines.length - end).join('\n');
    return text.length > SHOWN ? `${text.slice(0, SHOWN)}…`.toWellFormed() : text;
  };
  return { removed: cut(old), added: cut(now) };
}

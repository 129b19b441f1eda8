import * as z from 'zod';
import { type RenamedNote, renameTag as rename } from '../../notes/ops/rename-tag.ts';
import { AppError } from '../../shared/errors.ts';
import { folder, isBelow } from '../shared/list-page.ts';
import { defineTool } from '../shared/note-set.ts';
import { warning, withWarnings } from '../shared/parameters.ts';

const SHOWN = 50;

const tag = (meaning: string) => z.string().min(1, 'must not be empty').max(200).describe(meaning);

export const renameTag = defineTool({
  name: 'rename_tag',
  title: 'Rename tag',
  description:
    'Rename a tag in all notes, in frontmatter and text, with the tags nested below it; with the name of another tag the two become one. Code, links and headings stay. Preview with dry_run first. All notes are one change in the history. For the tags of one note edit the note. Example: {"from":"todo","to":"task/open","dry_run":true}',
  effect: 'write',
  input: () =>
    z.strictObject({
      from: tag('The tag as it is called now'),
      to: tag('Its new name'),
      folder: folder(),
      dry_run: z.boolean().default(false).describe('Only show what would change'),
    }),
  output: () =>
    z.object({
      from: z.string(),
      to: z.string(),
      dry_run: z.boolean().optional(),
      notes: z.number(),
      occurrences: z.number(),
      merged_into: z.number().optional(),
      changes: z.array(z.unknown()),
      failed: z.array(z.object({ path: z.string(), reason: z.string() })).optional(),
      note: z.string().optional(),
      warning: warning(),
    }),
  async run({ folder: given, dry_run: dryRun, ...tags }, call) {
    const warned = withWarnings(call);
    const options = { isWanted: isBelow(given), dryRun };
    const { from, to, changed, failed, merged } = await rename(call.backend, tags, options, warned.options);
    if (changed.length + failed.length === 0)
      throw new AppError('not_found', 'No note has this tag', {
        subject: from,
        hint: 'list_tags shows the tags there are.',
      });
    const occurrences = changed.reduce((sum, one) => sum + one.frontmatter + one.inline, 0);
    return {
      value: {
        from,
        to,
        dry_run: dryRun || undefined,
        notes: changed.length,
        occurrences,
        merged_into: merged > 0 ? merged : undefined,
        changes: changed.slice(0, SHOWN).map(viewOf),
        failed:
          failed.length > 0
            ? failed.slice(0, SHOWN).map(({ path, error }) => ({ path, reason: error.message }))
            : undefined,
        note: changed.length > SHOWN ? `The first ${SHOWN} of ${changed.length} notes are shown.` : undefined,
        ...warned.warning(),
      },
      facts: dryRun ? undefined : { notes: changed.length, occurrences },
    };
  },
});

function viewOf({ path, frontmatter, inline, line, before, after }: RenamedNote) {
  return {
    path,
    frontmatter: frontmatter > 0 ? frontmatter : undefined,
    inline: inline > 0 ? inline : undefined,
    line,
    before,
    after,
  };
}

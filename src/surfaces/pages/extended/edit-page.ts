import * as z from 'zod';
import { editNote } from '../../../notes/ops/edit-note.ts';
import type { NotePath } from '../../../notes/path.ts';
import { lineDiff } from '../../../notes/text/unified-diff.ts';
import { AppError } from '../../../shared/errors.ts';
import { textPage } from '../../shared/parameters.ts';
import { assertSize, assertWritable } from '../access.ts';
import { defineTool, repeatKey } from '../backend.ts';
import { onNamedPage } from '../page-errors.ts';
import { flag, page } from '../parameters.ts';

const MOST_EDITS = 50;
const SHOWN_DIFF = 20_000;

export const editPage = defineTool({
  name: 'edit_page',
  title: 'Edit page',
  description:
    'Replace exact pieces of text in a page; the rest stays byte for byte. Each old_text must stand exactly once; give enough of what is around it. All edits are made, in order, or none. dry_run shows the change as a diff and writes nothing. Returns {edited, path, edits, diff}. Example: {"page":"plan","edits":[{"old_text":"status: draft","new_text":"status: done"}]}',
  effect: 'write',
  input: () =>
    z.strictObject({
      page: page(),
      edits: z
        .array(
          z.strictObject({
            old_text: z.string().min(1, 'must not be empty').describe('Text to find, to the letter'),
            new_text: z.string().describe('Text to put there; empty to delete'),
          }),
        )
        .min(1, 'must hold at least one edit')
        .max(MOST_EDITS, `at most ${MOST_EDITS} edits in one call`)
        .describe('Replacements, in the order they are made'),
      dry_run: flag().optional().describe('Only show what would change. Default: false'),
    }),
  async run({ page: raw, edits: given, dry_run: dryRun = false }, call) {
    const { backend, signal } = call;
    const edits = given.map(({ old_text: oldText, new_text: newText }) => ({ oldText, newText }));
    const idle = edits.findIndex(({ oldText, newText }) => oldText === newText);
    if (idle >= 0) throw new AppError('invalid_input', `edits[${idle}]: old_text and new_text are the same`);
    const edit = async (path: NotePath) => {
      assertWritable(backend, path);
      const key = repeatKey(call, 'edit', path, JSON.stringify(edits));
      const last = backend.repeats.edits.get(key);
      const { before, after, version } = await editNote(
        backend,
        path,
        {
          edits,
          dryRun,
          assertSize: (text) => assertSize(path, text),
          isDone: (current) => !dryRun && current.version === last,
        },
        signal,
      );
      if (version !== undefined) backend.repeats.edits.set(key, version);
      const deduplicated = !dryRun && version === undefined && { deduplicated: true };
      const { text: diff, next } = textPage(lineDiff(before, after), 0, SHOWN_DIFF);
      return {
        value: {
          ...(dryRun ? { dryRun } : { edited: true }),
          path,
          edits: edits.length,
          diff: next === undefined ? diff : `${diff}\n…`,
          ...deduplicated,
        },
        facts: !dryRun ? { page: path, edits: edits.length, ...deduplicated } : undefined,
      };
    };
    return onNamedPage(backend, raw, edit, { signal });
  },
});

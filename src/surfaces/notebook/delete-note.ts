import * as z from 'zod';
import { suggestingWhenMissing } from '../../notes/ops/missing.ts';
import { parseNotePath } from '../../notes/path.ts';
import { AppError } from '../../shared/errors.ts';
import { path } from '../shared/parameters.ts';
import { defineTool, operationResult } from './backend.ts';

export const deleteNote = defineTool({
  name: 'delete_note',
  title: 'Delete a note',
  description:
    'Delete one note. confirmPath must repeat path exactly. The note goes to the .trash folder of the notebook, unless the server deletes for good; the answer says which. Folders cannot be deleted. To rename use move_note. Example: {"path":"old.md","confirmPath":"old.md"}',
  effect: 'destroy',
  deletes: true,
  input: () => z.strictObject({ path: path(), confirmPath: path('The same path again, to confirm') }),
  output: () => operationResult().extend({ trashedTo: z.string().optional() }),
  async run({ path: raw, confirmPath }, { backend }) {
    if (raw.trim() !== confirmPath.trim()) {
      throw new AppError('invalid_input', 'Deletion cancelled: confirmation path does not match', {
        hint: 'Nothing was deleted. Give path and confirmPath the same value.',
      });
    }
    const target = parseNotePath(raw);
    const { trashedTo, recovery = 'gone for good' } = await suggestingWhenMissing(backend.notes, target, () =>
      backend.notes.remove(target),
    );
    const where = trashedTo === undefined ? recovery : `moved to ${trashedTo}`;
    return {
      value: {
        success: true,
        path: target,
        message: `Successfully deleted note: ${target} (${where})`,
        trashedTo,
      },
    };
  },
});

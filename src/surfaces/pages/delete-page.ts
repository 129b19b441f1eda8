import * as z from 'zod';
import { trashNote } from '../../notes/ops/trash.ts';
import { parsePagePath } from '../../notes/page-path.ts';
import { isAppError } from '../../shared/errors.ts';
import { assertWritable } from './access.ts';
import { defineTool, repeatKey } from './backend.ts';
import { onPages } from './page-errors.ts';
import { page, repeated } from './parameters.ts';

export const deletePage = defineTool({
  name: 'delete_page',
  title: 'Delete page (soft delete)',
  description:
    'Take a page away: it moves to _trash/YYYY-MM/ under its own path and can be read or brought back from there. Returns {deleted, trashPath}. To rename a page use move_page. Example: {"page":"projects/old plan"}',
  effect: 'destroy',
  deletes: true,
  input: () => z.strictObject({ page: page() }),
  async run({ page: raw }, call) {
    const { backend, signal } = call;
    const path = parsePagePath(raw);
    assertWritable(backend, path, 'it is in _trash/ already');
    const key = repeatKey(call, 'delete', path);
    const { notes, repeats, turns, now } = backend;
    const trash = async () => {
      try {
        const trashPath = await trashNote(notes, path, now(), signal);
        repeats.moves.set(key, trashPath);
        return { trashPath, deduplicated: false };
      } catch (error) {
        const trashPath = repeats.moves.get(key);
        if (trashPath === undefined || !isAppError(error, 'not_found')) throw error;
        return { trashPath, deduplicated: true };
      }
    };
    const { trashPath, ...result } = await turns.run(path, () => onPages(notes, [path], trash));
    return {
      value: { deleted: true, trashPath, ...repeated(result) },
      facts: { page: path, trash_path: trashPath, ...repeated(result) },
    };
  },
});

/**
 * The files a rename looks at for links: not the trash, whose pages are as they were when they were deleted; and
 * only those are changed that may be. A page that is not lets its links go stale, and the answer names it.
 */

import { isTrashed } from '../../../notes/ops/trash.ts';
import type { NotePath } from '../../../notes/path.ts';
import type { NoteStore } from '../../../notes/store.ts';
import { assertSize, assertWritable } from '../access.ts';
import type { PagesBackend } from '../backend.ts';

/** `moving` are listed wherever they are. */
export function linkedFiles(backend: PagesBackend, moving: readonly NotePath[]): NoteStore {
  const { files } = backend;
  return {
    ...files,
    list: async (options) =>
      (await files.list(options)).filter(({ path }) => !isTrashed(path) || moving.includes(path)),
    write: async (path, content, conditions) => {
      assertWritable(backend, path);
      if (typeof content === 'string') assertSize(path, content);
      return files.write(path, content, conditions);
    },
  };
}

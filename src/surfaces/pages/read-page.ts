import * as z from 'zod';
import { parsePagePath } from '../../notes/page-path.ts';
import { textOf } from '../../notes/text/text.ts';
import { callerOf, defineTool } from './backend.ts';
import { onPages, tooLarge } from './page-errors.ts';
import { page } from './parameters.ts';

/** More than a page can be written with; beyond this no client would show it. */
const MAX_SHOWN_BYTES = 1024 * 1024;

export const readPage = defineTool({
  name: 'read_page',
  title: 'Read page',
  description:
    'Read a page. The first block is {path, lastModified}, the second the raw markdown. Pass that lastModified to write_page as expected_last_modified to overwrite the page. To add text at an end use append_to_page or prepend_to_page, which need no read. Example: {"page":"projects/plan"}',
  effect: 'read',
  input: () => z.strictObject({ page: page() }),
  async run({ page: raw }, call) {
    const { notes, markers } = call.backend;
    const path = parsePagePath(raw);
    return onPages(notes, [path], async () => {
      const note = await notes.read(path);
      if (note.size > MAX_SHOWN_BYTES)
        throw tooLarge(
          path,
          note.size,
          MAX_SHOWN_BYTES,
          'search_pages finds passages in it, with their lines.',
        );
      const text = textOf(note);
      const lastModified = markers.issue(callerOf(call), note);
      return { value: { path: note.path, lastModified }, blocks: [{ type: 'text', text }] };
    });
  },
});

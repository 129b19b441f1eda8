import * as z from 'zod';
import { outlineOf, titleOf } from '../../notes/markdown/outline.ts';
import { onNote } from '../../notes/ops/find-note.ts';
import { readNote } from '../../notes/ops/read-note.ts';
import { textOf } from '../../notes/text/text.ts';
import { noteUri } from '../shared/binary.ts';
import { defineTool } from '../shared/note-set.ts';
import { PAGE_CHARACTERS, path, textPage } from '../shared/parameters.ts';

export const fetchNote = defineTool({
  name: 'fetch',
  title: 'Fetch',
  description:
    'Read one note whole by the id that search gave. Returns id, title, text, url and metadata. Example: {"id":"projects/plan.md"}',
  effect: 'read',
  input: () => z.strictObject({ id: path('Id of a result of search') }),
  output: () =>
    z.object({
      id: z.string(),
      title: z.string(),
      text: z.string(),
      url: z.string(),
      metadata: z.record(z.string(), z.string()),
    }),
  // ChatGPT reads the text block as JSON, and there must be only one.
  line: (value) => JSON.stringify(value),
  async run({ id }, { backend, signal }) {
    const { note, frontmatter } = await onNote(backend, id, (found) => readNote(backend.notes, found), {
      signal,
    });
    void backend.guard?.shown(note);
    const text = textOf(note);
    const page = textPage(text, 0);
    const cut =
      page.next === undefined ? {} : { cut: `the first ${PAGE_CHARACTERS} of ${text.length} characters` };
    return {
      value: {
        id: note.path,
        title: titleOf(note.path, frontmatter, outlineOf(text)),
        text: page.text,
        url: noteUri(note.path),
        metadata: { modified: new Date(note.lastModified).toISOString(), ...cut },
      },
      note,
    };
  },
});

import * as z from 'zod';
import { createNote } from '../../notes/ops/create-note.ts';
import { parsePagePath } from '../../notes/page-path.ts';
import { assertNewName, assertSize, assertWritable } from './access.ts';
import { callerOf, defineTool, repeatKey } from './backend.ts';
import { onPages } from './page-errors.ts';
import { body, page, repeated } from './parameters.ts';

export const createPage = defineTool({
  name: 'create_page',
  title: 'Create page',
  description:
    'Make a new page; fails if there is one of that name. Returns {created, path, lastModified}; that lastModified can go to write_page at once. Missing folders are made. At most 256 KB. Example: {"page":"projects/garden","body":"# Garden\\n"}',
  effect: 'write',
  input: () => z.strictObject({ page: page(), body: body() }),
  async run({ page: raw, body: text }, call) {
    const { backend } = call;
    const path = parsePagePath(raw);
    assertWritable(backend, path);
    assertNewName(path);
    assertSize(path, text);
    const { note, ...result } = await onPages(backend.notes, [path], () =>
      createNote(backend, path, text, {
        key: repeatKey(call, 'create', path, text),
        recent: backend.repeats.creates,
      }),
    );
    const lastModified = backend.markers.issue(callerOf(call), note);
    return {
      value: { created: true, path, lastModified, ...repeated(result) },
      facts: { page: path, bytes: note.size, last_modified: lastModified, ...repeated(result) },
    };
  },
});

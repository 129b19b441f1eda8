/** The shared part of append_to_page and prepend_to_page. */
import * as z from 'zod';
import type { Call } from '../../mcp/tool.ts';
import { countBlock, holdsBlock, type InsertPlace, insertBlock } from '../../notes/insert-block.ts';
import { insertIntoNote } from '../../notes/ops/update-note.ts';
import type { NotePath } from '../../notes/path.ts';
import { assertSize, assertWritable } from './access.ts';
import { defineTool, type PagesBackend, repeatKey } from './backend.ts';
import { onNamedPage } from './page-errors.ts';
import { content, page, repeated } from './parameters.ts';

async function insertIntoPage(
  path: NotePath,
  { content, place }: { readonly content: string; readonly place: InsertPlace },
  call: Call<PagesBackend>,
) {
  const { backend, signal } = call;
  assertWritable(backend, path);
  assertSize(path, content);
  const { afterFrontmatter, ...result } = await insertIntoNote(
    backend,
    path,
    {
      isIn: (text) => holdsBlock(text, content, place),
      countIn: (text) => countBlock(text, content),
      insert: (text) => insertBlock(text, content, place),
      assertSize: (text) => assertSize(path, text),
    },
    { key: repeatKey(call, 'insert', path, place, content), recent: backend.repeats.inserts },
    signal,
  );
  const bytesAdded = result.deduplicated ? 0 : Buffer.byteLength(content);
  return { path, bytesAdded, afterFrontmatter, marks: repeated(result) };
}

export const appendToPage = defineTool({
  name: 'append_to_page',
  title: 'Append to page',
  description:
    'Add text at the end of a page, with a blank line before it; the page need not be read. Fails if there is no such page. No lastModified comes back: read_page before write_page. The same text sent twice within two minutes is added once. Example: {"page":"Journal","content":"- watered the tomatoes"}',
  effect: 'write',
  input: () => z.strictObject({ page: page(), content: content() }),
  async run({ page: raw, content: added }, call) {
    const insert = (at: NotePath) => insertIntoPage(at, { content: added, place: 'end' }, call);
    const { path, bytesAdded, marks } = await onNamedPage(call.backend, raw, insert, call);
    return {
      value: { path, bytesAdded, ...marks },
      facts: { page: path, bytes_added: bytesAdded, ...marks },
    };
  },
});

export const prependToPage = defineTool({
  name: 'prepend_to_page',
  title: 'Prepend to page',
  description:
    'Add text at the beginning of a page: after its YAML frontmatter, or with position "top" above everything; the page need not be read. Fails if there is no such page. No lastModified comes back: read_page before write_page. The same text sent twice within two minutes is added once. Example: {"page":"Inbox","content":"* [ ] call the plumber"}',
  effect: 'write',
  input: () =>
    z.strictObject({
      page: page(),
      content: content(),
      position: z
        .enum(['after_frontmatter', 'top'])
        .optional()
        .describe('Where to insert. Default: after_frontmatter'),
    }),
  async run({ page: raw, content: added, position: place = 'after_frontmatter' }, call) {
    const insert = (at: NotePath) => insertIntoPage(at, { content: added, place }, call);
    const inserted = await onNamedPage(call.backend, raw, insert, call);
    const { path, bytesAdded, afterFrontmatter: insertedAfterFrontmatter, marks } = inserted;
    return {
      value: { path, bytesAdded, insertedAfterFrontmatter, ...marks },
      facts: { page: path, bytes_added: bytesAdded, position: place, ...marks },
    };
  },
});

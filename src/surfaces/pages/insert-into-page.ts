/** The shared part of append_to_page and prepend_to_page. */
import * as z from 'zod';
import type { Call } from '../../mcp/tool.ts';
import { countBlock, holdsBlock, type InsertPlace, insertBlock } from '../../notes/insert-block.ts';
import { insertIntoNote } from '../../notes/ops/update-note.ts';
import { parsePagePath } from '../../notes/page-path.ts';
import { assertSize, assertWritable } from './access.ts';
import { defineTool, type PagesBackend, repeatKey } from './backend.ts';
import { onPages } from './page-errors.ts';
import { content, page, repeated } from './parameters.ts';

async function insertIntoPage(
  raw: string,
  { content, place }: { readonly content: string; readonly place: InsertPlace },
  call: Call<PagesBackend>,
) {
  const { backend, signal } = call;
  const path = parsePagePath(raw);
  assertWritable(backend, path);
  assertSize(path, content);
  const { afterFrontmatter, ...result } = await onPages(backend.notes, [path], () =>
    insertIntoNote(
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
    ),
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
    const { path, bytesAdded, marks } = await insertIntoPage(raw, { content: added, place: 'end' }, call);
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
    const inserted = await insertIntoPage(raw, { content: added, place }, call);
    const { path, bytesAdded, afterFrontmatter: insertedAfterFrontmatter, marks } = inserted;
    return {
      value: { path, bytesAdded, insertedAfterFrontmatter, ...marks },
      facts: { page: path, bytes_added: bytesAdded, position: place, ...marks },
    };
  },
});

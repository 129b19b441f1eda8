import * as z from 'zod';
import { defineTool } from './backend.ts';
import { insertIntoPage } from './insert-into-page.ts';
import { content, page, repeated } from './parameters.ts';

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
    const { path, bytes, afterFrontmatter, ...result } = await insertIntoPage(
      raw,
      { content: added, place },
      call,
    );
    const bytesAdded = result.deduplicated ? 0 : bytes;
    return {
      value: { path, bytesAdded, insertedAfterFrontmatter: afterFrontmatter, ...repeated(result) },
      facts: { page: path, bytes_added: bytesAdded, position: place, ...repeated(result) },
    };
  },
});

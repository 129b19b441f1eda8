import * as z from 'zod';
import { defineTool } from './backend.ts';
import { insertIntoPage } from './insert-into-page.ts';
import { content, page, repeated } from './parameters.ts';

export const appendToPage = defineTool({
  name: 'append_to_page',
  title: 'Append to page',
  description:
    'Add text at the end of a page, with a blank line before it; the page need not be read. Fails if there is no such page. No lastModified comes back: read_page before write_page. The same text sent twice within two minutes is added once. Example: {"page":"Journal","content":"- watered the tomatoes"}',
  effect: 'write',
  input: () => z.strictObject({ page: page(), content: content() }),
  async run({ page: raw, content: added }, call) {
    const { path, bytes, ...result } = await insertIntoPage(raw, { content: added, place: 'end' }, call);
    return {
      value: { path, bytesAdded: result.deduplicated ? 0 : bytes, ...repeated(result) },
      facts: { page: path, bytes_added: result.deduplicated ? 0 : bytes, ...repeated(result) },
    };
  },
});

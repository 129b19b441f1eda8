import * as z from 'zod';
import { extensionOf } from '../../notes/path.ts';
import type { FileEntry } from '../../notes/searcher.ts';
import { decodeCursor, encodeCursor, pageEnd } from '../shared/parameters.ts';
import { warning, withWarnings } from '../shared/warnings.ts';
import { continuation, cursor, defineTool, LIST_CHARACTERS, timestamp } from './backend.ts';

export const vaultListAll = defineTool({
  name: 'vault_list_all',
  title: 'List all files',
  description:
    'Map of the whole vault: every file of any type with path, size in bytes, time of change and frontmatter tags, without content. A good first call. For one folder use vault_list, to find something vault_search. A long list comes in pages: call again with next_cursor. Example: {}',
  effect: 'read',
  input: () => z.strictObject({ cursor: cursor() }),
  output: () =>
    z.object({
      total_files: z.number(),
      files: z.array(
        z.object({ path: z.string(), size: z.number(), modified: z.string(), tags: z.array(z.string()) }),
      ),
      ...continuation(),
      warning: warning(),
    }),
  async run({ cursor: after }, call) {
    const warned = withWarnings(call);
    const all = await call.backend.searcher.files(warned.options);
    const from = after === undefined ? 0 : indexAfter(all, decodeCursor(after));
    const end = pageEnd(all, from, (file) => JSON.stringify(entryOf(file)).length + 1, LIST_CHARACTERS);
    const value = {
      total_files: all.length,
      files: all.slice(from, end).map(entryOf),
      ...warned.warning(),
    };
    const last = all[end - 1];
    if (end >= all.length || !last) return { value };
    const note = `Files ${from + 1} to ${end} of ${all.length}; call vault_list_all again with cursor=next_cursor for more.`;
    return { value: { ...value, next_cursor: encodeCursor(last.path), note } };
  },
});

function indexAfter(files: readonly FileEntry[], last: string): number {
  const at = files.findIndex(({ path }) => path > last);
  return at < 0 ? files.length : at;
}

function entryOf({ path, size, lastModified, frontmatterTags }: FileEntry) {
  const tags = extensionOf(path) === '.md' ? frontmatterTags : [];
  return { path, size, modified: timestamp(lastModified), tags };
}

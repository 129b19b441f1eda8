/** What append_to_page and prepend_to_page have in common. */
import type { Call } from '../../mcp/tool.ts';
import { countBlock, holdsBlock, type InsertPlace, insertBlock } from '../../notes/insert-block.ts';
import { type InsertResult, insertIntoNote } from '../../notes/ops/insert-into-note.ts';
import { parsePagePath } from '../../notes/page-path.ts';
import type { NotePath } from '../../notes/path.ts';
import { assertSize, assertWritable } from './access.ts';
import { type PagesBackend, repeatKey } from './backend.ts';
import { onPages } from './page-errors.ts';

interface PageInsertion extends InsertResult {
  readonly path: NotePath;
  /** Bytes of the text given. */
  readonly bytes: number;
}

export async function insertIntoPage(
  raw: string,
  { content, place }: { readonly content: string; readonly place: InsertPlace },
  call: Call<PagesBackend>,
): Promise<PageInsertion> {
  const { backend, signal } = call;
  const path = parsePagePath(raw);
  assertWritable(backend, path);
  assertSize(path, content);
  const inserted = await onPages(backend.notes, [path], () =>
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
  return { ...inserted, path, bytes: Buffer.byteLength(content) };
}

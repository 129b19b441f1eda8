/** Links are read from the texts of notes, which do not have all links of every store. */
import type { Call } from '../../mcp/tool.ts';
import type { NoteSetBackend } from '../shared/note-set.ts';
import { withWarnings } from '../shared/parameters.ts';

const BY_ID =
  'Links that Trilium keeps by the id of a note (#root/…) are not followed; [[Title]] and links by path are.';

export function withLinkWarnings(call: Call<NoteSetBackend>): ReturnType<typeof withWarnings> {
  const warned = withWarnings(call);
  if (call.backend.kind === 'trilium') warned.options.onWarning?.(BY_ID);
  return warned;
}

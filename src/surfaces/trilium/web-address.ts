/** Where people open a note. A note that was written is not reported as failed because its address is not known. */
import type { Call } from '../../mcp/tool.ts';
import { webUrl, webUrlOf } from '../../stores/trilium/web-url.ts';
import type { TriliumNote } from '../../stores/trilium/wire/types.ts';
import type { TriliumBackend } from './backend.ts';

export function addressOf(
  { backend: { client, webBase }, signal }: Call<TriliumBackend>,
  note: Pick<TriliumNote, 'noteId' | 'parentNoteIds'>,
): Promise<string> {
  return webUrlOf(client, note, webBase, { signal }).catch(() => webUrl(webBase, [note.noteId]));
}

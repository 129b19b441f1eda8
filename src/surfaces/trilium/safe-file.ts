/** Files that run when somebody opens them in Trilium lose what would run. */
import type { Call } from '../../mcp/tool.ts';
import { AppError } from '../../shared/errors.ts';
import type { Embed, Embeds } from '../../stores/trilium/embed.ts';
import type { TriliumNote } from '../../stores/trilium/wire/types.ts';
import type { Conversion, TriliumBackend } from './backend.ts';

/** Said where it was so. */
export const LEFT_OUT = 'Scripts and other active content were left out.';

/** The very same where there is nothing to leave out. */
export async function safeBody(
  conversion: Conversion,
  mime: string,
  body: string | Uint8Array,
): Promise<string | Uint8Array> {
  return typeof body === 'string' ? safeText(conversion, mime, body) : conversion.cleanFile(mime, body);
}

export async function safeText({ cleanFile }: Conversion, mime: string, text: string): Promise<string> {
  const bytes = Buffer.from(text);
  const clean = await cleanFile(mime, bytes);
  return clean === bytes ? text : Buffer.from(clean).toString();
}

export async function safeEmbeds(conversion: Conversion, { images, files }: Embeds): Promise<Embeds> {
  const safe = (list: readonly Embed[]) =>
    Promise.all(
      list.map(async (one) => ({ ...one, bytes: await conversion.cleanFile(one.mime, one.bytes) })),
    );
  return { images: await safe(images), files: await safe(files) };
}

interface Kind {
  readonly type: string;
  readonly mime: string;
}

/** Notes of these types are shown as what their mime says. */
export function isOpened({ type }: Pick<Kind, 'type'>): boolean {
  return type === 'file' || type === 'image';
}

/** What is only text now must not begin to act because it is called something else. */
export async function assertHarmlessAs(
  note: TriliumNote,
  { type = note.type, mime = note.mime }: { readonly [Key in keyof Kind]?: string | undefined },
  { backend: { client, conversion }, signal }: Call<TriliumBackend>,
): Promise<void> {
  const becomesText = type === 'text' && note.type !== 'text';
  const becomesFile = isOpened({ type }) && (mime !== note.mime || !isOpened(note));
  if (note.isProtected || (!becomesText && !becomesFile)) return;
  const { bytes } = await client.notes.content(note.noteId, { signal });
  if (becomesText) {
    const text = Buffer.from(bytes).toString();
    if ((await conversion.edited(text, text)) !== text) throw wouldAct(note.noteId, 'a text note');
  } else await assertHarmlessFile(conversion, { mime, bytes, subject: note.noteId });
}

export async function assertHarmlessFile(
  { cleanFile }: Conversion,
  { mime, bytes, subject }: { readonly mime: string; readonly bytes: Uint8Array; readonly subject: string },
): Promise<void> {
  if ((await cleanFile(mime, bytes)) !== bytes) throw wouldAct(subject, mime.slice(0, 80));
}

function wouldAct(subject: string, as: string): AppError {
  return new AppError('unsupported', `What it holds could act as ${as}`, {
    subject,
    hint: 'It holds scripts or other active content. Replace its content without them first, or leave its type and mime as they are. Nothing was changed.',
  });
}

/** Removes active content from files that Trilium would run when they are opened. */
import type { Call } from '../../mcp/tool.ts';
import { AppError } from '../../shared/errors.ts';
import type { TriliumClient } from '../../stores/trilium/client.ts';
import { isOpened } from '../../stores/trilium/content-kind.ts';
import type { Conversion } from '../../stores/trilium/conversion.ts';
import type { Embed, Embeds } from '../../stores/trilium/embed.ts';
import { linkedNotes } from '../../stores/trilium/names.ts';
import { ANY_BYTES, assertReadableAs, byteKeepingMime } from '../../stores/trilium/stored-bytes.ts';
import type { TriliumNote } from '../../stores/trilium/wire/entities.ts';
import type { TriliumBackend } from './backend.ts';

/** Note in the answer when active content was removed. */
export const LEFT_OUT = 'Scripts and other active content were left out.';

/** Joins all remarks into the answer's `info` field. */
export function infoOf(...sentences: readonly (string | false | undefined)[]): { readonly info?: string } {
  const said = sentences.filter((one) => typeof one === 'string' && one !== '');
  return said.length === 0 ? {} : { info: said.join(' ') };
}

/** Returns the identical bytes when there is nothing to remove. */
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
      list.map(async (one) => {
        const bytes = await conversion.cleanFile(one.mime, one.bytes);
        return { ...one, bytes, mime: byteKeepingMime({ mime: one.mime }, bytes, one.filename) };
      }),
    );
  return { images: await safe(images), files: await safe(files) };
}

/** Remark about embedded files that are not UTF-8 text. */
export function storedOtherwiseOf(asked: Embeds, { files }: Embeds): string | undefined {
  const names = files
    .filter(({ mime }, at) => mime !== asked.files[at]?.mime)
    .map(({ filename }) => filename);
  if (names.length === 0) return undefined;
  return `${names.join(', ').slice(0, 500)}: not UTF-8 text, or with a byte order mark at its start, which Trilium would have changed; stored as ${ANY_BYTES}, byte for byte.`;
}

/** Content stored as inert text must not become active through a change of type or MIME type. */
export async function assertHarmlessAs(
  note: TriliumNote,
  { type = note.type, mime = note.mime }: Partial<Pick<TriliumNote, 'type' | 'mime'>>,
  { backend: { client, conversion } }: Call<TriliumBackend>,
): Promise<void> {
  const becomesText = type === 'text' && note.type !== 'text';
  const becomesFile = isOpened({ type }) && (mime !== note.mime || !isOpened(note));
  // Notes of any other type are always shown as text.
  const becomesString = !isOpened({ type }) && isOpened(note);
  if (note.isProtected || (!becomesText && !becomesFile && !becomesString)) return;
  const { bytes } = await client.notes.content(note.noteId);
  assertReadableAs({ type, mime }, bytes, note.noteId);
  if (becomesText) {
    const text = Buffer.from(bytes).toString();
    if ((await conversion.edited(text, text)) !== text) throw wouldAct(note.noteId, 'a text note');
  } else if (becomesFile) await assertHarmlessFile(conversion, { mime, bytes, subject: note.noteId });
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

/** Content of a text note as the caller sent it. */
interface SentText {
  readonly content: string;
  readonly format: 'html' | 'markdown';
  readonly title: string;
}

interface Backend {
  readonly client: Pick<TriliumClient, 'search'>;
  readonly conversion: Conversion;
}

export async function storedHtml(
  { client, conversion: { toHtml, clean } }: Backend,
  { content, format, title }: SentText,
): Promise<string> {
  if (format === 'html') return clean(content);
  return toHtml(content, { title, links: await linkedNotes(client, content) });
}

export function assertEmbeddable(
  type: string,
  { images, files }: { readonly images?: readonly unknown[]; readonly files?: readonly unknown[] },
): void {
  if (type === 'text' || (images ?? files) === undefined) return;
  throw new AppError('invalid_input', 'Images and files can only be embedded in text notes', {
    subject: `type ${type}`,
    hint: 'Leave images and files out, or attach them with create_attachment. Nothing was written.',
  });
}

/** Answer fields about embedded files; empty when there are none. */
export function embeddingFacts({
  attachmentIds,
  scheduled,
}: {
  readonly attachmentIds: readonly string[];
  readonly scheduled: readonly string[];
}): Record<string, unknown> {
  return {
    attachmentIds: attachmentIds.length > 0 ? attachmentIds : undefined,
    warning:
      scheduled.length > 0
        ? `Trilium is going to erase ${scheduled.join(', ')}: the text does not refer to them in a way it understands.`
        : undefined,
  };
}

/** Images and files put into a note that is there. When the write is refused, what was uploaded is taken away again. */
import { scheduledForErasure } from './attach.ts';
import type { TriliumClient } from './client.ts';
import { type Embeds, fillPlaceholders, uploadEmbeds } from './embed.ts';
import { isUncertain } from './wire/errors.ts';
import type { CallOptions } from './wire/types.ts';
import type { WrittenContent } from './write-content.ts';

export interface WrittenEmbeds extends WrittenContent {
  readonly attachmentIds: readonly string[];
  /** Those that Trilium will erase all the same. */
  readonly scheduled: readonly string[];
}

export async function writeEmbedded<Written extends WrittenContent>(
  client: Pick<TriliumClient, 'attachments'>,
  { noteId, html, embeds }: { readonly noteId: string; readonly html: string; readonly embeds: Embeds },
  write: (html: string) => Promise<Written>,
  options?: CallOptions,
): Promise<Written & WrittenEmbeds> {
  if (embeds.images.length + embeds.files.length === 0)
    return { ...(await write(html)), attachmentIds: [], scheduled: [] };
  const embedded = await uploadEmbeds(client, noteId, embeds, options);
  const attachmentIds = [...embedded.images, ...embedded.files].map(({ attachmentId }) => attachmentId);
  const written = await write(fillPlaceholders(html, noteId, embedded)).catch(async (error: unknown) => {
    // A text that may have arrived refers to them. A second failure would only hide the first.
    if (!isUncertain(error))
      await Promise.all(attachmentIds.map((id) => client.attachments.remove(id).catch(() => undefined)));
    throw error;
  });
  return { ...written, attachmentIds, scheduled: await scheduledForErasure(client, attachmentIds, options) };
}

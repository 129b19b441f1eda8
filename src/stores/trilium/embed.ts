/**
 * Embeds images and files of a call into a note's text. Placeholders `src="image:N"` and `href="file:N"` refer to
 * the Nth one; embeds without a placeholder are appended. Everything is validated before anything is written.
 */
import { AppError } from '../../shared/errors.ts';
import { isUncertain } from '../remote.ts';
import { addAttachment, fileLink, imageSource, scheduledForErasure } from './attach.ts';
import type { TriliumClient } from './client.ts';
import { essenceOf } from './content-kind.ts';
import { type DecodedBytes, decodeEmbedded } from './stored-bytes.ts';
import type { WrittenContent } from './write-content.ts';

export interface EmbedInput {
  /** Base64 or a data URL. */
  readonly data: string;
  readonly mime: string;
  readonly filename: string;
}

export interface Embed extends DecodedBytes {
  readonly filename: string;
}

export interface Embeds {
  readonly images: readonly Embed[];
  readonly files: readonly Embed[];
}

/** An embed with its uploaded attachment. */
interface EmbeddedText {
  readonly attachmentId: string;
  readonly filename: string;
}

interface EmbeddedFiles {
  readonly images: readonly EmbeddedText[];
  readonly files: readonly EmbeddedText[];
}

const PLACEHOLDER = /\b(src|href)(\s*=\s*)(?:"(image|file):(\d+)"|'(image|file):(\d+)')/gi;

/** Throws for data that cannot be decoded and for a placeholder without an embed. */
export function readEmbeds(
  html: string,
  {
    images = [],
    files = [],
  }: { readonly images?: readonly EmbedInput[]; readonly files?: readonly EmbedInput[] },
): Embeds {
  const decoded = (list: readonly EmbedInput[], kind: string) =>
    list.map(({ data, mime, filename }, at) => {
      const { mime: own, bytes } = naming(`${kind}[${at}]`, () => decodeEmbedded(data, mime));
      return { mime: own, bytes, filename };
    });
  const embeds = { images: decoded(images, 'images'), files: decoded(files, 'files') };
  for (const [at, { mime }] of embeds.images.entries())
    if (!essenceOf(mime).startsWith('image/'))
      throw new AppError('invalid_input', 'Not an image', {
        subject: `images[${at}]`,
        hint: `Its mime is ${mime.slice(0, 80)}. Give an image/… type, or put it among the files.`,
      });
  assertPlaceholders(html, embeds);
  return embeds;
}

function naming<T>(subject: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, title, hint } = error;
    throw new AppError(code, title, { subject, hint, cause: error });
  }
}

function assertPlaceholders(html: string, { images, files }: Embeds): void {
  const bad = [...html.matchAll(PLACEHOLDER)].flatMap((found) => {
    const { attribute, kind, index } = placeholderOf(found);
    const isAtHome = (attribute === 'src') === (kind === 'image');
    const isThere = index < (kind === 'image' ? images : files).length;
    return isAtHome && isThere ? [] : [`${attribute}="${kind}:${index}"`];
  });
  if (bad.length === 0) return;
  throw new AppError('invalid_input', 'A placeholder names nothing', {
    subject: bad.slice(0, 5).join(', '),
    hint: `Use src="image:N" for images[N] and href="file:N" for files[N]; this call has ${images.length} image(s) and ${files.length} file(s), counted from 0. Nothing was written.`,
  });
}

function placeholderOf([, attribute = '', , kind, at, otherKind, otherAt]: RegExpExecArray): {
  readonly attribute: string;
  readonly kind: string;
  readonly index: number;
} {
  return {
    attribute: attribute.toLowerCase(),
    kind: (kind ?? otherKind ?? '').toLowerCase(),
    index: Number(at ?? otherAt),
  };
}

/** Replaces the placeholders and appends the remaining embeds. */
export function fillPlaceholders(html: string, noteId: string, { images, files }: EmbeddedFiles): string {
  const named = new Set<EmbeddedText>();
  const filled = html.replace(PLACEHOLDER, (...groups) => {
    const { attribute, kind, index } = placeholderOf(groups as unknown as RegExpExecArray);
    const one = (kind === 'image' ? images : files)[index];
    if (!one) return groups[0] as string;
    named.add(one);
    return `${attribute}="${kind === 'image' ? imageSource(one, one.filename) : fileLink(noteId, one)}"`;
  });
  const unnamedImages = images.filter((one) => !named.has(one));
  const unnamedFiles = files.filter((one) => !named.has(one));
  return [
    filled,
    ...unnamedImages.map((one) => `<p><img src="${imageSource(one, one.filename)}"></p>`),
    ...unnamedFiles.map(
      (one) =>
        `<p><a class="reference-link" href="${fileLink(noteId, one)}">${escaped(one.filename)}</a></p>`,
    ),
  ].join('');
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** Uploads the embeds. If one fails, the others are deleted again. */
export async function uploadEmbeds(
  client: Pick<TriliumClient, 'attachments'>,
  noteId: string,
  { images, files }: Embeds,
): Promise<EmbeddedFiles> {
  const made: string[] = [];
  const upload = async (list: readonly Embed[], role: 'image' | 'file') => {
    const done: EmbeddedText[] = [];
    for (const { mime, bytes, filename } of list) {
      const added = await addAttachment(client, {
        ownerId: noteId,
        role,
        mime,
        title: filename,
        body: bytes,
      });
      made.push(added.attachmentId);
      done.push({ attachmentId: added.attachmentId, filename });
    }
    return done;
  };
  try {
    return { images: await upload(images, 'image'), files: await upload(files, 'file') };
  } catch (error) {
    // The first error is reported; a failure of the clean-up would only hide it.
    await Promise.all(made.map((id) => client.attachments.remove(id).catch(() => undefined)));
    throw error;
  }
}

export interface WrittenEmbeds extends WrittenContent {
  readonly attachmentIds: readonly string[];
  /** Attachments that Trilium has scheduled for erasure nevertheless. */
  readonly scheduled: readonly string[];
}

/** Embeds into an existing note. If the write is refused, the uploads are deleted again. */
export async function writeEmbedded<Written extends WrittenContent>(
  client: Pick<TriliumClient, 'attachments'>,
  { noteId, html, embeds }: { readonly noteId: string; readonly html: string; readonly embeds: Embeds },
  write: (html: string) => Promise<Written>,
): Promise<Written & WrittenEmbeds> {
  if (embeds.images.length + embeds.files.length === 0)
    return { ...(await write(html)), attachmentIds: [], scheduled: [] };
  const embedded = await uploadEmbeds(client, noteId, embeds);
  const attachmentIds = [...embedded.images, ...embedded.files].map(({ attachmentId }) => attachmentId);
  const written = await write(fillPlaceholders(html, noteId, embedded)).catch(async (error: unknown) => {
    // After an uncertain failure the text may have been saved and refer to the uploads, so they are kept.
    if (!isUncertain(error))
      await Promise.all(attachmentIds.map((id) => client.attachments.remove(id).catch(() => undefined)));
    throw error;
  });
  return { ...written, attachmentIds, scheduled: await scheduledForErasure(client, attachmentIds) };
}

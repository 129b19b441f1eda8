/** Text notes as markdown with frontmatter, stored by Trilium as HTML and labels (see labels/). */
import { createHash } from 'node:crypto';
import type { TriliumClient } from './client.ts';
import { noteMarkdown } from './conversion.ts';
import { makeNote, undone } from './create-note.ts';
import { frontmatterLabels, type LabelledText, withFrontmatter } from './labels/labelled-text.ts';
import { countChanges, labelChanges, sparingOthers, writeLabels } from './labels/write-labels.ts';
import { linkedNotes } from './names.ts';
import type { WriteOptions } from './revisions.ts';
import type { TriliumNote } from './wire/entities.ts';
import type { ContentWriter } from './write-content.ts';

export interface MarkdownPair {
  toMarkdown(html: string): string | Promise<string>;
  /** `links` maps note titles to ids. */
  toHtml(
    markdown: string,
    options: { readonly links: ReadonlyMap<string, string> },
  ): string | Promise<string>;
}

const MAX_BODIES = 50_000;

interface TextNotesParts {
  readonly markdown: MarkdownPair;
  readonly writer: ContentWriter;
  /** Fingerprints of the markdown that each HTML was converted to, by `blobId`. */
  readonly bodies: Map<string, string>;
}

export function createTextNotes(
  client: Pick<TriliumClient, 'notes' | 'attachments' | 'attributes' | 'search'>,
  { markdown, writer, bodies }: TextNotesParts,
) {
  const htmlOf = async (body: string): Promise<string> =>
    markdown.toHtml(body, { links: await linkedNotes(client, body) });

  return {
    /** The markdown and frontmatter of a note with this HTML. */
    read: async (note: TriliumNote, html: string): Promise<string> => {
      const { text: body } = await noteMarkdown(markdown.toMarkdown, html);
      if (bodies.size >= MAX_BODIES) bodies.clear();
      bodies.set(note.blobId, fingerprint(body));
      return withFrontmatter(note, body);
    },
    create: async (
      place: { readonly parentNoteId: string; readonly title: string },
      { labels, body }: LabelledText,
    ): Promise<TriliumNote> => {
      const { note } = await makeNote(client, {
        note: { ...place, type: 'text', mime: 'text/html' },
        body: await htmlOf(body),
        embeds: { images: [], files: [] },
      });
      if (labels.length === 0) return note;
      const { noteId } = note;
      await writeLabels(client, noteId, labelChanges([], labels)).catch(async (error: unknown) => {
        throw await undone(client, noteId, error);
      });
      return client.notes.get(noteId);
    },
    /** Returns the note after the update. HTML whose markdown is unchanged is not rewritten, nor are unchanged labels. */
    update: async (
      note: TriliumNote,
      { labels, body }: LabelledText,
      { expectedBlobId }: WriteOptions,
    ): Promise<TriliumNote> => {
      const { noteId } = note;
      const known = frontmatterLabels(note);
      const isSameBody = bodies.get(note.blobId) === fingerprint(body);
      const isSameFrontmatter = countChanges(labelChanges(known, labels)) === 0;
      const after = isSameBody
        ? note
        : (await writer.replace(noteId, await htmlOf(body), { expectedBlobId })).note;
      if (isSameFrontmatter) return after;
      const changes = sparingOthers(labelChanges(frontmatterLabels(after), labels), known);
      await writeLabels(client, noteId, changes);
      return client.notes.get(noteId);
    },
  };
}

/** Hash of a body, ignoring line breaks at either end. */
function fingerprint(body: string): string {
  return createHash('sha256')
    .update(body.replace(/^(?:[ \t]*\r?\n)+|\s+$/g, ''))
    .digest('base64');
}

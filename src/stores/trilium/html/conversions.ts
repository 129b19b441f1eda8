/**
 * All that is done with the text of a Trilium note, by name, for whoever does it here or in a thread.
 *
 * Loads the markdown parser: reach it through `await import('./conversions.ts')`.
 */
import { appendedHtml, editedHtml } from './changed-html.ts';
import { cleanFile, cleanHtml } from './clean.ts';
import { joinHtml } from './join-html.ts';
import { toHtml } from './to-html.ts';
import { toMarkdown } from './to-markdown.ts';

export const conversions = {
  toHtml,
  toMarkdown,
  clean: cleanHtml,
  edited: editedHtml,
  joined: joinHtml,
  appended: appendedHtml,
  /** Undefined where there is nothing to leave out, so that no bytes are copied for nothing. */
  cleanedFile: (mime: string, bytes: Uint8Array): Uint8Array | undefined => {
    const clean = cleanFile(mime, bytes);
    return clean === bytes ? undefined : clean;
  },
};

/** The markdown of a text note, or its HTML (valid inside markdown) when it cannot be converted. */
import { type AppError, isAppError } from '../../shared/errors.ts';

interface NoteMarkdown {
  readonly text: string;
  /** Why the text is HTML. */
  readonly problem?: AppError;
}

export async function noteMarkdown(
  toMarkdown: (html: string) => string | Promise<string>,
  html: string,
): Promise<NoteMarkdown> {
  try {
    return { text: await toMarkdown(html) };
  } catch (error) {
    // A full queue is not a property of the note: a later attempt succeeds.
    if (!isAppError(error) || error.code === 'rate_limited') throw error;
    return { text: html, problem: error };
  }
}

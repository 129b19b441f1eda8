/** The markdown of a text note; its HTML, which is markdown too, where it is too long or too odd to be converted. */
import { type AppError, isAppError } from '../../shared/errors.ts';

interface NoteMarkdown {
  readonly text: string;
  /** Why it is HTML. */
  readonly problem?: AppError;
}

export async function noteMarkdown(
  toMarkdown: (html: string) => string | Promise<string>,
  html: string,
): Promise<NoteMarkdown> {
  try {
    return { text: await toMarkdown(html) };
  } catch (error) {
    // Busy is not a property of the note: whoever asks again gets markdown.
    if (!isAppError(error) || error.code === 'rate_limited') throw error;
    return { text: html, problem: error };
  }
}

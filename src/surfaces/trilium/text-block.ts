/** A piece of a long text, and how to go on with it. */
import { textPage } from '../shared/page.ts';

/** As much as one answer holds unless told otherwise. */
export const MOST_CHARACTERS = 50_000;

export interface TextPiece {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly total: number;
  /** Where to go on; absent at the end. */
  readonly next?: number;
}

export function pieceOf(whole: string, start: number, most: number = MOST_CHARACTERS): TextPiece {
  const from = Math.min(start, whole.length);
  const { text, next } = textPage(whole, from, most);
  const end = next ?? whole.length;
  return { text, start: end - text.length, end, total: whole.length, ...(next !== undefined && { next }) };
}

/** Empty at the end of the text. */
export function truncationNotice(piece: TextPiece, tool: string): string {
  if (piece.next === undefined) return '';
  return `\n\n---\n**Content truncated:** showing characters ${piece.start}-${piece.end} of ${piece.total}. Call ${tool} again with content_start=${piece.next} to continue.`;
}

/** A note as passages, each with a hash that stays when the lines above it move. */
import { createHash } from 'node:crypto';
import { createLineNumbers } from '../notes/markdown/line-numbers.ts';
import { headingAnchor } from '../notes/markdown/outline.ts';
import { isMarkdown } from './note-kinds.ts';
import { type Piece, piecesOf } from './pieces.ts';
import type { Passage, SourceNote } from './types.ts';

const HASH_LETTERS = 32;

/** In order, one for each piece. */
export function passagesOf(
  note: SourceNote,
  pieces: readonly Piece[] = piecesOf(note.text, isMarkdown(note.sourcePath)),
): Passage[] {
  const { text, sourcePath, title, tags, lastModified } = note;
  const lineAt = createLineNumbers(text);
  const hashOf = createHashes(sourcePath);
  return pieces.map(({ start, end, headings }) => {
    const own = text.slice(start, end);
    return {
      sourcePath,
      title,
      tags,
      lastModified,
      anchor: headingAnchor(headings.at(-1) ?? ''),
      headings,
      span: { start, end },
      lineStart: lineAt(start),
      lineEnd: lineAt(end - 1),
      text: own,
      hash: hashOf(headings, own),
    };
  });
}

/** Equal passages of one note differ by how many came before. */
function createHashes(sourcePath: string): (headings: readonly string[], text: string) => string {
  const seen = new Map<string, number>();
  return (headings, text) => {
    const identity = JSON.stringify([sourcePath, headings, text]);
    const before = seen.get(identity) ?? 0;
    seen.set(identity, before + 1);
    return createHash('sha256').update(`${identity}${before}`).digest('hex').slice(0, HASH_LETTERS);
  };
}

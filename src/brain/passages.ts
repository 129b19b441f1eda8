/** A note as passages, each with a hash that stays when the lines above it move. */
import { createHash } from 'node:crypto';
import { createLineNumbers } from '../notes/markdown/line-numbers.ts';
import { headingAnchor } from '../notes/markdown/outline.ts';
import { isMarkdown } from './note-kinds.ts';
import { piecesOf } from './pieces.ts';
import type { Passage, SourceNote } from './types.ts';

const HASH_LETTERS = 32;

/** In order. Frontmatter is in none of them, unless there is nothing else. */
export function passagesOf(note: SourceNote): Passage[] {
  const { text, sourcePath, title, tags, lastModified } = note;
  const pieces = piecesOf(text, isMarkdown(sourcePath));
  const lineAt = createLineNumbers(text);
  const hashOf = createHashes(sourcePath);
  return (pieces.length > 0 ? pieces : wholeOf(text)).map(({ start, end, headings }) => {
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

function wholeOf(text: string) {
  const own = text.replace(/^\uFEFF/, '').trim();
  const start = text.indexOf(own);
  return own === '' ? [] : [...piecesOf(own, false)].map((piece) => shifted(piece, start));
}

function shifted<P extends { readonly start: number; readonly end: number }>(piece: P, by: number): P {
  return { ...piece, start: piece.start + by, end: piece.end + by };
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

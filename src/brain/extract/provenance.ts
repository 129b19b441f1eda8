/** Provenance of extracted items: their evidence in the note, and ids that are stable when lines move. */

import { createHash } from 'node:crypto';
import { lineNumberAt } from '../../notes/markdown/lines.ts';
import type { Range } from '../../notes/markdown/regions.ts';
import { wholeCharacter } from '../../notes/text/characters.ts';
import type { Block } from './blocks.ts';
import type { NoteFacts } from './note-facts.ts';
import type { Evidence } from './types.ts';
import { normalized } from './words.ts';

const MAX_SPAN = 300;

export function evidenceOf(note: NoteFacts, block: Block, within?: Range): Evidence {
  const start = within ? block.span.start + within.start : block.span.start;
  const wanted = within ? block.span.start + within.end : block.span.end;
  const end = wholeCharacter(note.text, Math.min(wanted, start + MAX_SPAN));
  const textSpan = note.text.slice(start, end);
  const lineStart = block.line + lineBreaks(note.text.slice(block.span.start, start));
  return {
    sourcePath: note.sourcePath,
    span: { start, end },
    lineStart,
    lineEnd: lineStart + lineBreaks(textSpan),
    textSpan,
    anchor: block.anchor,
    headings: block.headings,
  };
}

function lineBreaks(text: string): number {
  return lineNumberAt(text, text.length) - 1;
}

interface ItemLocation {
  readonly sourcePath: string;
  readonly headings: readonly string[];
  readonly text: string;
}

/** Equal words under equal headings get different ids, by a counter in note order. */
export function createIds(prefix: string): (place: ItemLocation) => string {
  const seen = new Map<string, number>();
  return ({ sourcePath, headings, text }) => {
    const key = JSON.stringify([sourcePath, headings.map(normalized), normalized(text) || text]);
    const before = seen.get(key) ?? 0;
    seen.set(key, before + 1);
    const hash = createHash('sha256').update(before === 0 ? key : `${key}\n${before}`);
    return `${prefix}_${hash.digest('hex').slice(0, 16)}`;
  };
}

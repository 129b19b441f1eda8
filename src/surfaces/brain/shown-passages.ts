/** The texts of recalled passages within the room of an answer: the first ones whole, later ones cut to what fits. */
import type { recall } from '../../brain/answer/recall.ts';
import { lineNumberAt } from '../../notes/markdown/lines.ts';
import { endWithinBytes } from '../../notes/text/characters.ts';
import { wholeEnd } from '../../notes/text/passages.ts';
import { onWire } from './output.ts';

export type NumberedPassage = Awaited<ReturnType<typeof recall>>['results'][number] & {
  readonly rank: number;
};

/** Bytes of ten results, or of fewer: their answer stays under 8 KB. */
const ROOM = 7_400;
/** Bytes of a snippet, unless headings and paths leave less. */
const SHORTEST = 150;
/** The exact quote of a citation: the snippet has it too, and shows what is around it. */
const LONGEST_SPAN = 60;

/** `snippet` is exact text of the note, and holds the quote of its citation. */
export function shownPassages(passages: readonly NumberedPassage[]) {
  const cited = passages.map(({ rank, title, tags, updatedAt, citation }) => ({
    rank,
    title,
    tags,
    updatedAt,
    snippet: '',
    citation: { ...shortened(citation), index: rank },
  }));
  const room = (ROOM * Math.max(10, passages.length)) / 10 - bytesOf(cited);
  const least = Math.max(LONGEST_SPAN, Math.min(SHORTEST, Math.floor(room / passages.length)));
  /** What is left beside the shortest form of each. */
  let spare = Math.max(0, room - least * passages.length);
  return cited.map((result, at) => {
    const { text } = passages[at]!;
    const { textSpan } = result.citation;
    const quoted = Math.max(0, text.indexOf(textSpan));
    const snippet = shownPart(text, quoted, textSpan.length, least + spare / 2);
    spare -= Math.max(0, bytesOf(snippet) - least);
    return { ...result, snippet };
  });
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(onWire({ value })));
}

function shortened(citation: NumberedPassage['citation']) {
  const { textSpan, lineStart } = citation;
  const span = textSpan.slice(0, wholeEnd(textSpan, 0, endWithinBytes(textSpan, 0, LONGEST_SPAN))).trimEnd();
  return { ...citation, textSpan: span, lineEnd: lineStart + lineNumberAt(span, span.length) - 1 };
}

/** At most so many bytes, from the beginning if what fits the query best is within, else from there. */
function shownPart(text: string, quoted: number, length: number, most: number): string {
  const end = endWithinBytes(text, 0, most);
  if (end === text.length) return text.trim();
  if (quoted + length <= end) return text.slice(0, wholeEnd(text, 0, end)).trim();
  return text.slice(quoted, wholeEnd(text, quoted, endWithinBytes(text, quoted, most))).trim();
}

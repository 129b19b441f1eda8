/** The texts of recalled passages within the room of an answer: the first ones whole, later ones cut to what fits. */
import type { recall } from '../../brain/answer/recall.ts';
import { lineNumberAt } from '../../notes/markdown/lines.ts';
import { headingAnchor } from '../../notes/markdown/outline.ts';
import { trimmedRange } from '../../notes/markdown/regions.ts';
import { wholeEnd } from '../../notes/text/passages.ts';

export type RecalledPassage = Awaited<ReturnType<typeof recall>>['results'][number];

/** Characters of the passages of ten results, or of fewer: as JSON, their answer stays under 8 KB. */
const ROOM = 4_800;
const ROOM_FOR_EACH = ROOM / 10;
const SHORTEST = 250;

/** `text` is the exact text of the note at the lines of its citation. */
export function shownPassages(results: readonly RecalledPassage[]) {
  /** What is left beside the shortest form of each. */
  let spare = Math.max(ROOM, ROOM_FOR_EACH * results.length) - SHORTEST * results.length;
  return results.map(({ title, tags, updatedAt, text, citation }) => {
    const { sourcePath, anchor, score, lineStart, textSpan } = citation;
    const quoted = Math.max(0, text.indexOf(textSpan));
    const { start, end } = shownPart(text, quoted, textSpan.length, SHORTEST + spare / 2);
    spare -= end - start - SHORTEST;
    const lineAt = (at: number) => lineStart + lineNumberAt(text, at) - lineNumberAt(text, quoted);
    return {
      title,
      tags: tags.length > 0 ? tags : undefined,
      updatedAt,
      text: text.slice(start, end),
      citation: {
        sourcePath,
        anchor: anchor === '' || anchor === headingAnchor(title) ? undefined : anchor,
        lineStart: lineAt(start),
        lineEnd: lineAt(Math.max(start, end - 1)),
        score,
      },
    };
  });
}

/** From the beginning if what fits the query best is within, else from there. */
function shownPart(text: string, quoted: number, length: number, most: number) {
  if (text.length <= most) return trimmedRange(text, { start: 0, end: text.length });
  const start = quoted + length <= most ? 0 : quoted;
  return trimmedRange(text, { start, end: wholeEnd(text, start, Math.floor(start + most)) });
}

/** Whatever an answer rests on can be looked up: the span stands in the note at exactly the lines named. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCite } from '../../src/brain/answer/citations.ts';
import { passagesOf } from '../../src/brain/retrieve/passages.ts';
import type { SourceNote } from '../../src/brain/types.ts';
import { cases } from '../kit/cases.ts';

const AT = '2026-11-16T00:00:00.000Z';

function noteOf(text: string): SourceNote {
  return { sourcePath: 'a.md', title: 'A', tags: [], lastModified: 0, size: text.length, text };
}

const line = fc.oneof(
  fc.constantFrom('', '# One', '## Two', '- item', '```', '| a | b |', '---', 'A sentence. Another one.\r'),
  fc.string({ maxLength: 60 }).map((text) => text.replaceAll('\n', ' ')),
);

describe('a citation', () => {
  it('of a place in a passage is of that place in the note', () => {
    const cite = createCite(AT);
    fc.assert(
      fc.property(fc.array(line, { maxLength: 40 }), fc.nat(), fc.nat(), (lines, from, length) => {
        const note = noteOf(lines.join('\n'));
        for (const passage of passagesOf(note)) {
          const start = passage.span.start + (from % Math.max(1, passage.text.length));
          const end = Math.min(passage.span.end, start + 1 + (length % 400));
          const cited = cite({ passage, score: 2, coverage: 1 }, { start, end });
          const { lineStart, lineEnd, textSpan } = cited;
          const there = note.text
            .split('\n')
            .slice(lineStart - 1, lineEnd)
            .join('\n');
          expect(there).toContain(textSpan);
          expect(note.text.slice(start, end)).toContain(textSpan);
          expect(textSpan.length).toBeLessThanOrEqual(300);
          expect([cited.chunkHash, cited.score, cited.retrievedAt]).toEqual([passage.hash, 1, AT]);
        }
      }),
      { numRuns: cases(300) },
    );
  });

  it('names the heading it stands under', () => {
    const text = '# Top\n\nFirst words.\n\n## Below\n\nSecond words.\n';
    const cite = createCite(AT);
    const anchors = passagesOf(noteOf(text)).flatMap((passage) => {
      const at = passage.text.indexOf('Second words');
      if (at < 0) return [];
      const start = passage.span.start + at;
      return [cite({ passage, score: 0.5, coverage: 1 }, { start, end: start + 12 }).anchor];
    });
    expect(anchors).toEqual(['Below']);
  });
});

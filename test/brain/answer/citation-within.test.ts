import fc from 'fast-check';
import { expect, it } from 'vitest';
import { citationWithin } from '../../../src/brain/answer/citations.ts';
import { libraryOf } from '../../kit/brain.ts';
import { cases } from '../../kit/cases.ts';

const FACTS = { score: 1, retrievedAt: '2026-11-15T10:00:00.000Z' };

it('stands in the note at exactly the lines it names, for any text and place', async () => {
  const piece = fc.oneof(
    fc.constantFrom('\n', '\r\n', '# h\n', '## deeper\n', '😀', '\uD83D', '   ', 'word '.repeat(70)),
    fc.string({ unit: 'grapheme', maxLength: 15 }),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(piece, { minLength: 1, maxLength: 20 }),
      fc.nat(),
      fc.nat(),
      async (pieces, from, length) => {
        const note = `key word\n${pieces.join('')}`;
        const { passages } = await libraryOf({ 'a.md': note }).retriever.retrieve({
          query: 'key word',
          limit: 20,
          mode: 'keyword',
          scope: {},
        });
        for (const { passage } of passages) {
          const start = passage.span.start + (from % passage.text.length);
          const span = { start, end: Math.min(passage.span.end, start + 1 + (length % 500)) };
          const { textSpan, lineStart, lineEnd } = citationWithin(passage, span, FACTS);
          expect(textSpan.length).toBeLessThanOrEqual(300);
          expect(note.slice(span.start, span.end)).toContain(textSpan);
          expect(
            note
              .split('\n')
              .slice(lineStart - 1, lineEnd)
              .join('\n'),
          ).toContain(textSpan);
          expect(textSpan.split('\n')).toHaveLength(lineEnd - lineStart + 1);
        }
      },
    ),
    { numRuns: cases(200) },
  );
});

it('names the heading it stands under', async () => {
  const note = '# One\n\nFirst word.\n\n## Two\n\nSecond word.\n';
  const passage = {
    ...(
      await libraryOf({ 'a.md': note }).retriever.retrieve({
        query: 'word',
        limit: 1,
        mode: 'keyword',
        scope: {},
      })
    ).passages[0]!.passage,
    text: note,
    span: { start: 0, end: note.length },
    lineStart: 1,
    lineEnd: 7,
    headings: ['One'],
    anchor: 'One',
  };
  const anchorOf = (text: string) => {
    const start = note.indexOf(text);
    return citationWithin(passage, { start, end: start + text.length }, FACTS).anchor;
  };
  expect([anchorOf('First word.'), anchorOf('Second word.')]).toEqual(['One', 'Two']);
});

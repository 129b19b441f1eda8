import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decisionsIn, meetingIn } from '../../../src/brain/extract/ops/extract.ts';
import { cases } from '../../kit/cases.ts';
import { openLoopsIn } from '../../kit/extract.ts';

const NOTE = { sourcePath: 'a.md', referenceDate: '2026-11-16' };

const line = fc.constantFrom(
  ...[
    '# Actions',
    '## Open questions',
    '**Risks**',
    'Decisions:',
    '',
    '',
    '---',
    'Attendees: Ana, Ben',
    '> quoted',
    '> [!todo] x',
  ],
  ...[
    '- [ ] task 📅 2026-12-01',
    '- [x] done ~~a~~',
    '  - [ ] nested',
    '1. [ ] one',
    '2. [ ] two',
    '- Ana to call by Friday',
    '| Action | Owner |',
    '|---|---|',
    '| a | Ben |',
  ],
  ...[
    'TODO: mark',
    'We decided to go. Then we did not.',
    'WAITING FOR @ana it',
    'Q: why?',
    'A: so',
    '- Why?',
    'Risk: rain',
    'Ana: I will call. Fine.',
    'plain text `TODO: x` here',
  ],
  ...[
    '```',
    '~~~',
    '    indented',
    '<!-- TODO: a',
    '-->',
    '%%',
    '%% x %%',
    '\ud800 lone',
    '(A) 2026-01-01 todo.txt line',
    'Title',
    '===',
    '> ===',
    '--',
    '  ---',
    '\t- tab',
    '* TODO Logseq',
  ],
);
const note = fc
  .record({
    lines: fc.array(line, { maxLength: 25 }),
    ending: fc.constantFrom('\n', '\r\n'),
    bom: fc.boolean(),
    matter: fc.boolean(),
  })
  .map(({ lines, ending, bom, matter }) => {
    const all = matter ? ['---', 'attendees: [Ana]', 'todo: "TODO: no"', '---', ...lines] : lines;
    return (bom ? '\uFEFF' : '') + all.join(ending);
  });

async function evidenceIn(text: string) {
  const [loops, decisions, meeting] = [
    await openLoopsIn(text, NOTE),
    await decisionsIn(text, NOTE),
    await meetingIn(text, NOTE),
  ];
  const lists = [loops, decisions, ...Object.values(meeting).filter(Array.isArray)] as {
    evidence: (typeof loops)[0]['evidence'];
  }[][];
  return lists.flat().map(({ evidence }) => evidence);
}

describe('every finding', () => {
  it('stands in the note just where it says', async () => {
    await fc.assert(
      fc.asyncProperty(note, async (text) => {
        for (const { span, textSpan, lineStart, lineEnd, anchor } of await evidenceIn(text)) {
          expect(text.slice(span.start, span.end)).toBe(textSpan);
          expect(textSpan).not.toBe('');
          const lines = text.split('\n');
          expect(lines.slice(lineStart - 1, lineEnd).join('\n')).toContain(textSpan);
          // A heading of several lines within a quote has a quote mark before each of them.
          const above = lines
            .slice(0, lineStart)
            .map((each) => each.replace(/^[\s>]+/, ''))
            .join('\n')
            .replace(/\s+/g, ' ');
          if (anchor !== '') expect(above).toContain(anchor);
        }
      }),
      { numRuns: cases(400), examples: [['> [!todo] x\n> quoted\n===\nTODO: mark']] },
    );
  });

  it('is outside of code', async () => {
    await fc.assert(
      fc.asyncProperty(note, fc.constantFrom('```', '~~~~'), async (text, fence) => {
        const inner = text.replace(/[`~]{3,}/g, '').replaceAll('\uFEFF', '');
        expect(await evidenceIn(`${fence}\n${inner}\n${fence}\n`)).toEqual([]);
        expect(await evidenceIn(`${fence}\n${inner}`)).toEqual([]);
      }),
      { numRuns: cases(200) },
    );
  });

  it('keeps its name when lines are put in above, and has it alone', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 15 }),
        fc.integer({ min: 1, max: 5 }),
        async (lines, blank) => {
          const text = `# Top\n\n${lines.join('\n')}`;
          const moved = `${'A sentence of no interest.\n\n'.repeat(blank)}${text}`;
          const ids = (await openLoopsIn(text, NOTE)).map(({ id }) => id);
          expect((await openLoopsIn(moved, NOTE)).map(({ id }) => id)).toEqual(ids);
          expect(new Set(ids).size).toBe(ids.length);
        },
      ),
      { numRuns: cases(200) },
    );
  });
});

/** Frontmatter counts as text in answers. */
import { expect, it, test } from 'vitest';
import { ask } from '../../../src/brain/answer/ask.ts';
import { createCite } from '../../../src/brain/answer/citations.ts';
import { paragraphsIn } from '../../../src/brain/answer/sentences.ts';
import { openRetriever } from '../../../src/brain/retrieve/retriever.ts';
import { ask as recalled, sourceOf } from '../kit.ts';

const BOOKSHELF =
  '---\ntitle: Bookshelf\ndue: 2026-12-01\ntags: [wood]\nhelpers:\n  - Ana\n  - "[[Ben]]"\n---\n# Bookshelf\n\nOak boards, four of them.\n';
const NOTES = {
  'shed.md': '---\ndue: 2027-02-03\nphone: "+49 151 5550123"\n---\n',
  'bookshelf.md': BOOKSHELF,
  'races/race 12.md': '---\ndate: 2026-05-22\n---\nBen came third.\n',
  'races/race 13.md': '---\ndate: 2026-06-05\n---\nThe race was short; from now on every Friday.\n',
  'garden.md': '---\ndue: 2026-05-01\n---\n# Garden\n\nDig the beds.\n',
};

async function answer(question: string) {
  const parts = { retriever: openRetriever({ sources: [await sourceOf(NOTES)] }), models: {} };
  const cite = createCite('2026-01-01T00:00:00.000Z');
  return ask({ ...parts, cite }, { question, topK: 8, scope: {}, mode: 'extractive' });
}

it.each([
  ['When is the bookshelf due?', 'due: 2026-12-01', 3],
  ['When is the shed due?', 'due: 2027-02-03', 2],
  ['What is the phone number of the shed?', 'phone: +49 151 5550123', 3],
  ['When was race 12?', 'date: 2026-05-22', 2],
  ['Who are the helpers of the bookshelf?', 'helpers: Ana, Ben', 5],
])('%s', async (question, said, line) => {
  const { answer: text, citations } = await answer(question);
  expect(text.split('\n')[0]).toBe(`${said} [1]`);
  expect(citations[0]).toMatchObject({ lineStart: line });
  expect(Object.values(NOTES).join()).toContain(citations[0]?.textSpan);
});

it('is no passage of its own when notes are recalled', async () => {
  const { passages } = await recalled([await sourceOf(NOTES)], 'bookshelf due helpers');
  expect(passages.map(({ passage }) => passage.text).join()).not.toContain('due: 2026');
});

test('an entry that says nothing, or names the note, is no sentence', () => {
  const text = 'title: X\ntags:\n  - a\naliases: [y]\n# comment\nempty:\nnone: []\nstatus: "paused: for now"';
  const passage = { ...PASSAGE, text, span: { start: 4, end: 4 + text.length } };
  const [only, ...others] = paragraphsIn({ passage, score: 1, coverage: 1 });
  expect([only?.text, others]).toEqual(['status: paused: for now', []]);
  const { start, end } = only?.sentences[0]?.span ?? { start: 0, end: 0 };
  expect(text.slice(start - 4, end - 4)).toBe('status: "paused: for now"');
});

const PASSAGE = {
  sourcePath: 'x.md',
  title: 'X',
  tags: [],
  lastModified: 0,
  anchor: '',
  headings: [],
  lineStart: 2,
  lineEnd: 8,
  isFrontmatter: true,
  hash: 'h',
};

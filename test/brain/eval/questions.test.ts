import { describe, expect, test } from 'vitest';
import { testSetOf } from '../../../src/brain/eval/questions.ts';
import { sourceNote } from '../../../src/brain/retrieve/library.ts';
import type { SourceNote } from '../../../src/brain/types.ts';
import type { NotePath } from '../../../src/notes/path.ts';

const FILLER = 'Flour, water and salt are mixed in the evening and rest until the next morning. '.repeat(3);

function notesOf(texts: Readonly<Record<string, string>>): Promise<SourceNote[]> {
  return Promise.all(
    Object.entries(texts).map(([path, text]) => {
      const bytes = Buffer.from(text);
      return sourceNote({ path: path as NotePath, bytes, size: bytes.length, lastModified: 0 }, path);
    }),
  );
}

async function setOf(texts: Readonly<Record<string, string>>, options?: Parameters<typeof testSetOf>[1]) {
  return testSetOf(await notesOf(texts), options);
}

describe('a link', () => {
  test('asks with the sentence around it, without its name and without markup', async () => {
    const set = await setOf(
      {
        'log.md': `# Log\n- [ ] Nothing else. Then we bought a **used oven** for [[Bakery|the shop]], see [prices](p.md). More.\n`,
        'Bakery.md': FILLER,
      },
      { kinds: ['link'] },
    );
    expect(set.questions).toEqual([
      {
        kind: 'link',
        text: 'Then we bought a used oven for , see prices.',
        answer: 'Bakery.md',
        aside: new Set(['log.md']),
      },
    ]);
    expect(set.notes.find(({ path }) => path === 'Bakery.md')?.text).toBe(FILLER);
  });

  test('alone in its line, or beside words of its title only, asks nothing', async () => {
    const texts = {
      'index.md':
        '- [[Bakery plan]]\n- Plan: [[Bakery plan]] (bakery)\n- ![[Bakery plan]] that we should follow\n',
      'Bakery plan.md': FILLER,
    };
    expect((await setOf(texts, { kinds: ['link'] })).questions).toEqual([]);
  });
});

test('a heading asks, and its line is left out of its note', async () => {
  const text = `# Bread\n${FILLER}\n## Shaping a round loaf\n${FILLER}\n`;
  const { questions, notes } = await setOf({ 'bread.md': text }, { kinds: ['heading'] });
  expect(questions).toMatchObject([{ kind: 'heading', text: 'Shaping a round loaf', answer: 'bread.md' }]);
  expect(notes[0]?.text).toBe(`# Bread\n${FILLER}\n${FILLER}\n`);
});

test('headings of several notes, or of too few words, ask nothing', async () => {
  const text = (name: string) => `# ${name}\n## Open questions today\n${FILLER}\n## Notes\n## 2026-01-05\n`;
  const { questions } = await setOf({ 'a.md': text('A'), 'b.md': text('B') }, { kinds: ['heading'] });
  expect(questions).toEqual([]);
});

test('a title asks, and the note loses every trace of it but its folder', async () => {
  const text = `---\ntitle: Sourdough starter care\naliases:\n  - feeding the starter\ntags: [baking]\n---\n# Sourdough starter: care\n${FILLER}`;
  const { questions, notes } = await setOf({ 'kitchen/sourdough.md': text }, { kinds: ['title'] });
  expect(questions).toMatchObject([{ kind: 'title', text: 'Sourdough starter care' }]);
  const [note] = notes;
  expect(note?.path).toMatch(/^kitchen\/[0-9a-f]{12}\.md$/);
  expect(questions[0]?.answer).toBe(note?.path);
  expect(note?.text).toBe(`---\ntags: [baking]\n---\n${FILLER}`);
});

test('titles that differ in dates, or in one word, ask nothing', async () => {
  const days = ['Monday', 'Tuesday', 'Friday', 'Sunday'];
  const texts = days.map((day, n) => [`Standup with Ana, ${day} 2026-01-0${n}.md`, FILLER]);
  expect((await setOf(Object.fromEntries(texts))).questions).toEqual([]);
});

test('a note with nothing else to say is not asked for', async () => {
  expect((await setOf({ 'a.md': '# Sourdough starter care\n' })).questions).toEqual([]);
});

test('the same notes give the same questions, one for a note at most, of all kinds, and not more than wanted', async () => {
  const texts = Object.fromEntries(
    Array.from({ length: 60 }, (_, n) => [
      `n${n}.md`,
      `# Topic ax${n} by${n} alpha\n## Details of item q${n} r${n} beta\n${FILLER} We compared gamma, delta, epsilon and zeta with [[n${(n + 7) % 60}]].\n`,
    ]),
  );
  const set = await setOf(texts, { most: 45 });
  expect(await setOf(Object.fromEntries(Object.entries(texts).reverse()), { most: 45 })).toMatchObject({
    questions: set.questions,
  });
  expect(set.questions).toHaveLength(45);
  expect(new Set(set.questions.map(({ answer }) => answer)).size).toBe(45);
  for (const kind of ['link', 'heading', 'title'])
    expect(set.questions.filter((question) => question.kind === kind)).toHaveLength(15);
  const paths = new Set(set.notes.map(({ path }) => path));
  for (const { answer, aside } of set.questions)
    for (const path of [answer, ...aside]) expect(paths).toContain(path);
});

test('texts without markdown and in scripts without spaces ask too', async () => {
  const set = await setOf({
    '東京の観光案内.md': `# 東京の観光案内\n${'浅草寺は台東区にある最も古い寺です。'.repeat(10)}`,
    'plain list of tools.txt': FILLER,
  });
  expect(set.questions.map(({ text }) => text).sort()).toEqual(['plain list of tools', '東京の観光案内']);
});

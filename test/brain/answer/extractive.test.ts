import { describe, expect, it } from 'vitest';
import { isEnough } from '../../../src/brain/answer/evidence.ts';
import { pickSentences, scoreSentences } from '../../../src/brain/answer/extractive.ts';
import { libraryOf, type SmallLibraryOptions } from '../../kit/brain.ts';

async function scored(notes: Record<string, string>, question: string, options: SmallLibraryOptions = {}) {
  const { retriever } = libraryOf(notes, options);
  const found = await retriever.retrieve({ query: question, limit: 20, mode: 'hybrid', scope: {} });
  return scoreSentences(question, found, retriever.similarity);
}

const textsOf = (sentences: readonly { text: string }[]) => sentences.map(({ text }) => text);

async function picked(notes: Record<string, string>, question: string) {
  return textsOf(pickSentences(await scored(notes, question)));
}

describe('what is picked', () => {
  it('is no more than three, two of one note, each from a paragraph of its own', async () => {
    const lines = ['early', 'late', 'often', 'daily'].map((when) => `The red fox runs ${when}.`);
    const other = { 'b.md': 'A red fox sleeps. The red fox wakes.' };
    const found = await scored({ 'a.md': lines.join('\n\n'), ...other }, 'red fox');
    const from = pickSentences(found).map(({ source }) => source.passage.sourcePath);
    expect(from.sort()).toEqual(['a.md', 'a.md', 'b.md']);
  });

  it('is nothing that is far behind the best', async () => {
    const notes = { 'a.md': 'The red fox runs in the snow.', 'b.md': 'Snow falls.' };
    expect(await picked(notes, 'red fox snow')).toEqual(['The red fox runs in the snow.']);
  });

  it('does not say the same twice', async () => {
    expect(await picked({ 'a.md': 'Red fox', 'b.md': 'The red foxes' }, 'red fox')).toHaveLength(1);
  });

  it('comes best first', async () => {
    const notes = { 'a.md': 'The fox sleeps.', 'b.md': 'The red fox runs.' };
    expect((await picked(notes, 'red fox'))[0]).toBe('The red fox runs.');
  });
});

describe('sentences', () => {
  it('are ordered by the words of the question, rare ones first', async () => {
    const all = await scored({ 'a.md': 'The fox runs. The fox sleeps. A red bird.' }, 'red fox');
    expect(textsOf(all)[0]).toBe('A red bird.');
  });

  it('are first of the note of the day that the question names, in its year', async () => {
    const days = ['2025-05-04', '2026-05-03', '2026-05-04', '2026-05-05'];
    const notes = Object.fromEntries(days.map((day) => [`${day}.md`, 'We painted the fence.\n']));
    const [best] = await scored(notes, 'What did we paint on May 4, 2026?');
    expect(best?.source.passage.sourcePath).toBe('2026-05-04.md');
  });

  it('are ordered by meaning, too, where there is an embedder', async () => {
    const notes = { 'a.md': 'A vulpine animal.\n\nThe red bird runs.' };
    const all = await scored(notes, 'red fox', { meanings: ['fox vulpine', 'red animal'] });
    expect(textsOf(all)).toEqual(['A vulpine animal.', 'The red bird runs.']);
  });

  it('count for the paragraph before them: what follows a question answers it', async () => {
    const note = 'Ana: What did you do at the harbour festival?\n\nBen: We danced until midnight.\n';
    expect(await picked({ 'a.md': note }, 'harbour festival')).toEqual(['Ben: We danced until midnight.']);
  });

  it('are no questions, greetings or links by themselves', async () => {
    const note = [
      'Is the harbour crane ready?',
      'Thanks!',
      'Wow, that sounds great, good luck with it!',
      '[Harbour crane](crane.md)',
      '- [[Harbour crane]]',
      'https://example.com/harbour-crane',
      'The crane lifts 40 tonnes.',
    ].join('\n\n');
    expect(await picked({ 'harbour.md': note }, 'harbour crane')).toEqual(['The crane lifts 40 tonnes.']);
  });

  it('leave out a word that only stands under the right heading', async () => {
    const note = '# Database options\n\n- PostgreSQL\n- MySQL\n- The team knows PostgreSQL.\n';
    const all = await scored({ 'a.md': note }, 'which database options');
    expect(textsOf(all)).toEqual(['The team knows PostgreSQL.']);
  });

  it('do not make a label the answer: it belongs to what it stands before', async () => {
    const note = '# Our own index\n\n**Context.** Libraries build it slowly.\n\n**Decision:** we write it.\n';
    const all = await scored({ 'a.md': note }, 'why is the index our own');
    expect(textsOf(all).sort()).toEqual(['Context. Libraries build it slowly.', 'Decision: we write it.']);
  });

  it('come first where the words were asked right before', async () => {
    const notes = {
      'a.md': '# A\n\nAna: The pottery was lovely.\n\nBen: I went home.\n\nAna: Good for you, Ben.\n',
      'b.md': '# B\n\nAna: Where is the pottery class?\n\nBen: In the old mill.\n\nAna: I may come along.\n',
    };
    const [first] = (await scored(notes, 'Where is the pottery class of Ben?')).filter((one) => one.isAbout);
    expect(first).toMatchObject({ text: 'Ben: In the old mill.', headed: 0, replied: 1 });
  });

  it('count what stands in the heading', async () => {
    const all = await scored(
      { 'a.md': '# Fox\n\nIt is red.\n', 'b.md': '# Whale\n\nIt is blue.\n' },
      'fox whale red',
    );
    expect(textsOf(all)).toEqual(['It is red.', 'It is blue.']);
    expect(all[1]?.coverage).toBeGreaterThan(0);
  });
});

it.each([
  [{ coverage: 0.5 }, true],
  [{ coverage: 0.49 }, false],
  [{ coverage: 0, cosine: 0.5 }, true],
  [{ coverage: 0.49, cosine: 0.49 }, false],
  [{ coverage: 0.6, cosine: 0.3 }, true],
])('evidence such as %j is enough: %s', (evidence, is) => {
  expect(isEnough([{ coverage: 0.1 }, evidence])).toBe(is);
});

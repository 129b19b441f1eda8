import { describe, expect, it } from 'vitest';
import { isEnough } from '../../../src/brain/answer/evidence.ts';
import { pickSentences, type ScoredSentence, scoreSentences } from '../../../src/brain/answer/extractive.ts';
import { contentWords } from '../../../src/notes/text/analyzer.ts';
import { libraryOf, type SmallLibraryOptions } from '../../kit/brain.ts';

async function scored(notes: Record<string, string>, question: string, options: SmallLibraryOptions = {}) {
  const { retriever } = libraryOf(notes, options);
  const { passages } = await retriever.retrieve({ query: question, limit: 20, mode: 'hybrid', scope: {} });
  return scoreSentences(question, passages, retriever.similarity);
}

async function sentence(path: string, text: string, score: number): Promise<ScoredSentence> {
  const [one] = await scored({ [path]: text }, text);
  if (!one) throw new Error('no sentence');
  return { ...one, score, words: new Set(contentWords(text)) };
}

describe('what is picked', () => {
  it('has at least 0.30', async () => {
    const all = [await sentence('a.md', 'Red fox', 0.3), await sentence('b.md', 'Blue whale', 0.29)];
    expect(pickSentences(all).map(({ text }) => text)).toEqual(['Red fox']);
  });

  it('is no more than six', async () => {
    const words = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'];
    const all = await Promise.all(words.map((word) => sentence('a.md', `Word ${word}`, 0.9)));
    expect(pickSentences(all)).toHaveLength(6);
  });

  it('is rather something new than the same again', async () => {
    const fox = (tail: string, score: number) =>
      sentence('a.md', `The red fox jumps over dogs ${tail}`, score);
    const same = await Promise.all(
      ['early', 'late', 'often', 'daily', 'soon', 'twice', 'alone'].map((tail) => fox(tail, 0.6)),
    );
    const other = await sentence('b.md', 'Whales sing', 0.5);
    expect(pickSentences([...same, other]).map(({ text }) => text)).toContain('Whales sing');
  });

  it('does not say the same twice', async () => {
    const all = [await sentence('a.md', 'Red fox', 1), await sentence('b.md', 'The red foxes', 1)];
    expect(pickSentences(all)).toHaveLength(1);
  });

  it('comes in the order of its sources, the best note first', async () => {
    const all = [
      await sentence('a.md', 'Alpha', 0.5),
      await sentence('b.md', 'Beta', 1),
      { ...(await sentence('b.md', 'Gamma', 0.4)), span: { start: 50, end: 55 } },
    ];
    expect(pickSentences(all).map(({ text }) => text)).toEqual(['Beta', 'Gamma', 'Alpha']);
  });
});

describe('scores', () => {
  it('go from 0 to 1, by words alone without an embedder', async () => {
    const all = await scored({ 'a.md': 'The red fox runs. The fox sleeps. Nothing here.' }, 'red fox');
    expect(all.map(({ text }) => text)).toEqual(['The red fox runs.', 'The fox sleeps.']);
    expect(all[0]?.score).toBe(1);
  });

  it('are six parts meaning and four parts words with one', async () => {
    const notes = { 'a.md': 'The red fox runs. A vulpine animal.' };
    const all = await scored(notes, 'red fox', { meanings: ['fox vulpine', 'red animal'] });
    expect(Object.fromEntries(all.map(({ text, score }) => [text, Math.round(score * 100) / 100]))).toEqual({
      // The nearest in meaning has none of the words; the other has them all, and one more.
      'A vulpine animal.': 0.6,
      'The red fox runs.': Math.round((0.4 + 0.6 * ((2 / Math.sqrt(6) - 0.2) / 0.8)) * 100) / 100,
    });
  });

  it('leave out what has neither the words nor the meaning', async () => {
    const notes = { 'a.md': 'The red fox runs. Whales sing at night in the deep sea.' };
    const all = await scored(notes, 'red fox', { meanings: ['fox vulpine'] });
    expect(all.map(({ text }) => text)).toEqual(['The red fox runs.']);
  });

  it('leave out a word that only stands under the right heading', async () => {
    const note = '# Database options\n\n- PostgreSQL\n- MySQL\n- The team knows PostgreSQL.\n';
    const all = await scored({ 'a.md': note }, 'which database options');
    expect(all.map(({ text }) => text)).toEqual(['The team knows PostgreSQL.']);
  });

  it('do not make a label the answer: it belongs to what it stands before', async () => {
    const note = '# Our own index\n\n**Context.** Libraries build it slowly.\n\n**Decision:** we write it.\n';
    const all = await scored({ 'a.md': note }, 'why is the index our own');
    expect(all.map(({ text }) => text).sort()).toEqual([
      'Context. Libraries build it slowly.',
      'Decision: we write it.',
    ]);
  });

  it('count what stands in the heading', async () => {
    const all = await scored(
      { 'a.md': '# Fox\n\nIt is red.\n', 'b.md': '# Whale\n\nIt is blue.\n' },
      'fox whale red',
    );
    expect(all.map(({ text }) => text)).toEqual(['It is red.', 'It is blue.']);
    expect(all[1]?.score).toBeGreaterThan(0);
  });
});

it.each([
  [{ coverage: 0.6 }, true],
  [{ coverage: 0.59 }, false],
  [{ coverage: 0, cosine: 0.5 }, true],
  [{ coverage: 0.5, cosine: 0.49 }, false],
  [{ coverage: 0.6, cosine: 0.3 }, true],
])('evidence such as %j is enough: %s', (evidence, is) => {
  expect(isEnough([{ coverage: 0.1 }, evidence])).toBe(is);
});

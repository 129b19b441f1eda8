/** A sentence of an answer comes with the one after it, where that one has what was asked for. */
import { describe, expect, it } from 'vitest';
import { answerTo } from './kit.ts';

const COMPLETED = [
  [
    'the date that is asked for',
    'When is the next car inspection?',
    'Car inspection passed. Next one in November 2028.',
  ],
  [
    'the reason that is asked for',
    'Why do we use Postgres?',
    'Decision: we use Postgres. Reason: auditors asked for it.',
  ],
  [
    'words of the question',
    'What is my personal best in the half marathon?',
    'Half marathon in Lyon. Personal best is 1:52:30.',
  ],
  [
    'the number that is asked for',
    'How much does the bike service cost?',
    'Bike service done. Paid 85 euros.',
  ],
] as const;

describe('the next sentence of the paragraph', () => {
  it.each(COMPLETED)('is told where it has %s', async (_, question, note) => {
    const { answer, citations } = await answerTo(question, `${note}\n`);
    expect(answer).toBe(`${note} [1]`);
    expect(citations.map(({ textSpan }) => textSpan)).toEqual([note]);
  });

  it.each([
    ['has nothing more', 'When did the boiler break?', 'The boiler broke on 3 May.', 'It was cold.'],
    ['asks', 'When did the boiler in the hall break?', 'The boiler broke on 3 May.', 'Is the hall cold?'],
    [
      'is about others',
      'What do the Webers keep in the shed?',
      'The Webers keep rabbits.',
      'Nino Adamo has a shed.',
    ],
    [
      'makes it too long',
      'Why do we use Postgres?',
      'Decision: we use Postgres for our data.',
      `Reason: ${'auditors asked for it again and '.repeat(9)}we gave in.`,
    ],
  ])('is left out where it %s', async (_, question, first, second) => {
    const { answer } = await answerTo(question, `${first} ${second}\n`);
    expect(answer).toBe(`${first} [1]`);
  });

  it('has a citation of its own where one quote cannot show both', async () => {
    const first = `Decision: we use Postgres ${'and nothing else '.repeat(6)}for our data.`;
    const second = `Reason: ${'auditors asked for it '.repeat(4)}and we gave in.`;
    const { answer, citations } = await answerTo('Why do we use Postgres?', `${first} ${second}\n`);
    expect(answer).toBe(`${first} ${second} [1][2]`);
    expect(citations.map(({ textSpan }) => textSpan)).toEqual([first, second]);
  });

  it('is no answer when it is the one of others', async () => {
    const { answer } = await answerTo(
      'How many dogs do the Schmidts keep?',
      'The Schmidts keep dogs. The Webers keep two.\n',
    );
    expect(answer).toBe('');
  });
});

import { expect, test } from 'vitest';
import { guessLanguages, LANGUAGE_WORDS } from './languages.ts';

const holders = (use: Record<string, number>) => LANGUAGE_WORDS.map((word) => use[word] ?? 0);

test('two of three words of a language are enough, one is not', async () => {
  const titles = Array.from({ length: 100 }, (_, at) => `note ${at}`);
  const use = holders({ the: 70, and: 60, with: 20, und: 30, nicht: 25, che: 40 });
  expect(await guessLanguages(use, titles)).toEqual([
    { language: 'en', notes: 60 },
    { language: 'de', notes: 25 },
  ]);
});

test('scripts tell what words do not', async () => {
  expect(await guessLanguages(holders({}), ['日本語のノート', '会议', '会议二', 'x'])).toEqual([
    { language: 'zh', notes: 2 },
    { language: 'ja', notes: 1 },
  ]);
  expect(await guessLanguages(holders({}), [])).toEqual([]);
});

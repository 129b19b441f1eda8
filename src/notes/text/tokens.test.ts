import { expect, test } from 'vitest';
import { termOf } from './stems.ts';
import { forEachTerm, termsOf } from './tokens.ts';

test.each([
  ['plain words', ['plain', 'words']],
  ['東京の人口', ['東京', '京の', 'の人', '人口']],
  ['京 a', ['京', 'a']],
  ['版本2 発売', ['版本', '2', '発売']],
  ['한국은 수도', ['한국', '국은', '수도']],
  ['수', ['수']],
  ['→ 🚀', ['→', '🚀']],
])('the terms of %s', (text, terms) => {
  expect(termsOf(text)).toEqual(terms);
});

test('a text has its characters and words besides the pairs, so that each can be found', () => {
  const found: string[] = [];
  const text = '한국은 東京';
  forEachTerm(text, (start, end) => found.push(text.slice(start, end)));
  expect(found).toEqual(['한국은', '한국', '국은', '東', '京', '東京']);
});

test('very long texts without spaces take linear time', () => {
  expect(termsOf('東京'.repeat(200_000))).toHaveLength(399_999);
});

test.each([
  ['trabajadores', 'trabajador'],
  ['университета', 'университете'],
  ['wrote', 'writing'],
  ['decisions', 'decide'],
])('%s and %s share a term', (one, other) => {
  expect(termOf(one)).toBe(termOf(other));
});

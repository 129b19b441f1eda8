import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pageNameProblem, suggestPageName } from './page-path.ts';

test.each([
  'index',
  'projects/plan',
  'Release 1-2',
  'v1.2 notes',
  'Dr. Who',
  'Ends in dot.',
  'é 日本 😀',
  'a:b',
  'a & b, c; d',
  'one [bracket]',
  '100% of it?',
  "it's",
])('%j is lawful', (name) => {
  expect(pageNameProblem(name)).toBeUndefined();
  expect(suggestPageName(name)).toBe(name);
});

test.each([
  ['Release 1.2', 'ends in ".2"', 'Release 1-2'],
  ['v1.2.3', 'ends in ".3"', 'v1-2-3'],
  ['notes.txt', 'ends in ".txt"', 'notes-txt'],
  ['a/Release 1.2', 'ends in ".2"', 'a/Release 1-2'],
  ['^meta', 'starts with "^"', 'meta'],
  ['.hidden', 'starts with "."', 'hidden'],
  ['me@home', 'holds "@"', 'me-home'],
  ['C#', 'holds "#"', 'C'],
  ['a|b', 'holds "|"', 'a-b'],
  ['<tag>', 'holds "<"', 'tag'],
  ['$x', 'holds "$"', 'x'],
  ['[[link]]', 'holds "[["', 'link'],
  ['link]]', 'holds "]]"', 'link'],
  ['a//b', 'empty part', 'a/b'],
  ['a/@/b', 'holds "@"', 'a/b'],
  ['###', 'holds "#"', undefined],
])('%j %s; %j is suggested', (name, problem, suggestion) => {
  expect(pageNameProblem(name)).toContain(problem);
  expect(suggestPageName(name)).toBe(suggestion);
});

test('whatever is suggested is lawful', () => {
  const names = fc.array(fc.constantFrom(...'ab.1@#|<>$[]/^- é'.split('')), { maxLength: 12 });
  fc.assert(
    fc.property(names, (letters) => {
      const suggestion = suggestPageName(letters.join(''));
      if (suggestion !== undefined) expect(pageNameProblem(suggestion)).toBeUndefined();
    }),
  );
});

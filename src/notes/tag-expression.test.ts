import { expect, test } from 'vitest';
import { parseTagExpression } from './tag-expression.ts';

const matches = (expression: string, ...keys: string[]) => parseTagExpression(expression)(keys);

test('NOT binds more closely than AND, and AND more than OR', () => {
  expect(matches('a AND NOT b', 'a')).toBe(true);
  expect(matches('a AND NOT b', 'a', 'b')).toBe(false);
  expect(matches('a OR b AND c', 'a')).toBe(true);
  expect(matches('(a OR b) AND c', 'a')).toBe(false);
  expect(matches('not (a or b)', 'c')).toBe(true);
  expect(matches('NOT NOT #A', 'a')).toBe(true);
});

test('a tag matches those nested below it, and no others that begin alike', () => {
  expect(matches('project', 'project/home')).toBe(true);
  expect(matches('project', 'projects')).toBe(false);
  expect(matches('project/home', 'project')).toBe(false);
});

test.each([
  ['', 'expression: lacks a tag, at its end'],
  ['a AND', 'expression: lacks a tag, at its end'],
  ['a b', 'expression: has "b" where AND or OR should be, at position 3'],
  ['(a OR b', 'expression: lacks ")", at its end'],
  ['a) OR b', 'expression: has ")" where AND or OR should be, at position 2'],
  ['AND a', 'expression: lacks a tag, at position 1'],
  ['a AND x,y', 'expression: has a tag that holds ","'],
  [`${'('.repeat(60)}a`, 'expression: is nested more than 50 deep, at position 52'],
  [`${'not '.repeat(9_000)}a`, 'expression: is nested more than 50 deep'],
])('%s is refused with the place of the mistake', (expression, message) => {
  expect(() => parseTagExpression(expression)).toThrow(message);
});

import { expect, test } from 'vitest';
import { fencedBlockEnd } from '../insert-block.ts';

/** The text before the bar is the block. */
test.each([
  ['---\ntags: x\n---\n|# T\n'],
  ['---\na: 1\n---|'],
  ['---\na: 1\n---\n|'],
  ['\uFEFF---\na: 1\n---\n|text'],
  ['---\r\na: 1\r\n---\r\n|text'],
  ['---\r\na: 1\r\n---|'],
  ['---\nnot a mapping\n---\n|text'],
  ['---\n\n---\n|'],
  ['---\na: |\n  ---x\n  --- \n---\n|text'.replace('a: |', 'a: >')],
])('%j', (marked) => {
  const end = marked.lastIndexOf('|');
  expect(fencedBlockEnd(marked.replace('|', ''))).toBe(end);
});

test.each([
  '',
  '# T\n',
  '---',
  '---\n',
  '---\n---\n',
  '---\n---',
  '---\na: 1\n',
  '---\na: 1\n --- \n',
  '---\na: 1\n----\n',
  '---js\na: 1\n---\n',
  '--- \na: 1\n---\n',
  '\n---\na: 1\n---\n',
])('%j has none', (text) => {
  expect(fencedBlockEnd(text)).toBeUndefined();
});

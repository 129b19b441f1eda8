import { expect, test } from 'vitest';
import { headingOver, outlineOf, titleOf } from './outline.ts';

const TEXT = `---
# not: a heading
---
above
# One ##
text
\`\`\`
# code
\`\`\`
still one
## Two\r
end`;

test.each([
  [1, undefined],
  [4, undefined],
  [5, 'One'],
  [6, 'One'],
  [10, 'One'],
  [11, 'Two'],
  [12, 'Two'],
  [99, 'Two'],
])('line %i stands under %j', (line, heading) => {
  const before = TEXT.split('\n').slice(0, line - 1);
  expect(headingOver(TEXT, before.join('\n').length + (line > 1 ? 1 : 0))).toBe(heading);
});

test.each([
  ['text\n\n# Plan\n\n# Other\n', 'Plan'],
  ['#\n\n# Plan\n', 'Plan'],
  // As in notes of which the name is the title, and headings are parts.
  ['## Books\n\n# Clippings\n', 'Kevin'],
  ['text\n', 'Kevin'],
  ['text\n\nPlan\n====\n\n# Other\n', 'Plan'],
  ['---\na: 1\n---\nThe *whole*\r\n  plan\r\n  =\r\n', 'The *whole* plan'],
  ['# Plan\n\nOther\n=====\n', 'Plan'],
  ['Books\n-----\n\n# Plan\n', 'Plan'],
  ['```\nPlan\n====\n```\n', 'Kevin'],
  ['- Plan\n  ====\n\n> Plan\n> ====\n\n====\n', 'Kevin'],
])('%j is called %s', (text, title) => {
  expect(titleOf('people/Kevin.md', {}, outlineOf(text))).toBe(title);
});

import { expect, test } from 'vitest';
import { headingOver } from './outline.ts';

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

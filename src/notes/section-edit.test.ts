import { describe, expect, test } from 'vitest';
import { blocksOf, findSection, pathOf, sectionsOf } from './markdown/sections.ts';
import { editSection, insertAtBlock } from './section-edit.ts';

const NOTE = `---
title: "# no heading"
---
Intro

# Plan

text

## Goals

- one

### Far

far

## Log

Under
lined
-----

\`\`\`
# in code
\`\`\`

# Plan ##

> # quoted
> Title
> ===
`;

test('sections with their paths: signed and underlined headings, none of code, quotes and frontmatter', () => {
  const sections = sectionsOf(NOTE);
  expect(sections.map((section) => [section.level, pathOf(section), section.line])).toEqual([
    [1, 'Plan', 6],
    [2, 'Plan > Goals', 10],
    [3, 'Plan > Goals > Far', 14],
    [2, 'Plan > Log', 18],
    [2, 'Plan > Under lined', 20],
    [1, 'Plan', 28],
  ]);
  const [plan, goals] = sections;
  expect(NOTE.slice(plan!.bodyStart, plan!.ownEnd)).toBe('\ntext\n\n');
  expect(NOTE.slice(goals!.start, goals!.end)).toBe('## Goals\n\n- one\n\n### Far\n\nfar\n\n');
  expect(sections.at(-2)!.end).toBe(NOTE.indexOf('# Plan ##'));
});

test.each([
  ['Goals', 10],
  ['goals', 10],
  ['## Goals', 10],
  ['Plan > Goals', 10],
  ['Plan/Goals/Far', 14],
  ['Plan#Far', 14],
  ['#Plan#Goals#Far', 14],
  ['Under lined', 20],
  ['Goals > Plan', undefined],
  ['Nothing', undefined],
])('%j is the heading in line %j', (wanted, line) => {
  expect(findSection(sectionsOf(NOTE), wanted)?.line).toBe(line);
});

test('several of one name are named; a line tells them apart', () => {
  const sections = sectionsOf(NOTE);
  expect(() => findSection(sections, 'Plan')).toThrow('can mean 2 sections');
  expect(findSection(sections, 'Plan', 28)?.line).toBe(28);
  expect(() => findSection(sections, 'Plan', 3)).toThrow('can mean 2 sections');
  // The whole path comes before a part of one.
  expect(findSection(sectionsOf('# Log\n# A\n## Log\n'), 'Log')?.line).toBe(1);
});

describe('text goes to its place', () => {
  test.each([
    ['append', '# A\n\ntext\n\n# B\n', '# A\n\ntext\n\nnew\n\n# B\n'],
    ['prepend', '# A\n\ntext\n\n# B\n', '# A\n\nnew\n\ntext\n\n# B\n'],
    ['replace', '# A\n\ntext\n\n# B\n', '# A\n\nnew\n\n# B\n'],
    ['append', '# A\ntext\n# B\n', '# A\ntext\n\nnew\n# B\n'],
    ['append', '# A', '# A\nnew\n'],
    ['append', '# A\n', '# A\nnew\n'],
    ['append', '# A\n# B\n', '# A\nnew\n\n# B\n'],
    ['append', '# A\n\n\n# B\n', '# A\n\nnew\n\n# B\n'],
    ['append', '# A\n\ntext', '# A\n\ntext\n\nnew'],
    ['append', '# A\n\ntext\n\n## Sub\n\nsub\n', '# A\n\ntext\n\nnew\n\n## Sub\n\nsub\n'],
    ['replace', '# A\n\ntext\n\n## Sub\n\nsub\n\n# B\n', '# A\n\nnew\n\n# B\n'],
    ['append', 'A\n===\n\ntext\n', 'A\n===\n\ntext\n\nnew\n'],
    ['append', '# A\r\n\r\ntext\r\n\r\n# B\r\n', '# A\r\n\r\ntext\r\n\r\nnew\r\n\r\n# B\r\n'],
    ['append', '---\na: 1\n---\n# A\n\n```\n# B\n```\n', '---\na: 1\n---\n# A\n\n```\n# B\n```\n\nnew\n'],
  ] as const)('%s to %j', (mode, before, after) => {
    expect(editSection(before, { heading: 'A', mode, content: 'new\n' }).text).toBe(after);
  });

  test('an item joins the list; a heading goes behind those that are there', () => {
    const item = { heading: 'A', mode: 'append', content: '- two' } as const;
    expect(editSection('# A\n\n- one\n  - sub\n\n# B\n', item).text).toBe(
      '# A\n\n- one\n  - sub\n- two\n\n# B\n',
    );
    expect(editSection('# A\n- one\n', { ...item, mode: 'prepend' }).text).toBe('# A\n- two\n- one\n');
    const day = { heading: 'A', mode: 'append', content: '## Tue\n\nx' } as const;
    expect(editSection('# A\n\n## Mon\n\ny\n\n# B\n', day).text).toBe(
      '# A\n\n## Mon\n\ny\n\n## Tue\n\nx\n\n# B\n',
    );
  });

  test('a section is emptied', () => {
    const empty = { heading: 'A', mode: 'replace', content: '' } as const;
    expect(editSection('# A\n\ntext\n\n# B\n', empty).text).toBe('# A\n\n# B\n');
  });
});

describe('a missing heading', () => {
  const edit = { mode: 'append', content: 'new', create: true } as const;
  test.each([
    ['', 'Log', '## Log\n\nnew\n'],
    ['text', 'Log', 'text\n\n## Log\n\nnew\n'],
    ['# A\n\na\n\n# B\n', 'A > Log', '# A\n\na\n\n## Log\n\nnew\n\n# B\n'],
    ['# A\r\n', 'A > Log', '# A\r\n\r\n## Log\r\n\r\nnew\r\n'],
    ['# A\n', 'In/Out', '# A\n\n## In/Out\n\nnew\n'],
  ])('of %j: %s', (before, heading, after) => {
    expect(editSection(before, { ...edit, heading })).toMatchObject({ text: after, created: true });
  });

  test('is refused unless it is wanted, and when the one over it is missing too', () => {
    expect(() => editSection('# A\n', { ...edit, heading: 'B', create: false })).toThrow('No such heading');
    expect(() => editSection('# A\n', { ...edit, heading: 'C > B' })).toThrow('No such heading');
    expect(() => editSection('# A\n', { ...edit, heading: 'A > B', level: 1 })).toThrow('level');
    expect(editSection('# A\n', { ...edit, heading: 'B', level: 4 }).text).toContain('\n#### B\n');
  });
});

const BLOCKS = `# A

First line
second line ^para

- item ^item
  - sub
- next

\`\`\`
code ^no

more
\`\`\`

^code
`;

test('blocks with ids are paragraphs, items with all below them, and what stands over an id alone', () => {
  const shown = blocksOf(BLOCKS).map(({ id, start, end }) => [id, BLOCKS.slice(start, end)]);
  expect(shown).toEqual([
    ['para', 'First line\nsecond line ^para\n'],
    ['item', '- item ^item\n  - sub\n'],
    ['code', '```\ncode ^no\n\nmore\n```\n\n^code\n'],
  ]);
});

test.each([
  ['para', 'before', 'new\n\nFirst line'],
  ['^para', 'after', '^para\n\nnew\n\n- item'],
  ['item', 'after', '  - sub\n\nnew\n\n- next'],
  ['code', 'before', '- next\n\nnew\n\n```\ncode'],
] as const)('text at the block %s, %s', (block, side, expected) => {
  expect(insertAtBlock(BLOCKS, { block, side, content: 'new' })).toContain(expected);
});

test('an item at a block of a list joins it', () => {
  const list = '- a\n  - b ^b\n  - c\n';
  expect(insertAtBlock(list, { block: 'b', side: 'after', content: '- new' })).toBe(
    '- a\n  - b ^b\n  - new\n  - c\n',
  );
  expect(() => insertAtBlock(list, { block: 'x', side: 'after', content: 'y' })).toThrow('No such block');
  expect(() => insertAtBlock('a ^x\n\nb ^x\n', { block: 'x', side: 'after', content: 'y' })).toThrow(
    '2 blocks',
  );
});

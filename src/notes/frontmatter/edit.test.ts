import { describe, expect, it } from 'vitest';
import { mergeFrontmatter, setFrontmatter } from './edit.ts';
import { parseFrontmatter } from './parse.ts';

const PEERS_NOTE = `---
# what the peers destroy
title: "Quoted: title"   # keep the column
status: draft            # one of draft, done
time: 12:30
version: 1.10
last: 007
created: 2026-01-02
on: yes
empty:
tags:   [ a,  b ]
list:
- one   # first

- two
text: >
  folded text
  goes on

  and on
defaults: &base
  size: 1
copy: *base
---

# Body

time: 12:30
`;

describe('setFrontmatter changes one key and no other byte', () => {
  const forms = {
    LF: PEERS_NOTE,
    CRLF: PEERS_NOTE.replaceAll('\n', '\r\n'),
    BOM: `\uFEFF${PEERS_NOTE}`,
  };
  for (const [name, note] of Object.entries(forms))
    it(`sets status in the note of the peers table (${name})`, async () => {
      const result = await setFrontmatter(note, { status: 'done' });
      expect(result).toBe(note.replace('status: draft', 'status: done'));
    });

  it('beside a variable of a template', async () => {
    const text = '---\ncreated: {{date}}\r\nrating: 1 # low\n---\n';
    expect(await setFrontmatter(text, { rating: 2 })).toBe(text.replace('1', '2'));
    expect(await setFrontmatter(text, { created: '2026-01-02' })).toBe(
      text.replace('{{date}}', '"2026-01-02"'),
    );
  });

  it('does not touch a key that already has the value', async () => {
    const same = { last: 7, version: 1.1, created: '2026-01-02', on: 'yes', empty: null, tags: ['a', 'b'] };
    expect(await setFrontmatter(PEERS_NOTE, same)).toBe(PEERS_NOTE);
  });

  const cases: [string, string, Record<string, unknown>, string][] = [
    ['keeps double quotes', 'a: "x"\n', { a: 'y' }, 'a: "y"\n'],
    ['keeps single quotes', "a: 'x' # c\n", { a: "it's" }, "a: 'it''s' # c\n"],
    ['leaves single quotes for a string they cannot hold', "a: 'x'\n", { a: 'a\tb' }, 'a: "a\\tb"\n'],
    ['drops quotes for a number', 'a: "1"\n', { a: 2 }, 'a: 2\n'],
    ['quotes a string that reads as a number', 'a: x\n', { a: '007' }, 'a: "007"\n'],
    ['quotes a string that reads as null', 'a: x\n', { a: 'null' }, 'a: "null"\n'],
    ['writes a date plain', 'a: x\n', { a: '2024-01-15' }, 'a: 2024-01-15\n'],
    ['writes commas plain', 'a: x\n', { a: 'Hello, world' }, 'a: Hello, world\n'],
    ['quotes a wiki link', 'a: x\n', { a: '[[Note]]' }, 'a: "[[Note]]"\n'],
    ['fills an empty value', 'a:\nb: 1\n', { a: 'x' }, 'a: x\nb: 1\n'],
    ['fills an empty value before a comment', 'a:   # c\n', { a: 'x' }, 'a: x   # c\n'],
    ['fills an empty value after blanks', 'a:  \nb: 1\n', { a: ['x'] }, 'a:\n  - x\nb: 1\n'],
    ['keeps blanks before the value', 'a:     x\n', { a: 'y' }, 'a:     y\n'],
    ['keeps a value on the next line', 'a:\n  x # c\n', { a: 'y' }, 'a:\n  y # c\n'],
    ['adds a key last', 'a: 1\n# end\n', { b: 2 }, 'a: 1\n# end\nb: 2\n'],
    ['adds keys in the order given', '', { b: 2, a: [] }, 'b: 2\na: []\n'],
    ['adds a key at the indentation of the others', '  a: 1\n', { b: { c: 1 } }, '  a: 1\n  b:\n    c: 1\n'],
    ['quotes keys that need it', 'a: 1\n', { 'x: y': 1, yes: 2 }, 'a: 1\n"x: y": 1\n"yes": 2\n'],
    [
      'writes text of several lines as a literal',
      'a: x # c\n',
      { a: 'l1\n\nl2' },
      'a: |- # c\n  l1\n\n  l2\n',
    ],
    ['ends a literal with a break', 'a: x\n', { a: 'l1\nl2\n' }, 'a: |\n  l1\n  l2\n'],
    ['replaces a literal by a line', 'a: | # c\n  l1\n  l2\n\nb: 1\n', { a: 'x' }, 'a: x # c\n\nb: 1\n'],
    ['replaces a multi-line plain value', 'a: one\n  two # c\nb: 1\n', { a: 'x' }, 'a: x # c\nb: 1\n'],
    ['replaces a list by a line', 'a: # c\n  - 1\n  - 2 # d\nb: 1\n', { a: 'x' }, 'a: x # c\nb: 1\n'],
    ['replaces a line by a list', 'a: "x"  # c\nb: 1\n', { a: ['y', 2] }, 'a:  # c\n  - y\n  - 2\nb: 1\n'],
    ['indents a new list as the others are', 'l:\n- 1\na: x\n', { a: ['y'] }, 'l:\n- 1\na:\n- y\n'],
    ['empties a list', 'a:\n  - 1\nb: 1\n', { a: [] }, 'a: []\nb: 1\n'],
    ['keeps a flow list', 'a: [1, 2] # c\n', { a: ['x', 'y, z'] }, 'a: [x, "y, z"] # c\n'],
    ['fills an empty flow list', 'a: []\n', { a: ['x'] }, 'a: [x]\n'],
    ['appends to a flow list', 'a: [ x,y ]\n', { a: ['x', 'y', 'z'] }, 'a: [ x,y,z ]\n'],
    ['appends before a trailing comma', 'a: ["x", "y",]\n', { a: ['x', 'y', 'z'] }, 'a: ["x", "y", "z",]\n'],
    ['removes from a flow list', 'a: [x,  y,  z]\n', { a: ['x', 'z'] }, 'a: [x,  z]\n'],
    ['removes from the end of a flow list', 'a: [x,  y,  z ]\n', { a: ['x'] }, 'a: [x ]\n'],
    [
      'appends to a flow list over several lines',
      'a: [\n    x, # one\n    y\n  ]\n',
      { a: ['x', 'y', 'z'] },
      'a: [\n    x, # one\n    y, z\n  ]\n',
    ],
    [
      'appends to a block list',
      'a:\n   -  x # c\n   # mid\n   -  y\n\n# b\nb: 1\n',
      { a: ['x', 'y', { k: [1] }] },
      'a:\n   -  x # c\n   # mid\n   -  y\n   -  k:\n        - 1\n\n# b\nb: 1\n',
    ],
    ['appends to a list at column 0', 'a:\n- "x"\nb: 1\n', { a: ['x', 'y'] }, 'a:\n- "x"\n- "y"\nb: 1\n'],
    [
      'removes from a block list',
      'a:\n  - x # c\n  # about y\n  - y\n  - z\n',
      { a: ['x', 'z'] },
      'a:\n  - x # c\n  # about y\n  - z\n',
    ],
    [
      'rewrites a list it cannot splice at the same indentation',
      'a:\n    - x\n    - y\nb: 1\n',
      { a: ['new'] },
      'a:\n    - new\nb: 1\n',
    ],
    [
      'edits a nested mapping key by key',
      'a:\n   x: 1 # one\n   # two\n   y: 2\nb: 1\n',
      { a: { x: 1, y: 3, z: 4 } },
      'a:\n   x: 1 # one\n   # two\n   y: 3\n   z: 4\nb: 1\n',
    ],
    ['replaces a tagged value', 'a: !!str 12\n', { a: 13 }, 'a: 13\n'],
    ['replaces an unused anchor', 'a: &x 1\n', { a: 2 }, 'a: 2\n'],
    ['replaces an alias', 'a: &x 1\nb: *x\n', { b: 2 }, 'a: &x 1\nb: 2\n'],
    ['rewrites an explicit key', '? a\n: - 1\nb: 1\n', { a: [2] }, 'a:\n  - 2\nb: 1\n'],
    [
      'edits a flow mapping',
      '{a: 1, b: [x]}\n',
      { a: 2, b: ['x', 'y'], c: 'z' },
      '{a: 2, b: [x, y], c: z}\n',
    ],
    ['fills a bare key of a flow mapping', '{a, "b": }\n', { a: 1, b: 2 }, '{a: 1, "b": 2 }\n'],
    [
      'does not let a literal swallow an indented comment',
      'a:\n  - 1\n  # - 2\nb: 1\n',
      { a: 'x\ny' },
      'a: "x\\ny"\n  # - 2\nb: 1\n',
    ],
    ['keeps block scalars that follow', 'a: 1\nb: |+\n  x\n\n', { a: 2, c: 3 }, 'a: 2\nb: |+\n  x\n\nc: 3\n'],
  ];
  for (const [name, before, changes, after] of cases)
    it(name, async () => {
      const wrap = (yaml: string): string => `---\n${yaml}---\nbody\n`;
      const crlf = (text: string): string => text.replaceAll('\n', '\r\n');
      expect(await setFrontmatter(wrap(before), changes)).toBe(wrap(after));
      expect(await setFrontmatter(crlf(wrap(before)), changes)).toBe(crlf(wrap(after)));
      expect((await parseFrontmatter(wrap(after))).data).toMatchObject(changes);
    });
});

describe('setFrontmatter with replace', () => {
  const cases: [string, string, Record<string, unknown>, string][] = [
    ['removes keys that are not named', 'a: 1\nb:\n  - x\n  - y\nc:  "3" # c\n', { c: '3' }, 'c:  "3" # c\n'],
    [
      'takes the comment above a removed key',
      'a: 1\n\n# about b\nb: 2\nc: 3\n',
      { a: 1, c: 3 },
      'a: 1\n\nc: 3\n',
    ],
    ['keeps the comment above the first key', '# note\na: 1\nb: 2\n', { b: 2 }, '# note\nb: 2\n'],
    [
      'does not take text of a block scalar for a comment',
      'a: |\n  x\n  # y\nb: 1\n',
      { a: 'x\n# y\n' },
      'a: |\n  x\n  # y\n',
    ],
    ['removes, changes and adds at once', 'a: 1\nb: 2\n', { b: 3, c: 4 }, 'b: 3\nc: 4\n'],
    ['replaces every key', 'a: 1\n', { b: 2 }, 'b: 2\n'],
    ['removes from a flow mapping', '{a: 1, b: 2, c: 3}\n', { b: 2 }, '{b: 2}\n'],
    ['replaces every key of a flow mapping', '{a: 1}\n', { b: [2] }, '{b: [2]}\n'],
    ['removes an alias and its anchor together', 'a: &x 1\nb: *x\nc: 1\n', { c: 1 }, 'c: 1\n'],
  ];
  for (const [name, before, data, after] of cases)
    it(name, async () => {
      expect(await setFrontmatter(`---\n${before}---\nbody`, data, { replace: true })).toBe(
        `---\n${after}---\nbody`,
      );
    });

  it('drops the block when no key is left', async () => {
    expect(await setFrontmatter('\uFEFF---\r\na: 1\r\n---\r\nbody', {}, { replace: true })).toBe(
      '\uFEFFbody',
    );
    expect(await setFrontmatter('---\n---\n', {}, { replace: true })).toBe('');
    expect(await setFrontmatter('body', {}, { replace: true })).toBe('body');
  });

  it('keeps an empty block before a body that looks like frontmatter', async () => {
    const note = '---\na: 1\n---\n---\nb: 2\n---\n';
    expect(await setFrontmatter(note, {}, { replace: true })).toBe('---\n---\n---\nb: 2\n---\n');
  });
});

describe('setFrontmatter without a block', () => {
  it('puts one at the start, with the line ending of the note', async () => {
    expect(await setFrontmatter('body\n', { a: 1 })).toBe('---\na: 1\n---\nbody\n');
    expect(await setFrontmatter('\uFEFFbody\r\n', { a: [1] })).toBe(
      '\uFEFF---\r\na:\r\n  - 1\r\n---\r\nbody\r\n',
    );
    expect(await setFrontmatter('', { a: 1 })).toBe('---\na: 1\n---\n');
  });

  it('leaves a note that opens with a rule whole', async () => {
    for (const note of ['---\n\nSome prose\n\n---\nmore', '---\nnever closed: x\n', '---js\na: 1\n---\n'])
      expect(await setFrontmatter(note, { a: 1 })).toBe(`---\na: 1\n---\n${note}`);
  });

  it('does nothing for no changes', async () => {
    expect(await setFrontmatter('---\na: [\n---\n', {})).toBe('---\na: [\n---\n');
  });
});

describe('setFrontmatter refuses', () => {
  const broken: [string, RegExp][] = [
    ['---\na: 1\nb: [1, 2\n---\n', /^Invalid frontmatter: .+, line \d/],
    ['---\na: 1\nb: *nowhere\n---\n', /^Invalid frontmatter: The alias \*nowhere .*, line 3$/],
    ['---\na: 1\na: 2\n---\n', /^Invalid frontmatter: The key "a" is there twice, line 3$/],
    ['---\na: b: c\n---\n', /line 2$/],
    ['---\ntags\n  - a\ntitle: x\n---\n', /^Invalid frontmatter: /],
  ];
  for (const [note, message] of broken)
    it(`to edit ${JSON.stringify(note)}`, async () => {
      await expect(setFrontmatter(note, { x: 1 })).rejects.toThrow(message);
      await expect(setFrontmatter(note, { x: 1 })).rejects.toMatchObject({ code: 'invalid_input' });
    });

  it('to change a value that other keys share through an anchor', async () => {
    const note = '---\na: &x [1]\nb: *x\n---\n';
    for (const value of [2, [1, 2], [3], 'x'])
      await expect(setFrontmatter(note, { a: value })).rejects.toThrow(/Invalid frontmatter: .*anchor/);
    await expect(setFrontmatter(note, { b: [1] }, { replace: true })).rejects.toThrow(/anchor/);
  });

  it('an edit after which another key would read differently', async () => {
    const note = '---\na: |+\n  x\nb: 1\n\nc: 2\n---\n';
    await expect(setFrontmatter(note, { a: 'x\n', c: 2 }, { replace: true })).rejects.toMatchObject({
      code: 'unsupported',
    });
  });

  it('values that are not JSON', async () => {
    await expect(setFrontmatter('', { a: new Date() })).rejects.toThrow(/^Invalid frontmatter: a must be/);
  });
});

describe('mergeFrontmatter', () => {
  it('lets new values win and unites lists', async () => {
    const note = '---\ntags: [a, b] # t\nstatus: draft\nn:\n  - k: 1\n---\nbody';
    const merged = await mergeFrontmatter(note, {
      tags: ['b', 'c', 'c'],
      status: 'done',
      n: [{ k: 1 }],
      x: 1,
    });
    expect(merged).toBe('---\ntags: [a, b, c] # t\nstatus: done\nn:\n  - k: 1\nx: 1\n---\nbody');
  });

  it('adds a block to a note without one', async () => {
    expect(await mergeFrontmatter('body', { tags: ['a'] })).toBe('---\ntags:\n  - a\n---\nbody');
  });
});

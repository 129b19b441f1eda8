import { describe, expect, it } from 'vitest';
import { editListKey, readListKey } from './lists.ts';

const wrap = (yaml: string): string => `---\n${yaml}---\nbody\n`;
const is = (word: string) => (item: string) => item === word;

describe('readListKey', () => {
  const forms: [unknown, string[]][] = [
    [
      ['a', 2024, true, null, '', { k: 1 }],
      ['a', '2024', 'true'],
    ],
    ['a, b ,,c', ['a', 'b', 'c']],
    ['one word', ['one word']],
    [7, ['7']],
    [null, []],
    [undefined, []],
    [{ k: 1 }, []],
  ];
  for (const [value, items] of forms)
    it(`reads ${JSON.stringify(value)}`, () => {
      expect(readListKey({ tags: value }, 'tags')).toEqual(items);
    });

  it('does not read inherited names', () => {
    expect(readListKey({}, 'constructor')).toEqual([]);
  });
});

describe('editListKey', () => {
  const cases: [string, string, Parameters<typeof editListKey>[2], string][] = [
    ['adds to a block list', 'tags:\n- a # c\n- 2024\n', { add: ['b'] }, 'tags:\n- a # c\n- 2024\n- b\n'],
    ['adds to a flow list', 'tags: [a, "b"]\n', { add: ['c'] }, 'tags: [a, "b", "c"]\n'],
    ['adds to an empty value', 'tags:\nx: 1\n', { add: ['a'] }, 'tags:\n  - a\nx: 1\n'],
    ['adds to an empty list', 'tags: []\n', { add: ['a'] }, 'tags: [a]\n'],
    ['adds a missing key', 'x: 1\n', { add: ['a', 'a'] }, 'x: 1\ntags:\n  - a\n'],
    ['turns one word into a list', 'tags: a # c\n', { add: ['b'] }, 'tags: # c\n  - a\n  - b\n'],
    ['turns words with commas into a list', 'tags: a, b\n', { add: ['c'] }, 'tags:\n  - a\n  - b\n  - c\n'],
    ['keeps a number beside new words', 'tags: 2024\n', { add: ['a'] }, 'tags:\n  - 2024\n  - a\n'],
    ['removes from words with commas', 'tags: a, b, c\n', { remove: is('b') }, 'tags: a, c\n'],
    ['removes a number by its text', 'tags: [2024, a]\n', { remove: is('2024') }, 'tags: [a]\n'],
    ['removes from a block list', 'tags:\n  - a\n  - b # c\n', { remove: is('a') }, 'tags:\n  - b # c\n'],
    ['removes the key with its last item', 'tags: [a]\nx: 1\n', { remove: is('a') }, 'x: 1\n'],
    ['removes and adds', 'tags: [a, b]\n', { remove: is('a'), add: ['c'] }, 'tags: [b, c]\n'],
  ];
  for (const [name, before, change, after] of cases)
    it(name, async () => {
      expect(await editListKey(wrap(before), 'tags', change)).toBe(wrap(after));
    });

  it('removes the block with its last key', async () => {
    expect(await editListKey(wrap('tags: a\n'), 'tags', { remove: is('a') })).toBe('body\n');
  });

  it('gives the same text back when nothing changes', async () => {
    for (const yaml of ['tags: [ a ,b]\n', 'tags: a,b\n', 'tags:\n  - a\n  - b\n']) {
      const change = { add: ['a', 'b'], remove: is('zzz') };
      expect(await editListKey(wrap(yaml), 'tags', change)).toBe(wrap(yaml));
    }
    for (const yaml of ['tags:\n', 'tags: []\n', 'x: 1\n'])
      expect(await editListKey(wrap(yaml), 'tags', { remove: () => true })).toBe(wrap(yaml));
  });

  it('refuses an object and a broken block', async () => {
    await expect(editListKey(wrap('tags: {a: 1}\n'), 'tags', { add: ['b'] })).rejects.toThrow(
      'Invalid frontmatter: tags holds an object, not a list',
    );
    await expect(editListKey(wrap('tags: [a\n'), 'tags', { add: ['b'] })).rejects.toThrow(/line \d/);
  });
});

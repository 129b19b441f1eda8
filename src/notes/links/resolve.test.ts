import { describe, expect, test } from 'vitest';
import { processorTime } from '../../../test/kit/processor-time.ts';
import type { NotePath } from '../path.ts';
import { createLinkResolver } from './resolve.ts';
import { scanAllLinks } from './scan.ts';

function resolverOf(...paths: string[]) {
  const resolver = createLinkResolver(paths as NotePath[]);
  return (link: string, from = 'x.md') => resolver.resolve(scanAllLinks(link)[0]!, from as NotePath);
}

describe('wikilinks', () => {
  test('a path from the root wins, with or without its extension', () => {
    const resolve = resolverOf('Note.md', 'a/Note.md', 'a/b.markdown', 'a/c.txt', 'a/pic.png');
    expect(resolve('[[Note]]', 'a/x.md')).toBe('Note.md');
    expect(resolve('[[Note.md]]')).toBe('Note.md');
    expect(resolve('[[a/Note]]')).toBe('a/Note.md');
    expect(resolve('[[/a/Note]]')).toBe('a/Note.md');
    expect(resolve('[[b]]')).toBe('a/b.markdown');
    expect(resolve('[[c]]')).toBe('a/c.txt');
    expect(resolve('![[pic.png]]')).toBe('a/pic.png');
    expect(resolve('![[pic]]')).toBeUndefined();
  });

  test('dots are relative to the folder of the source and search nowhere else', () => {
    const resolve = resolverOf('a/b/Note.md', 'a/Other.md', 'Top.md');
    expect(resolve('[[./Note]]', 'a/b/x.md')).toBe('a/b/Note.md');
    expect(resolve('[[../Other]]', 'a/b/x.md')).toBe('a/Other.md');
    expect(resolve('[[./Note]]')).toBeUndefined();
    expect(resolve('[[../../../Top]]', 'a/b/x.md')).toBeUndefined();
  });

  test('of several ends of a path the same folder wins, then the shortest way, then path order', () => {
    const resolve = resolverOf('d/e/Note.md', 'c/Note.md', 'b/Note.md', 'd/x.md');
    expect(resolve('[[Note]]', 'd/e/x.md')).toBe('d/e/Note.md');
    expect(resolve('[[Note]]', 'd/x.md')).toBe('b/Note.md');
    expect(resolve('[[e/Note]]')).toBe('d/e/Note.md');
    expect(resolve('[[otherwise/Note]]')).toBeUndefined();
    expect(resolve('[[ote]]')).toBeUndefined();
  });

  test('letter case and Unicode form do not matter, but the exact spelling wins', () => {
    const resolve = resolverOf('a/Café.md'.normalize('NFD'), 'b/note.md', 'c/d/Note.md', 'b/Ä.md');
    expect(resolve('[[café]]')).toBe('a/Café.md'.normalize('NFD'));
    expect(resolve('[[Note]]', 'b/x.md')).toBe('c/d/Note.md');
    expect(resolve('[[NOTE]]', 'c/d/x.md')).toBe('c/d/Note.md');
    expect(resolve('[[ä]]')).toBe('b/Ä.md');
  });

  test('a # or ? may belong to the name when nothing else fits', () => {
    const resolve = resolverOf('C# notes.md', 'a/What?.md', 'b.md');
    expect(resolve('[[C# notes]]')).toBe('C# notes.md');
    expect(resolve('[[C# notes#part]]')).toBe('C# notes.md');
    expect(resolve('[[What?]]')).toBe('a/What?.md');
    expect(resolve('[t](a/What?.md)')).toBe('a/What?.md');
    expect(resolve('[t](b.md?raw=1#x)')).toBe('b.md');
    expect(resolve('[t](C%23%20notes.md#x)')).toBe('C# notes.md');
  });
});

test('markdown links try the folder of the source, then the root, then the end of the path', () => {
  const resolve = resolverOf('Note.md', 'a/Note.md', 'a/b/c.md', 'z/pic.png');
  expect(resolve('[t](Note.md)', 'a/x.md')).toBe('a/Note.md');
  expect(resolve('[t](/Note.md)', 'a/x.md')).toBe('Note.md');
  expect(resolve('[t](a/b/c.md)', 'a/x.md')).toBe('a/b/c.md');
  expect(resolve('[t](b/../Note)', 'a/x.md')).toBe('a/Note.md');
  expect(resolve('![t](pic.png)', 'a/x.md')).toBe('z/pic.png');
  expect(resolve('[t](../Note.md)', 'a/x.md')).toBe('Note.md');
  expect(resolve('[t](a/)', 'x.md')).toBeUndefined();
  expect(resolve('[t](nothing.md)')).toBeUndefined();
});

test('the way a link was resolved is reported', () => {
  const resolver = createLinkResolver(['a/Note.md', 'b.md'] as NotePath[]);
  const explain = (link: string, from: string) => resolver.explain(scanAllLinks(link)[0]!, from as NotePath);
  expect(explain('[t](Note.md#h)', 'a/x.md')).toEqual({
    path: 'a/Note.md',
    by: 'relative',
    exact: true,
    target: 'Note.md',
    length: 7,
  });
  expect(explain('[[a/note]]', 'a/x.md')).toMatchObject({ by: 'root', exact: false });
  expect(explain('[[Note]]', 'b.md')).toMatchObject({ by: 'name', exact: true });
  expect(resolver.at('A/note.md')).toBe('a/Note.md');
  expect(resolver.at('Note.md')).toBeUndefined();
});

test('a hundred thousand paths, many of one name, are not looked through for every link', () => {
  const paths = Array.from(
    { length: 100_000 },
    (_, i) => `f${i % 500}/g${i}/${i % 2 ? 'README' : `n${i}`}.md`,
  );
  const spent = processorTime();
  const resolve = resolverOf(...paths);
  for (let i = 0; i < 20_000; i++) {
    resolve(`[[n${i * 2}]]`, `f1/g${i}/x.md`);
    resolve('[[README]]', `f1/g${i}/x.md`);
    resolve(`[[h${i}/README]]`, 'x.md');
  }
  // Of the processor, whatever else it does: all paths for every link would take minutes.
  expect(spent()).toBeLessThan(10_000);
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  assertPortable,
  extensionOf,
  joinPath,
  type NotePath,
  nameOf,
  parentOf,
  parseFolderPath,
  parseNotePath,
  pathKey,
  ROOT,
  stemOf,
} from './path.ts';

describe('a path from outside', () => {
  test.each([
    ['a.md', 'a.md'],
    ['/etc/passwd', 'etc/passwd'],
    ['///a//b///c.md', 'a/b/c.md'],
    ['  a b.md \n', 'a b.md'],
    ['a\\b\\c.md', 'a/b/c.md'],
    ['./a/./b.md', 'a/b.md'],
    ['a/', 'a'],
    ['a..b/..c/d...md', 'a..b/..c/d...md'],
    ['...', '...'],
    ['100% #1 & "x" (y) [z] ?.md', '100% #1 & "x" (y) [z] ?.md'],
    ['😀/e\u0301.md', '😀/e\u0301.md'],
    ['~/x.md', '~/x.md'],
    ['$HOME/x.md', '$HOME/x.md'],
    ['ab:c.md', 'ab:c.md'],
  ])('%j is %j', (raw, path) => {
    expect(parseNotePath(raw)).toBe(path);
  });

  test.each(['..', '../a', 'a/..', 'a/../b', '/..', '..\\a', 'a\\..\\b', ' .. ', './../a', 'a/../../b'])(
    '%j climbs and is refused in the documented words',
    (raw) => {
      expect(() => parseNotePath(raw)).toThrow(`Path traversal not allowed: ${raw.trim()}`);
      expect(() => parseFolderPath(raw)).toThrow('Path traversal not allowed');
    },
  );

  test.each(['a\u0000.md', 'a\nb', 'a\tb', '\u001b[0m', 'a\u007f', 'a\u0085b', 'a\u2028b', 'a\rb'])(
    '%j holds a control character and is refused without showing it',
    (raw) => {
      expect(() => parseNotePath(raw)).toThrow(/^Invalid path: /);
      try {
        parseNotePath(raw);
      } catch (error) {
        expect((error as Error).message).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/);
      }
    },
  );

  test.each(['C:\\x', 'c:/x', 'Z:', '/C:/x', 'c:x.md'])('%j has a drive letter', (raw) => {
    expect(() => parseNotePath(raw)).toThrow('Invalid path');
  });

  test.each(['', ' ', '/', '.', './', '\\'])(
    '%j is the notebook, which is a folder and not a note',
    (raw) => {
      expect(parseFolderPath(raw)).toBe(ROOT);
      expect(() => parseNotePath(raw)).toThrow('Invalid path');
    },
  );

  test('a name holds 255 bytes, a path 2048', () => {
    expect(parseNotePath('n'.repeat(255))).toHaveLength(255);
    expect(() => parseNotePath('n'.repeat(256))).toThrow('Path too long');
    expect(() => parseNotePath('é'.repeat(128))).toThrow('Path too long');
    expect(parseNotePath('d/'.repeat(1_000))).toHaveLength(1_999);
    expect(() => parseNotePath('d/'.repeat(1_100))).toThrow('Path too long');
  });

  test('a message stays short however long the path', () => {
    try {
      parseNotePath('x'.repeat(100_000));
    } catch (error) {
      expect((error as Error).message.length).toBeLessThan(300);
    }
    expect.hasAssertions();
  });

  test('whatever is let through is safe, and is let through unchanged a second time', () => {
    const piece = fc.constantFrom(
      '..',
      '.',
      '',
      'a',
      'b.md',
      'c:',
      '\\',
      '/',
      '\u0000',
      ' ',
      'é',
      '…',
      '~',
      '%2e%2e',
    );
    const raw = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('/')),
    );
    fc.assert(
      fc.property(raw, (text) => {
        let path: NotePath;
        try {
          path = parseFolderPath(text);
        } catch {
          return;
        }
        const segments = path === '' ? [] : path.split('/');
        expect(segments.every((segment) => !['', '.', '..'].includes(segment))).toBe(true);
        expect(path).not.toMatch(/^\/|\\|^[A-Za-z]:|[\u0000-\u001f]/);
        // Slashes around it keep space that belongs to a name from being trimmed.
        expect(parseFolderPath(`/${path}/`)).toBe(path);
      }),
    );
  });
});

describe('a name about to be made', () => {
  test.each([
    'con',
    'CON.md',
    'aux/x.md',
    'x/nul.txt',
    'com1.md',
    'LPT9',
    'com¹.md',
    'conin$',
    'con .md',
    'a:b.md',
    'x.',
    'dir./x.md',
    'x /y.md',
    'x/ y.md',
  ])('%j is one some system cannot hold', (path) => {
    expect(() => assertPortable(path as NotePath)).toThrow('Invalid path');
  });

  test.each([
    'console.md',
    'com.md',
    'com10.md',
    'a.con.md',
    'a b.md',
    'why?.md',
    'x*"<>|.md',
    'nulls/x.md',
    '.a',
  ])('%j is fine', (path) => {
    expect(() => assertPortable(path as NotePath)).not.toThrow();
  });
});

test('parts of a path', () => {
  const path = parseNotePath('a/b/Some Note.tar.MD');
  expect(parentOf(path)).toBe('a/b');
  expect(nameOf(path)).toBe('Some Note.tar.MD');
  expect(stemOf(path)).toBe('Some Note.tar');
  expect(extensionOf(path)).toBe('.md');
  expect(joinPath(parentOf(path), nameOf(path))).toBe(path);
  const top = parseNotePath('x');
  expect([parentOf(top), nameOf(top), stemOf(top), extensionOf(top)]).toEqual(['', 'x', 'x', '']);
  expect(joinPath(ROOT, 'x')).toBe('x');
  expect([stemOf('.hidden'), extensionOf('.hidden'), extensionOf('a.b/c')]).toEqual(['.hidden', '', '']);
});

test('spellings that some file system takes for one have one key', () => {
  expect(pathKey('Cafe\u0301/A.MD')).toBe(pathKey('caf\u00e9/a.md'));
  expect(pathKey('a.md')).not.toBe(pathKey('b.md'));
});

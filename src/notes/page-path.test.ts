import { expect, test } from 'vitest';
import { pageNameOf, parseFilePath, parsePagePath } from './page-path.ts';

test.each([
  ['index', 'index.md'],
  ['index.md', 'index.md'],
  ['/ref/page', 'ref/page.md'],
  ['ref\\page', 'ref/page.md'],
  ['Old.MD', 'Old.MD'],
  ['a.mdx', 'a.mdx.md'],
  ['rec/trailing ', 'rec/trailing .md'],
  [' leading', ' leading.md'],
  ['rec/[[brackets]]', 'rec/[[brackets]].md'],
  ['rec/pipe|<>', 'rec/pipe|<>.md'],
  ['semi;colon,comma@', 'semi;colon,comma@.md'],
  ['Release 1.2', 'Release 1.2.md'],
  ['a..b', 'a..b.md'],
  ['x.conflicted:1794710171000', 'x.conflicted:1794710171000.md'],
  ['100%20', '100%20.md'],
  ['é 日本 😀', 'é 日本 😀.md'],
  ['folder.md/page', 'folder.md/page.md'],
])('%j is %s', (raw, path) => {
  expect(parsePagePath(raw)).toBe(path);
  expect(parsePagePath(pageNameOf(path))).toBe(path);
});

test.each([
  ['', 'empty name'],
  ['   ', 'empty name'],
  ['.md', 'empty name'],
  ['a/.md', 'empty segment'],
  ['../evil', 'path traversal not allowed'],
  ['a/../b', 'path traversal not allowed'],
  ['..\\b', 'path traversal not allowed'],
  ['./a', 'a "." segment is not allowed'],
  ['a/./b', 'a "." segment is not allowed'],
  ['a//b', 'empty segment'],
  ['//a', 'empty segment'],
  ['a/', 'empty segment'],
  ['///', 'empty segment'],
  ['a.md.md', 'results in double .md extension'],
  ['a.MD.md', 'results in double .md extension'],
  ['.hidden', 'hidden files and folders are off limits'],
  ['.silverbullet.auth.json', 'hidden files and folders are off limits'],
  ['a/.git/b', 'hidden files and folders are off limits'],
  ['a\u0000b', 'holds a control character'],
  ['a\nb', 'holds a control character'],
  ['tab\tname', 'holds a control character'],
  ['a\u009bb', 'holds a control character'],
  ['a\u2028b', 'holds a control character'],
  ['a\ud800b', 'holds half a character (an unpaired surrogate)'],
  ['C:\\notes\\a', /drive letters/i],
  ['n'.repeat(300), /at most 255 bytes/],
  ['d/'.repeat(1_200).concat('a'), /at most 2048 bytes/],
])('%j is refused: %s', (raw, problem) => {
  const refusal = (() => {
    try {
      return parsePagePath(raw);
    } catch (error) {
      return error;
    }
  })();
  expect(refusal).toMatchObject({ code: 'invalid_input', reason: 'invalid_path' });
  const { details, message } = refusal as { details: { input: string; reason: string }; message: string };
  expect(details.reason).toMatch(problem);
  expect(details.input).toMatch(/^[^\u0000-\u001f]{0,201}$/);
  expect(details.input.isWellFormed()).toBe(true);
  expect(message).toBe(`Invalid page path "${details.input}": ${details.reason}`);
});

test('files of other kinds keep their extension and the same rules', () => {
  expect(parseFilePath('img/a b.png')).toBe('img/a b.png');
  for (const raw of ['../a.png', '.env', 'a/.b/c.png', '', 'a//b.png', 'a\u0000.png'])
    expect(() => parseFilePath(raw)).toThrow('Invalid page path');
});

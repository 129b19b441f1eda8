import { describe, expect, test } from 'vitest';
import { PathFilter } from './path-filter.ts';

describe('by default', () => {
  const filter = new PathFilter();

  test.each(['a.md', 'a.MD', 'b.markdown', 'c.txt', 'x/y/z.md', 'a.b.md', 'node_modules.md', 'git/x.md'])(
    '%s is a note',
    (path) => {
      expect(filter.isAllowed(path)).toBe(true);
      expect(filter.isHidden(path)).toBe(false);
    },
  );

  test.each([
    '.git/config',
    '.git/x.md',
    'a/.git/x.md',
    '.obsidian/app.md',
    '.trash/a.md',
    'node_modules/x.md',
    'a/node_modules/b/x.md',
    'Node_Modules/x.md',
    '.DS_Store',
    'a/Thumbs.db',
    'thumbs.db',
    '.hidden.md',
    'desktop.ini',
    '$RECYCLE.BIN/x.md',
    '.quire-x.tmp',
    '...md',
  ])('%s is hidden', (path) => {
    expect(filter.isHidden(path)).toBe(true);
    expect(filter.isAllowed(path)).toBe(false);
  });

  test.each(['a.png', 'a', 'a.md.exe', 'a.mdx', 'md', 'x.md/y'])('%s is there but no note', (path) => {
    expect(filter.isAllowed(path)).toBe(false);
    expect(filter.isHidden(path)).toBe(false);
  });

  test('a list keeps its order and loses what is not allowed', () => {
    expect(filter.filterPaths(['b.md', '.git/x.md', 'a.txt', 'c.png'])).toEqual(['b.md', 'a.txt']);
  });
});

test('other extensions replace the usual ones, with or without dot, in any case', () => {
  const filter = new PathFilter({ allowedExtensions: ['.md', 'JSON', ' yaml '] });
  expect(filter.extensions).toEqual(['.md', '.json', '.yaml']);
  expect(filter.filterPaths(['a.md', 'b.Json', 'c.yaml', 'd.txt'])).toEqual(['a.md', 'b.Json', 'c.yaml']);
});

test.each([
  ['drafts/**', ['drafts/a.md', 'Drafts/x/b.md', 'drafts'], ['x/drafts/a.md', 'draft.md']],
  ['drafts/', ['drafts/a.md', 'x/drafts/a.md'], ['draftsman/a.md']],
  ['private', ['private/a.md', 'x/private/b.md'], ['private.md', 'privately/a.md']],
  ['*.tmp.md', ['a.tmp.md', 'x/b.tmp.md'], ['a.md']],
  ['/work/secret.md', ['work/secret.md'], ['x/work/secret.md', 'secret.md']],
  ['a/*/c.md', ['a/b/c.md'], ['a/c.md', 'a/b/b/c.md']],
  ['{x,y}/**', ['x/a.md', 'y/b/c.md'], ['z/a.md']],
  ['a/**/z.md', ['a/z.md', 'a/b/c/z.md'], ['z.md']],
])('the glob %s hides what it says, without regard to case', (glob, hidden, shown) => {
  const filter = new PathFilter({ ignoredPatterns: [glob] });
  for (const path of hidden) expect(filter.isHidden(path), path).toBe(true);
  for (const path of shown) expect(filter.isHidden(path), path).toBe(false);
});

test('no option brings back what is always hidden', () => {
  const filter = new PathFilter({ ignoredPatterns: ['!.git/**', '', '/'], allowedExtensions: ['.md', ''] });
  for (const path of ['.git/x.md', 'node_modules/x.md', '.x.md']) expect(filter.isAllowed(path)).toBe(false);
});

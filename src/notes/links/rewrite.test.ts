import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cases } from '../../../test/kit/cases.ts';
import type { NotePath } from '../path.ts';
import { createLinkResolver } from './resolve.ts';
import { type RewriteContext, rewriteLinks } from './rewrite.ts';
import { scanLinks } from './scan.ts';

interface Change {
  readonly files: readonly string[];
  readonly moves: Readonly<Record<string, string>>;
}

function contextOf({ files, moves }: Change, note: string): RewriteContext {
  const moved = (path: NotePath) => (moves[path] ?? path) as NotePath;
  const paths = files as readonly NotePath[];
  return {
    from: note as NotePath,
    to: moved(note as NotePath),
    before: createLinkResolver(paths),
    after: createLinkResolver(paths.map(moved)),
    moved,
  };
}

function rewrite(change: Change, note: string, text: string): string {
  return rewriteLinks(text, contextOf(change, note)).text;
}

describe('a note is renamed into another folder', () => {
  const change: Change = {
    files: ['home.md', 'a/Old Name.md', 'a/x.md', 'b/y.md', 'a/z(1).md'],
    moves: { 'a/Old Name.md': 'b/c/New Name.md' },
  };

  test.each([
    ['home.md', '[[Old Name]]', '[[New Name]]'],
    ['home.md', '[[old name]]', '[[New Name]]'],
    ['home.md', '[[Old Name.md]]', '[[New Name.md]]'],
    ['home.md', '[[Old Name|alias]]', '[[New Name|alias]]'],
    ['home.md', '| [[Old Name\\|alias]] | x |', '| [[New Name\\|alias]] | x |'],
    ['home.md', '[[Old Name#Heading]]', '[[New Name#Heading]]'],
    ['home.md', '[[Old Name#^block|b]]', '[[New Name#^block|b]]'],
    ['home.md', '![[Old Name]]', '![[New Name]]'],
    ['home.md', '[[ Old Name ]]', '[[ New Name ]]'],
    ['home.md', '[[a/Old Name]]', '[[b/c/New Name]]'],
    ['home.md', '[[a/Old Name.md#h|x]]', '[[b/c/New Name.md#h|x]]'],
    ['home.md', '[[/a/Old Name]]', '[[/b/c/New Name]]'],
    ['home.md', '[[./a/Old Name]]', '[[./b/c/New Name]]'],
    ['b/y.md', '[[../a/Old Name]]', '[[./c/New Name]]'],
    ['home.md', '[t](a/Old%20Name.md)', '[t](b/c/New%20Name.md)'],
    ['home.md', '[t](a/Old%20Name.md#h "title")', '[t](b/c/New%20Name.md#h "title")'],
    ['home.md', "[t](a/Old%20Name.md 'it')", "[t](b/c/New%20Name.md 'it')"],
    ['home.md', '[t](<a/Old Name.md>)', '[t](<b/c/New Name.md>)'],
    ['home.md', '[t](<a/Old Name.md#h> (t))', '[t](<b/c/New Name.md#h> (t))'],
    ['home.md', '[t](a/Old%20Name)', '[t](b/c/New%20Name)'],
    ['home.md', '[t](/a/Old%20Name.md)', '[t](/b/c/New%20Name.md)'],
    ['home.md', '[t](./a/Old%20Name.md)', '[t](./b/c/New%20Name.md)'],
    ['home.md', '[t](a/Old%20Name.md?raw=1)', '[t](b/c/New%20Name.md?raw=1)'],
    ['a/x.md', '[t](Old%20Name.md)', '[t](../b/c/New%20Name.md)'],
    ['a/x.md', '[t](./Old%20Name.md)', '[t](../b/c/New%20Name.md)'],
    ['b/y.md', '[t](../a/Old%20Name.md)', '[t](c/New%20Name.md)'],
    ['b/y.md', '[t](a/Old%20Name.md)', '[t](b/c/New%20Name.md)'],
    ['b/y.md', '[t](Old%20Name.md)', '[t](New%20Name.md)'],
    ['home.md', '[a `]` [b]](a/Old%20Name.md)', '[a `]` [b]](b/c/New%20Name.md)'],
    ['home.md', '[![t](x.png)](a/Old%20Name.md)', '[![t](x.png)](b/c/New%20Name.md)'],
    ['home.md', '![t](a/Old%20Name.md)', '![t](b/c/New%20Name.md)'],
    ['home.md', '[id]: a/Old%20Name.md "t"', '[id]: b/c/New%20Name.md "t"'],
    ['home.md', '> [id]: <a/Old Name.md>', '> [id]: <b/c/New Name.md>'],
    ['home.md', '---\nup: "[[Old Name]]"\n---\n', '---\nup: "[[New Name]]"\n---\n'],
    ['home.md', "---\r\nup: ['[[a/Old Name|x]]']\r\n---\r\n", "---\r\nup: ['[[b/c/New Name|x]]']\r\n---\r\n"],
    ['home.md', '\uFEFF[[Old Name]]\r\n', '\uFEFF[[New Name]]\r\n'],
    ['a/Old Name.md', '[[Old Name]] [t](Old%20Name.md#h)', '[[New Name]] [t](New%20Name.md#h)'],
    ['a/Old Name.md', '[t](x.md) [[x]] [t](../home.md)', '[t](../../a/x.md) [[x]] [t](../../home.md)'],
    ['a/Old Name.md', '[t](z(1).md) [[./x]]', '[t](../../a/z(1).md) [[../../a/x]]'],
  ])('in %s %j becomes %j', (note, text, expected) => {
    expect(rewrite(change, note, text)).toBe(expected);
  });

  test.each([
    '`[[Old Name]]`',
    '```\n[[Old Name]]\n```',
    '    [[Old Name]]',
    '<!-- [[Old Name]] -->',
    '[[Other]] [[Old]] [t](Old%20Name.html)',
    '[[Old Name',
    '[t](https://example.org/a/Old%20Name.md)',
    '\\[[Old Name]]',
  ])('%j stays', (text) => {
    expect(rewriteLinks(text, contextOf(change, 'home.md'))).toEqual({ text, count: 0, stale: 0 });
  });

  test('the changed links are counted', () => {
    expect(rewriteLinks('[[Old Name]] [[x]] [[Old Name|y]]', contextOf(change, 'home.md')).count).toBe(2);
  });
});

describe('short names', () => {
  test('a move that keeps the name keeps the short link', () => {
    const change: Change = { files: ['home.md', 'a/Note.md'], moves: { 'a/Note.md': 'b/Note.md' } };
    expect(rewrite(change, 'home.md', '[[Note]] [[a/Note]]')).toBe('[[Note]] [[b/Note]]');
  });

  test('with a part of the path keep as many segments', () => {
    const change: Change = { files: ['home.md', 'a/b/Old.md'], moves: { 'a/b/Old.md': 'x/y/New.md' } };
    expect(rewrite(change, 'home.md', '[[b/Old]]')).toBe('[[y/New]]');
  });

  test('become full paths where the new name is taken', () => {
    const change: Change = { files: ['home.md', 'a/Old.md', 'b/New.md'], moves: { 'a/Old.md': 'c/New.md' } };
    expect(rewrite(change, 'home.md', '[[Old]] [[New]]')).toBe('[[c/New]] [[New]]');
  });

  test('that meant another note are made longer when a move takes their name', () => {
    const change: Change = { files: ['home.md', 'b/c/New.md', 'a/Old.md'], moves: { 'a/Old.md': 'New.md' } };
    expect(rewrite(change, 'home.md', '[[New]]')).toBe('[[b/c/New]]');
  });

  test('that meant a neighbour keep meaning it when their note moves away', () => {
    const files = ['a/Note.md', 'b/Note.md', 'b/x.md', 'a/pic.png', 'b/pic.png'];
    const change: Change = { files, moves: { 'b/x.md': 'a/x.md' } };
    expect(rewrite(change, 'b/x.md', '[[Note]] ![[pic.png]] ![i](pic.png)')).toBe(
      '[[b/Note]] ![[b/pic.png]] ![i](../b/pic.png)',
    );
  });

  test('follow a change of letter case only', () => {
    const change: Change = { files: ['home.md', 'a/note.md'], moves: { 'a/note.md': 'a/Note.md' } };
    expect(rewrite(change, 'home.md', '[[note]] [[NOTE]] [t](a/note.md)')).toBe(
      '[[Note]] [[NOTE]] [t](a/Note.md)',
    );
  });

  test('get an extension where leaving it out would mean another file', () => {
    const change: Change = {
      files: ['home.md', 'a/Old.txt', 'b/New.md'],
      moves: { 'a/Old.txt': 'b/New.txt' },
    };
    expect(rewrite(change, 'home.md', '[[Old]]')).toBe('[[b/New.txt]]');
  });
});

describe('awkward new names', () => {
  const named = (name: string): Change => ({
    files: ['home.md', 'a/Old.md'],
    moves: { 'a/Old.md': `b/${name}.md` },
  });

  test.each([
    ['one (two', '[t](b/one%20%28two.md)', '[t](<b/one (two.md>)', '[[one (two]]'],
    ['one (two)', '[t](b/one%20(two).md)', '[t](<b/one (two).md>)', '[[one (two)]]'],
    ['C# x', '[t](b/C%23%20x.md)', '[t](<b/C%23 x.md>)', '[[C# x]]'],
    ['why?', '[t](b/why%3F.md)', '[t](<b/why%3F.md>)', '[[why?]]'],
    ['50%20', '[t](b/50%2520.md)', '[t](<b/50%2520.md>)', '[[50%20]]'],
    ['50% off', '[t](b/50%%20off.md)', '[t](<b/50% off.md>)', '[[50% off]]'],
    ['a<b>', '[t](b/a%3Cb%3E.md)', '[t](<b/a\\<b\\>.md>)', '[[a<b>]]'],
    ['été', '[t](b/été.md)', '[t](<b/été.md>)', '[[été]]'],
    ["Bob's", "[t](b/Bob's.md)", "[t](<b/Bob's.md>)", "[[Bob's]]"],
  ])('%s', (name, plain, angle, wiki) => {
    const change = named(name);
    expect(rewrite(change, 'home.md', '[t](a/Old.md)')).toBe(plain);
    expect(rewrite(change, 'home.md', '[t](<a/Old.md>)')).toBe(angle);
    expect(rewrite(change, 'home.md', '[[Old]]')).toBe(wiki);
  });

  test('are encoded as the author used to', () => {
    const change: Change = { files: ['home.md', 'ä/ö.md'], moves: { 'ä/ö.md': 'ä/ü.md' } };
    expect(rewrite(change, 'home.md', '[t](%c3%a4/%C3%B6.md)')).toBe('[t](%c3%a4/%C3%BC.md)');
  });

  test('are escaped for the YAML string they stand in', () => {
    expect(rewrite(named("Bob's"), 'home.md', "---\na: '[[Old]]'\n---\n")).toBe(
      "---\na: '[[Bob''s]]'\n---\n",
    );
    expect(rewrite(named('a "b"'), 'home.md', '---\na: "[[Old]]"\n---\n')).toBe(
      '---\na: "[[a \\"b\\"]]"\n---\n',
    );
    expect(rewriteLinks('---\na: x [[Old]]\n---\n', contextOf(named('a, b: c'), 'home.md'))).toMatchObject({
      count: 0,
      stale: 1,
    });
  });

  test('a wikilink that cannot hold the new name stays, and is reported', () => {
    for (const name of ['a|b', 'a]]b', 'a`b']) {
      expect(rewriteLinks('[[Old]]', contextOf(named(name), 'home.md'))).toEqual({
        text: '[[Old]]',
        count: 0,
        stale: 1,
      });
    }
  });

  test('a first segment with a colon is not taken for a scheme', () => {
    const change: Change = { files: ['home.md', 'Old.md'], moves: { 'Old.md': 're:x.md' } };
    expect(rewrite(change, 'home.md', '[t](Old.md)')).toBe('[t](re%3Ax.md)');
  });
});

describe('in any small notebook', () => {
  const folder = fc.constantFrom('', 'a/', 'b/', 'a/b/', 'b/a/', 'A/');
  const name = fc.constantFrom('n', 'N', 'm', 'x y', 'p(q', 'c# d', 'é', "o'k", 'n.md', '50%41');
  const extension = fc.constantFrom('.md', '.md', '.md', '.txt', '.png', '');
  const path = fc.tuple(folder, name, extension).map((parts) => parts.join(''));
  const files = fc.uniqueArray(path, { minLength: 2, maxLength: 9 });
  const up = fc.constantFrom('', '', '', './', '../', '/');
  const shape = fc.constantFrom(
    (t: string) => `[[${t}]]`,
    (t: string) => `![[${t}#h|x]]`,
    (t: string) => `[t](${encodeURI(t)} "t")`,
    (t: string) => `[t](<${t}>)`,
    (t: string) => `![t](${encodeURI(t)}#h)`,
    (t: string) => `\n\n[id]: <${t}>\n\n`,
    (t: string) => `| [[${t}\\|x]] |`,
    (t: string) => `\`[[${t}]]\``,
  );
  const link = fc
    .tuple(up, path, fc.boolean(), fc.boolean(), shape)
    .map(([prefix, target, short, bare, write]) => {
      const shortened = short ? target.slice(target.lastIndexOf('/') + 1) : target;
      return write(prefix + (bare ? shortened.replace(/\.(md|txt)$/, '') : shortened));
    });
  const text = fc.array(link, { maxLength: 8 }).map((links) => links.join(' and '));

  test('a move that moves nothing changes nothing', () => {
    fc.assert(
      fc.property(files, text, (paths, note) => {
        const result = rewriteLinks(note, contextOf({ files: paths, moves: {} }, paths[0]!));
        expect(result).toEqual({ text: note, count: 0, stale: 0 });
      }),
      { numRuns: cases(500) },
    );
  });

  test('after a move every link means what it meant, and a second pass changes nothing', () => {
    fc.assert(
      fc.property(files, path, fc.nat(), text, (paths, destination, pick, note) => {
        fc.pre(!paths.includes(destination));
        const change: Change = { files: paths, moves: { [paths[pick % paths.length]!]: destination } };
        for (const source of paths) {
          const context = contextOf(change, source);
          const result = rewriteLinks(note, context);
          const old = scanLinks(note);
          const now = scanLinks(result.text);
          expect(now.length).toBe(old.length);
          const broken = old.filter((before, i) => {
            const meant = context.before.resolve(before, context.from);
            return meant !== undefined && context.after.resolve(now[i]!, context.to) !== context.moved(meant);
          });
          expect(broken.length).toBeLessThanOrEqual(result.stale);
          for (const before of broken) expect(before.form).toBe('wiki');
          const settled: RewriteContext = {
            ...context,
            from: context.to,
            before: context.after,
            moved: (same) => same,
          };
          expect(rewriteLinks(result.text, settled)).toEqual({ text: result.text, count: 0, stale: 0 });
        }
      }),
      { numRuns: cases(500) },
    );
  });
});

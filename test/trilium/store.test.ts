/** A Trilium as a notebook: titles as names, whatever they are, and nothing lost. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type NotePath, parseNotePath } from '../../src/notes/path.ts';
import type { NoteChange } from '../../src/notes/store.ts';
import { textOf } from '../../src/notes/text/text.ts';
import { cleanFile } from '../../src/stores/trilium/html/clean.ts';
import { segmentOf, titleOf } from '../../src/stores/trilium/names.ts';
import { openTriliumStore, type TriliumStoreOptions } from '../../src/stores/trilium/store.ts';
import { withinSubtree } from '../../src/stores/trilium/subtree/guard.ts';
import { listingOf } from '../kit/listing.ts';
import type { SeedNote } from '../kit/trilium/seed.ts';
import { caught, start } from './kit.ts';

const at = (path: string): NotePath => parseNotePath(path);
/** Enough of a conversion to see that it is used. */
const markdown = {
  toMarkdown: (html: string) => html.replace(/^<p>(.*)<\/p>$/s, '$1'),
  toHtml: (text: string) => `<p>${text}</p>`,
};

async function begin(notes: readonly SeedNote[] = [], options: Partial<TriliumStoreOptions> = {}) {
  const { fake, client } = await start({ notes });
  const store = openTriliumStore({ client, markdown, cleanFile, ...options });
  const paths = async () => (await store.list()).map(({ path }) => path);
  const text = async (path: string) => textOf(await store.read(at(path)));
  return { fake, client, store, paths, text };
}

describe('names', () => {
  test.each([
    ['a/b', 'a%2Fb'],
    ['a\\b', 'a%5Cb'],
    ['..', '%2E%2E'],
    [' x ', '%20x%20'],
    ['a\tb', 'a%09b'],
    ['C: drive', 'C%3A drive'],
    ['50%25', '50%2525'],
    ['100% sure', '100% sure'],
    ['...', '...'],
  ])('%j is %s', (title, segment) => {
    expect(segmentOf(title)).toBe(segment);
    expect(titleOf(segment)).toBe(title);
  });

  test('every title can be a path, and is found in it again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }), (raw) => {
        const title = raw.toWellFormed();
        const segment = segmentOf(title);
        expect(parseNotePath(`${segment}.md`)).toBe(`${segment}.md`);
        expect(titleOf(segment)).toBe(title);
      }),
    );
  });

  test('notes of one title are distinguished by age and id, and stay so', async () => {
    const { store, fake, paths, text } = await begin([
      { id: 'younger', title: 'Same', content: '<p>2</p>', created: '2022-01-01 00:00:00.000' },
      { id: 'older1', title: 'Same', content: '<p>1</p>', created: '2021-01-01 00:00:00.000' },
      {
        id: 'code11',
        title: 'Same.md',
        type: 'code',
        mime: 'text/markdown',
        content: '3',
        created: '2023-01-01 00:00:00.000',
      },
      { id: 'nameless', title: '', content: '<p>4</p>' },
      { id: 'long12', title: 'x'.repeat(400), content: '<p>5</p>' },
    ]);
    const listed = await paths();
    expect(listed).toEqual([
      'Same ~code11.md',
      'Same ~younger.md',
      'Same.md',
      `${'x'.repeat(120)} ~long12.md`,
      '~nameless.md',
    ]);
    expect(await Promise.all(listed.map(text))).toEqual(['3', '2', '1', '5', '4']);
    fake.db.addBranch('younger', 'root', { notePosition: 1 });
    expect(await paths()).toEqual(listed);
    await store.write(at('Same ~younger.md'), 'two');
    expect(fake.text('younger')).toBe('<p>two</p>');
    for (const path of listed) expect(at(path)).toBe(path);
  });

  test('a title with a slash is written and read', async () => {
    const { store, fake, paths, text } = await begin();
    await store.write(at('a%2Fb/c%2fd.md'), 'x');
    expect([...fake.db.notes.values()].map(({ title }) => title)).toEqual(
      expect.arrayContaining(['a/b', 'c/d']),
    );
    expect(await paths()).toEqual(['a%2Fb/c%2Fd.md']);
    expect(await text('a%2Fb/c%2Fd.md')).toBe('x');
    expect(await text('a%2Fb/c%2fd.md')).toBe('x');
  });
});

describe('kinds', () => {
  test('text notes are markdown, others are as they are, books are folders, protected notes are not there', async () => {
    const { store, paths, text } = await begin([
      { title: 'Text', content: '<p>t</p>' },
      { title: 'run.js', type: 'code', mime: 'application/javascript;env=backend', content: 'x' },
      { title: 'Script', type: 'code', mime: 'text/x-python', content: 'y' },
      { title: 'p.png', type: 'image', mime: 'image/png', content: Buffer.of(0x89, 0xff) },
      { title: 'Folder', type: 'book', children: [{ title: 'In', content: '<p>i</p>' }] },
      { title: 'Empty', type: 'book' },
      { title: 'Locked', isProtected: true, content: 'z' },
    ]);
    expect(await paths()).toEqual(['Folder/In.md', 'Script', 'Text.md', 'p.png', 'run.js']);
    expect(await text('run.js')).toBe('x');
    const image = await store.read(at('p.png'));
    expect([image.contentType, [...image.bytes]]).toEqual(['image/png', [0x89, 0xff]]);
    expect(await store.listFolder?.('' as NotePath)).toEqual({
      folders: ['Empty', 'Folder'],
      files: ['Script', 'Text.md', 'p.png', 'run.js'],
    });
    expect(await store.stat?.(at('Text.md'))).toMatchObject({ size: 1, contentType: 'text/markdown' });
  });

  test('what is made is of the kind its name says', async () => {
    const { store, fake } = await begin();
    await store.write(at('a.md'), 'x');
    await store.write(at('b.json'), '{}');
    await store.write(at('c.png'), Uint8Array.of(0x89, 0xff));
    await store.write(at('d.bin'), Uint8Array.of(0xff));
    const made = [...fake.db.notes.values()]
      .slice(-4)
      .map(({ title, type, mime }) => `${title} ${type} ${mime}`);
    expect(made).toEqual([
      'a text text/html',
      'b.json code application/json',
      'c.png image image/png',
      'd.bin file application/octet-stream',
    ]);
    expect(fake.text([...fake.db.notes.keys()].at(-4) ?? '')).toBe('<p>x</p>');
    expect([...(await store.read(at('c.png'))).bytes]).toEqual([0x89, 0xff]);
  });

  test('a text note takes no bytes that are no text', async () => {
    const { store, text } = await begin([{ title: 'T', content: '<p>t</p>' }]);
    expect(await caught(store.write(at('T.md'), Uint8Array.of(0xff)))).toMatchObject({ code: 'unsupported' });
    expect(await text('T.md')).toBe('t');
  });
});

describe('a note with notes below it', () => {
  const TREE = [
    {
      id: 'above1',
      title: 'A',
      content: '<p>a</p>',
      children: [{ id: 'below1', title: 'B', content: '<p>b</p>' }],
    },
  ];

  test('is a file and a folder', async () => {
    const { store, paths } = await begin(TREE);
    expect(await paths()).toEqual(['A.md', 'A/B.md']);
    await store.write(at('A/C.md'), 'c');
    expect(await paths()).toEqual(['A.md', 'A/B.md', 'A/C.md']);
  });

  test('a text note becomes the folder of what is written below it', async () => {
    const { store, fake, paths } = await begin([{ id: 'alone1', title: 'A', content: '<p>a</p>' }]);
    await store.write(at('A/B.md'), 'b');
    expect(await paths()).toEqual(['A.md', 'A/B.md']);
    expect(fake.db.childBranches('alone1')).toHaveLength(1);
  });

  test('removed, leaves those below where they are, and its text in a revision', async () => {
    const { store, fake, paths } = await begin(TREE);
    await store.remove(at('A.md'));
    expect(await paths()).toEqual(['A/B.md']);
    expect(fake.db.note('above1')).toMatchObject({ type: 'book' });
    expect([...fake.db.revisions.values()].map((one) => fake.db.content(one).toString())).toContain(
      '<p>a</p>',
    );
  });

  test('is not moved from under them', async () => {
    const { store, paths } = await begin([...TREE, { title: 'X' }]);
    expect(await caught(() => store.move?.(at('A.md'), at('Z.md')) ?? Promise.resolve())).toMatchObject({
      code: 'unsupported',
    });
    expect(
      await caught(() => store.move?.(at('X.md'), at('A.md'), { overwrite: true }) ?? Promise.resolve()),
    ).toMatchObject({ code: 'unsupported' });
    expect(await paths()).toEqual(['A.md', 'A/B.md', 'X.md']);
  });
});

describe('nothing is lost', () => {
  test('a note in two places loses only the place it is removed from', async () => {
    const { store, fake, paths } = await begin([
      { id: 'folder1', title: 'F', type: 'book' },
      { id: 'twice1', title: 'T', content: '<p>t</p>' },
    ]);
    fake.db.addBranch('twice1', 'folder1');
    expect(await paths()).toEqual(['F/T.md', 'T.md']);
    await store.remove(at('T.md'));
    expect(await paths()).toEqual(['F/T.md']);
    expect(fake.db.note('twice1')).toBeDefined();
  });

  test('an overwritten text stays as a revision', async () => {
    const { store, fake } = await begin([{ title: 'T', content: '<p>one</p>' }]);
    await store.write(at('T.md'), 'two');
    expect([...fake.db.revisions.values()].map((one) => fake.db.content(one).toString())).toContain(
      '<p>one</p>',
    );
  });

  test('a change of another client is not overwritten', async () => {
    const { store, fake } = await begin([{ id: 'note01', title: 'T', content: '<p>one</p>' }]);
    const { version } = await store.read(at('T.md'));
    fake.edit('note01', '<p>theirs</p>');
    for (const work of [
      () => store.write(at('T.md'), 'mine', { ifVersion: version }),
      () => store.remove(at('T.md'), { ifVersion: version }),
    ])
      expect(await caught(work)).toMatchObject({ code: 'conflict' });
    expect(fake.text('note01')).toBe('<p>theirs</p>');
  });

  test('folders of notes written at once are made once', async () => {
    const { store, paths, fake } = await begin();
    await Promise.all(['a/b/1.md', 'a/b/2.md', 'a/3.md'].map((path) => store.write(at(path), path)));
    expect(await paths()).toEqual(['a/3.md', 'a/b/1.md', 'a/b/2.md']);
    expect([...fake.db.notes.values()].filter(({ type }) => type === 'book')).toHaveLength(2);
  });

  test('a tree with a loop in it has an end where no search is needed', async () => {
    const { fake, text } = await begin([
      {
        id: 'loop01',
        title: 'L',
        content: '<p>l</p>',
        children: [{ id: 'loop02', title: 'M', content: '<p>m</p>' }],
      },
    ]);
    fake.db.addBranch('loop01', 'loop02');
    expect(await text('L/M.md')).toBe('m');
  });
});

test('changes of other clients are reported, and none twice', async () => {
  const { store, fake } = await begin([{ id: 'note01', title: 'T', content: '<p>one</p>' }], { pollMs: 30 });
  const seen: string[] = [];
  const stop = await store.watch?.((changes: readonly NoteChange[]) =>
    seen.push(...changes.map(({ kind, path }) => `${kind} ${path}`)),
  );
  fake.edit('note01', '<p>theirs</p>');
  await expect.poll(() => seen).toEqual(['changed T.md']);
  await store.write(at('N.md'), 'new');
  const note = fake.db.note('note01');
  if (note) note.title = 'U';
  await expect
    .poll(() => [...seen].sort())
    .toEqual(['added N.md', 'added U.md', 'changed T.md', 'removed T.md']);
  await new Promise((resolve) => setTimeout(resolve, 120));
  expect(seen).toHaveLength(4);
  await stop?.();
});

test('what differs from an earlier listing is reported at once', async () => {
  const { store, fake } = await begin([
    { id: 'note01', title: 'T', content: '<p>one</p>' },
    { id: 'note02', title: 'Gone' },
  ]);
  const since = listingOf(await store.list());
  await new Promise((resolve) => setTimeout(resolve, 5));
  fake.edit('note01', '<p>theirs</p>');
  fake.db.notes.get('note02')!.deleteId = 'x';
  fake.db.branches.get('root_note02')!.deleteId = 'x';
  expect(await store.relist?.(since)).toMatchObject({ changed: [{ path: 'T.md' }], removed: ['Gone.md'] });
  const seen: string[] = [];
  const stop = await store.watch?.(
    (changes) => seen.push(...changes.map(({ kind, path }) => `${kind} ${path}`)),
    { since: () => since },
  );
  expect(seen.sort()).toEqual(['changed T.md', 'removed Gone.md']);
  await stop?.();
});

test('a store of a subtree holds that subtree', async () => {
  const { client } = await start({
    notes: [
      { id: 'top001', title: 'Top', children: [{ title: 'In', content: '<p>i</p>' }] },
      { title: 'Out', content: '<p>o</p>' },
    ],
  });
  const store = openTriliumStore({
    client: withinSubtree(client, 'top001'),
    markdown,
    cleanFile,
    rootNoteId: 'top001',
  });
  await store.write(at('sub/new.md'), 'n');
  expect((await store.list()).map(({ path }) => path)).toEqual(['In.md', 'sub/new.md']);
});

test('what is removed is in a revision, and what another client changed meanwhile stays', async () => {
  const { fake, store } = await begin([
    { id: 'aaaa', title: 'A', content: 'a' },
    { id: 'bbbb', title: 'B', content: 'b' },
  ]);
  await store.remove(at('A.md'));
  expect([...fake.db.revisions.values()].map((one) => fake.db.content(one).toString())).toEqual(['a']);
  fake.faults.after = ({ path }) => {
    if (path.endsWith('/bbbb/revision')) fake.edit('bbbb', 'theirs');
  };
  const { version } = await store.read(at('B.md'));
  expect(await caught(store.remove(at('B.md'), { ifVersion: version }))).toMatchObject({ code: 'conflict' });
  expect(fake.text('bbbb')).toBe('theirs');
});

test('a drawing loses its scripts, a code note keeps them', async () => {
  const { fake, store } = await begin();
  const svg = '<svg><script>alert(1)</script><rect/></svg>';
  await store.write(at('d.svg'), svg);
  await store.write(at('p.html'), '<script>x</script>');
  const byTitle = (title: string) => [...fake.db.notes.values()].find((note) => note.title === title)!;
  expect(fake.text(byTitle('d.svg').noteId)).toBe('<svg><rect/></svg>');
  await store.write(at('d.svg'), svg);
  expect(fake.text(byTitle('d.svg').noteId)).toBe('<svg><rect/></svg>');
  expect(byTitle('p.html').type).toBe('code');
  expect(fake.text(byTitle('p.html').noteId)).toBe('<script>x</script>');
});

import { execFileSync } from 'node:child_process';
import { mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type IngestRequest, ingest, MAX_BYTES } from '../../src/brain/ingest/ingest.ts';
import type { Source } from '../../src/brain/types.ts';
import { compileRules } from '../../src/notes/frontmatter/rules.ts';
import type { NoteSearcher } from '../../src/notes/searcher.ts';
import type { NoteStore } from '../../src/notes/store.ts';
import { openFolderStore } from '../../src/stores/folder/store.ts';
import { openMemoryStore } from '../../src/stores/memory.ts';
import { cases } from '../kit/cases.ts';
import { fileText, putFile, temporaryFolder } from '../kit/temp.ts';

const DAY = Date.UTC(2026, 10, 16, 7);

function sourceOver(notes: NoteStore, more: Partial<Source> = {}): Source {
  return { name: 'home', notebook: { notes, searcher: {} as NoteSearcher }, writable: true, ...more };
}

async function folderOf(seed: Record<string, string> = {}) {
  const folder = await temporaryFolder(seed);
  const notes = await openFolderStore(folder, { isVisible: () => true, permanentDelete: false });
  return { folder, notes };
}

function into(
  sources: readonly Source[],
  request: Partial<IngestRequest>,
  more: { roots?: string[]; now?: number } = {},
) {
  return ingest(
    {
      sources,
      allowedFileRoots: more.roots ?? [],
      now: () => more.now ?? DAY,
    },
    { onConflict: 'error', dryRun: false, ...request },
  );
}

it('replaces nothing where no text may leave, and adds all the same', async () => {
  const { folder, notes } = await folderOf({ 'a.md': 'Old.\n' });
  const source = sourceOver(notes, { keepsAll: true });
  const request = { content: 'New.\n', dest: 'a.md' };
  await expect(into([source], { ...request, onConflict: 'replace' })).rejects.toMatchObject({
    code: 'read_only',
    hint: expect.stringContaining('append'),
  });
  expect(await fileText(folder, 'a.md')).toBe('Old.\n');
  expect(await into([source], { ...request, onConflict: 'append' })).toMatchObject({ status: 'updated' });
  expect(await fileText(folder, 'a.md')).toMatch(/^Old\.\s+New\.\n$/);
});

describe('a text', () => {
  it('becomes a note with its frontmatter', async () => {
    const { folder, notes } = await folderOf();
    const request = { content: 'Hello there.\n', title: 'First: note', tags: ['#work', 'a/b', 'work'] };
    const outcome = await into([sourceOver(notes)], request);
    const text = await fileText(folder, 'inbox/First note.md');
    expect(text).toBe(
      '---\ntitle: "First: note"\ntags:\n  - work\n  - a/b\ncreated: 2026-11-16T07:00:00Z\n---\nHello there.\n',
    );
    expect(outcome).toEqual({
      status: 'created',
      sourcePath: 'inbox/First note.md',
      contentHash: 'sha256:480f193e2301598f0caf70bb8fce03c7e2b963a2277fd22b646471983e6eb357',
      chunks: 1,
      bytes: Buffer.byteLength(text),
      warnings: [],
    });
  });

  it('keeps its own frontmatter', async () => {
    const { folder, notes } = await folderOf();
    await into([sourceOver(notes)], {
      content: '---\n# mine\ntags: [x]\ncreated: 2020-01-01\n---\n# Big\n',
      tags: ['y'],
    });
    expect(await fileText(folder, 'inbox/Big.md')).toBe(
      '---\n# mine\ntags: [x, y]\ncreated: 2020-01-01\n---\n# Big\n',
    );
  });

  it.each([
    ['', '# A heading\n\nText', 'inbox/A heading.md'],
    ['a first line', 'Just **some** words/and: more\nNext', 'inbox/Just some words and more.md'],
    ['what no name can be made of', '!!!\n', /^inbox\/(?:!!!|note-[0-9a-f]{8})\.md$/],
    ['a device', 'con\n', 'inbox/note con.md'],
    ['a hidden name', '.ssh\n', 'inbox/ssh.md'],
    ['a way out', '../../etc/passwd\n', 'inbox/etc passwd.md'],
    ['a long line', `${'word '.repeat(100)}\n`, /^inbox\/[word ]{60,80}\.md$/],
  ])('has a name from %s', async (_, content, path) => {
    const { sourcePath } = await into([sourceOver(openMemoryStore())], { content });
    expect(sourcePath).toEqual(typeof path === 'string' ? path : expect.stringMatching(path));
  });

  it.each([
    ['a folder', 'projects/x', 'projects/x/Hi.md'],
    ['a folder with a slash', 'v1.md/', 'v1.md/Hi.md'],
    ['a note', 'projects/x.md', 'projects/x.md'],
    ['a folder that looks like a version', 'v1.2', 'v1.2/Hi.md'],
    ['the top', '/', 'Hi.md'],
    ['an absolute path, which is inside too', '/etc/motd.md', 'etc/motd.md'],
  ])('goes to %s', async (_, dest, path) => {
    expect((await into([sourceOver(openMemoryStore())], { content: 'Hi', dest })).sourcePath).toBe(path);
  });

  it.each([
    ['traversal', { dest: '../out.md' }, 'forbidden'],
    ['a hidden folder', { dest: '.obsidian/x.md' }, 'forbidden'],
    ['a hidden folder further down', { dest: 'a/.git' }, 'forbidden'],
    ['another kind of file', { dest: 'a/x.json' }, 'invalid_input'],
    ['a drive', { dest: 'C:/x.md' }, 'invalid_input'],
    ['a control character', { dest: 'a\u0000b.md' }, 'invalid_input'],
    ['a device', { dest: 'aux.md' }, 'invalid_input'],
    ['content and path', { path: 'x.md' }, 'invalid_input'],
    ['neither', { content: undefined }, 'invalid_input'],
    ['nothing', { content: ' \n ' }, 'invalid_input'],
    ['too much', { content: 'ä'.repeat(MAX_BYTES / 2 + 1) }, 'invalid_input'],
    ['binary data', { content: 'a\0b' }, 'invalid_input'],
    ['half a character', { content: 'a\uD83D' }, 'invalid_input'],
    ['a bad tag', { tags: ['two words'] }, 'invalid_input'],
    ['a long title', { title: 'x'.repeat(301) }, 'invalid_input'],
    ['broken frontmatter', { content: '---\na: [1\n---\nx' }, 'invalid_input'],
  ])('is refused with %s, and nothing is written', async (_, request, code) => {
    const { folder, notes } = await folderOf();
    const wanted = { content: 'Hi', ...request } as Partial<IngestRequest>;
    if (wanted.content === undefined) delete (wanted as { content?: string }).content;
    await expect(into([sourceOver(notes)], wanted)).rejects.toMatchObject({
      code,
      title: expect.stringMatching(/\S/),
    });
    expect(await readdir(folder)).toEqual([]);
  });

  it('of the largest size is taken', async () => {
    expect(
      (await into([sourceOver(openMemoryStore())], { content: 'x'.repeat(MAX_BYTES), title: 't' })).status,
    ).toBe('created');
  });

  it("keeps to the notebook's rules", async () => {
    const rules = compileRules([{ required: ['status'] }], () => () => true);
    const notes = openMemoryStore();
    await expect(into([sourceOver(notes, { rules })], { content: 'Hi' })).rejects.toMatchObject({
      code: 'invalid_input',
    });
    expect(await notes.list()).toEqual([]);
  });
});

describe('a note that is there', () => {
  const content = 'Hi\n\nthere\n';

  it('with the same text is left alone, whatever the time and the mode', async () => {
    const { folder, notes } = await folderOf();
    const sources = [sourceOver(notes)];
    await into(sources, { content, tags: ['x'] });
    const text = await fileText(folder, 'inbox/Hi.md');
    for (const onConflict of ['error', 'append', 'replace'] as const) {
      const again = await into(sources, { content, tags: ['x'], onConflict }, { now: DAY + 86_400_000 });
      expect(again).toMatchObject({ status: 'unchanged', bytes: Buffer.byteLength(text) });
    }
    expect(await fileText(folder, 'inbox/Hi.md')).toBe(text);
  });

  it('that has just this text already is left alone', async () => {
    const { notes } = await folderOf({ 'a.md': content });
    expect((await into([sourceOver(notes)], { content, dest: 'a.md' })).status).toBe('unchanged');
  });

  it('with another text is not touched unless asked for', async () => {
    const { folder, notes } = await folderOf({ 'a.md': 'Mine.\n' });
    await expect(into([sourceOver(notes)], { content, dest: 'a.md' })).rejects.toMatchObject({
      code: 'already_exists',
      hint: expect.stringContaining('on_conflict'),
    });
    expect(await fileText(folder, 'a.md')).toBe('Mine.\n');
  });

  it('is added to once', async () => {
    const { folder, notes } = await folderOf({ 'a.md': '---\ntitle: A\n---\nMine.\r\n' });
    const request = { content, dest: 'a.md', onConflict: 'append', tags: ['new'], title: 'B' } as const;
    const sources = [sourceOver(notes)];
    expect(await into(sources, request)).toMatchObject({
      status: 'updated',
      warnings: ['The note keeps its own title.'],
    });
    const text = await fileText(folder, 'a.md');
    expect(text).toBe('---\ntitle: A\ntags:\n  - new\n---\nMine.\r\n\r\nHi\r\n\r\nthere\r\n');
    expect(await into(sources, request)).toMatchObject({
      status: 'unchanged',
      warnings: ['The note holds this text already.', 'The note keeps its own title.'],
    });
    expect(await fileText(folder, 'a.md')).toBe(text);
  });

  it('keeps its frontmatter, and a warning names the keys that were left out', async () => {
    const { folder, notes } = await folderOf({ 'a.md': '---\ntags: x\n---\nMine.\n' });
    const added = '---\nauthor: somebody\ntags: [y]\n---\nNew.\n';
    const outcome = await into([sourceOver(notes)], { content: added, dest: 'a.md', onConflict: 'append' });
    expect(outcome.warnings).toEqual(["Left out of the note's frontmatter: author."]);
    expect(await fileText(folder, 'a.md')).toBe('---\ntags:\n  - x\n  - y\n---\nMine.\n\nNew.\n');
  });

  it('does not become frontmatter by what is added', async () => {
    const { folder, notes } = await folderOf({ 'a.md': '---\na: b\n' });
    const request = { content: 'c: d\n---\nMore.\n', dest: 'a.md', onConflict: 'append' } as const;
    await expect(into([sourceOver(notes)], request)).rejects.toMatchObject({ code: 'invalid_input' });
    expect(await fileText(folder, 'a.md')).toBe('---\na: b\n');
  });

  it('is replaced, and keeps the day it was made', async () => {
    const { folder, notes } = await folderOf({ 'a.md': '---\ncreated: 2020-02-02\n---\nMine.\n' });
    const request = { content, dest: 'a.md', onConflict: 'replace' } as const;
    expect((await into([sourceOver(notes)], request)).status).toBe('updated');
    expect(await fileText(folder, 'a.md')).toBe(`---\ncreated: 2020-02-02\n---\n${content}`);
    expect((await into([sourceOver(notes)], request)).status).toBe('unchanged');
  });

  it('that cannot be read as text is never replaced', async () => {
    const { folder, notes } = await folderOf();
    await putFile(folder, 'a.md', Buffer.from([0xff, 0xfe, 0x00]));
    await expect(
      into([sourceOver(notes)], { content, dest: 'a.md', onConflict: 'replace' }),
    ).rejects.toMatchObject({
      code: 'unsupported',
    });
  });

  it('and was changed meanwhile keeps the change', async () => {
    const { folder, notes } = await folderOf({ 'a.md': 'One.\n' });
    let isFirst = true;
    const racing: NoteStore = {
      ...notes,
      async write(path, text, options) {
        if (isFirst) await putFile(folder, 'a.md', 'One.\n\nTwo.\n');
        isFirst = false;
        return notes.write(path, text, options);
      },
    };
    await into([sourceOver(racing)], { content: 'Three.\n', dest: 'a.md', onConflict: 'append' });
    expect(await fileText(folder, 'a.md')).toBe('One.\n\nTwo.\n\nThree.\n');
  });

  it('is made once by many at a time', async () => {
    const { folder, notes } = await folderOf();
    const sources = [sourceOver(notes)];
    const all = await Promise.all(
      Array.from({ length: 8 }, () => into(sources, { content, onConflict: 'append' })),
    );
    expect(all.map(({ status }) => status).sort()).toEqual(['created', ...Array(7).fill('unchanged')]);
    expect((await fileText(folder, 'inbox/Hi.md')).match(/there/g)).toHaveLength(1);
  });
});

describe('a trial', () => {
  it.each([
    ['created', {}],
    ['updated', { dest: 'a.md', onConflict: 'replace' }],
    ['unchanged', { dest: 'a.md', content: 'Mine.\n' }],
  ] as const)('says that the note would be %s, and writes nothing', async (word, request) => {
    const { folder, notes } = await folderOf({ 'a.md': 'Mine.\n' });
    const outcome = await into([sourceOver(notes)], { content: 'Hi', dryRun: true, ...request });
    expect(outcome).toMatchObject({
      status: 'dry_run',
      warnings: [`Nothing was written: the note would be ${word}.`],
    });
    expect(await readdir(folder)).toEqual(['a.md']);
    expect(await fileText(folder, 'a.md')).toBe('Mine.\n');
  });

  it('fails where the real one would', async () => {
    const { notes } = await folderOf({ 'a.md': 'Mine.\n' });
    await expect(
      into([sourceOver(notes)], { content: 'Hi', dest: 'a.md', dryRun: true }),
    ).rejects.toMatchObject({
      code: 'already_exists',
    });
  });
});

describe('several notebooks', () => {
  const both = () => [
    sourceOver(openMemoryStore(), { name: 'wiki', writable: false }),
    sourceOver(openMemoryStore(), { name: 'home' }),
    sourceOver(openMemoryStore(), { name: 'work' }),
  ];

  it('get it in the first that may be written to', async () => {
    const sources = both();
    expect((await into(sources, { content: 'Hi' })).sourcePath).toBe('home/inbox/Hi.md');
    expect((await sources[1]!.notebook.notes.list()).map(({ path }) => path)).toEqual(['inbox/Hi.md']);
  });

  it('are named first in dest', async () => {
    expect((await into(both(), { content: 'Hi', dest: 'work/a/b.md' })).sourcePath).toBe('work/a/b.md');
    expect((await into(both(), { content: 'Hi', dest: 'work' })).sourcePath).toBe('work/Hi.md');
    await expect(into(both(), { content: 'Hi', dest: 'werk/a.md' })).rejects.toMatchObject({
      code: 'not_found',
      hint: expect.stringContaining('Did you mean work?'),
    });
  });

  it('that may not be written to say so', async () => {
    await expect(into(both(), { content: 'Hi', dest: 'wiki/a.md' })).rejects.toMatchObject({
      code: 'read_only',
    });
    await expect(into(both().slice(0, 1), { content: 'Hi' })).rejects.toMatchObject({ code: 'read_only' });
  });
});

describe('a file', () => {
  async function rooted(seed: Record<string, string | Uint8Array>) {
    const base = await temporaryFolder(seed);
    return {
      base,
      root: join(base, 'root'),
      add: (path: string, roots = [join(base, 'root')]) =>
        into([sourceOver(openMemoryStore())], { path }, { roots }),
    };
  }

  it('is read from an allowed folder, by its whole path or from there', async () => {
    const { root, add } = await rooted({ 'root/sub/plan.txt': 'Hi' });
    expect(await add('sub/plan.txt')).toMatchObject({ status: 'created', sourcePath: 'inbox/plan.md' });
    expect((await add(join(root, 'sub/plan.txt'))).sourcePath).toBe('inbox/plan.md');
  });

  it('may be a link that stays inside', async () => {
    const { root, add } = await rooted({ 'root/a.md': 'Hi' });
    await symlink('a.md', join(root, 'b.md'));
    expect((await add('b.md')).status).toBe('created');
  });

  it.each([
    ['outside', '../out.md', 'forbidden'],
    ['outside and not there', '../nothing.md', 'forbidden'],
    ['a link that leads outside', 'link.md', 'forbidden'],
    ['in a folder that leads outside', 'linked/out.md', 'forbidden'],
    ['hidden', '.secret/a.md', 'forbidden'],
    ['beside a folder of a similar name', '../root2/a.md', 'forbidden'],
    ['with a NUL', 'a\0.md', 'forbidden'],
    ['not there', 'nothing.md', 'not_found'],
    ['of another kind', 'data.json', 'unsupported'],
    ['a link to another kind', 'data-link.md', 'unsupported'],
    ['a folder', 'folder.md', 'unsupported'],
    ['a pipe', 'pipe.md', 'unsupported'],
    ['too large', 'large.md', 'invalid_input'],
    ['not UTF-8', 'latin.md', 'unsupported'],
    ['empty', 'empty.md', 'invalid_input'],
  ])('is refused when it is %s', async (_, path, code) => {
    const { base, root, add } = await rooted({
      'out.md': 'secret text',
      'root2/a.md': 'secret text',
      'root/.secret/a.md': 'secret text',
      'root/data.json': '{}',
      'root/large.md': 'x'.repeat(MAX_BYTES + 1),
      'root/latin.md': Buffer.from([0x61, 0xe4]),
      'root/empty.md': '',
    });
    await mkdir(join(root, 'folder.md'));
    await symlink(join(base, 'out.md'), join(root, 'link.md'));
    await symlink(base, join(root, 'linked'));
    await symlink('data.json', join(root, 'data-link.md'));
    execFileSync('mkfifo', [join(root, 'pipe.md')]);
    const error = await add(path).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code });
    expect(JSON.stringify(error)).not.toContain('secret text');
    expect(String((error as { hint?: string }).hint) + String(error)).not.toContain(base);
  });

  it('is refused where no folder was allowed', async () => {
    const { add } = await rooted({ 'root/a.md': 'Hi' });
    await expect(add('a.md', [])).rejects.toMatchObject({
      code: 'forbidden',
      hint: expect.stringContaining('allowed_file_roots'),
    });
  });
});

it('any text, twice in any mode, is one note that does not change', async () => {
  const line = fc.oneof(
    fc.constantFrom('', '---', 'a: b', '# x', '- y', '```', 'ü', '\r'),
    fc.string({ unit: 'grapheme', maxLength: 12 }),
  );
  const content = fc
    .array(line, { minLength: 1, maxLength: 8 })
    .map((lines) => lines.join('\n'))
    .filter((text) => text.trim() !== '' && !text.includes('\0') && text.isWellFormed());
  const mode = fc.constantFrom('error' as const, 'append' as const, 'replace' as const);
  const tags = fc.subarray(['one', 'two/three']);
  await fc.assert(
    fc.asyncProperty(content, mode, tags, fc.option(content), async (text, onConflict, labels, before) => {
      const notes = openMemoryStore();
      const dest = 'n.md';
      if (before !== null && onConflict !== 'error') await notes.write(dest as never, before);
      const request = { content: text, dest, onConflict, tags: labels };
      const first = await into([sourceOver(notes)], request).catch((error: { code: string }) => error.code);
      if (typeof first === 'string') {
        expect(['invalid_input', 'unsupported']).toContain(first);
        return;
      }
      const after = Buffer.from((await notes.read(dest as never)).bytes).toString();
      const second = await into([sourceOver(notes)], request, { now: DAY + 1_000_000 });
      expect(second.status).toBe('unchanged');
      expect(second.contentHash).toBe(first.contentHash);
      expect(Buffer.from((await notes.read(dest as never)).bytes).toString()).toBe(after);
    }),
    { numRuns: cases(500) },
  );
});

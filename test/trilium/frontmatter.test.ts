/** The notebook tools over a Trilium: frontmatter is labels, and labels are frontmatter. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { type NotePath, parseNotePath } from '../../src/notes/path.ts';
import { textOf } from '../../src/notes/text/text.ts';
import { cleanFile } from '../../src/stores/trilium/html/clean.ts';
import { toHtml } from '../../src/stores/trilium/html/to-html.ts';
import { toMarkdown } from '../../src/stores/trilium/html/to-markdown.ts';
import { openTriliumStore } from '../../src/stores/trilium/store.ts';
import { withStore } from '../kit/server.ts';
import type { SeedNote } from '../kit/trilium/seed.ts';
import { caught, start } from './kit.ts';

const at = (path: string): NotePath => parseNotePath(path);

async function begin(notes: readonly SeedNote[] = []) {
  const { fake, client } = await start({ notes });
  const store = openTriliumStore({
    client,
    markdown: { toHtml: (text) => toHtml(text), toMarkdown: (html) => toMarkdown(html) },
    cleanFile,
  });
  onTestFinished(() => store.close());
  const labels = (noteId: string) =>
    fake.db
      .ownAttributes(noteId)
      .filter(({ type }) => type === 'label')
      .sort((a, b) => a.position - b.position)
      .map(({ name, value }) => (value === '' ? `#${name}` : `#${name}=${value}`));
  const noteOf = (title: string) =>
    [...fake.db.notes.values()].find((note) => note.title === title && note.deleteId === undefined)!;
  const text = async (path: string) => textOf(await store.read(at(path)));
  return { fake, client, store, labels, noteOf, text };
}

const NOTE = {
  id: 'note01',
  title: 'N',
  content: '<p>Hello</p>',
  labels: { status: 'open', todo: '', iconClass: 'bx bx-star' },
} as const;

describe('reading', () => {
  test('own labels are frontmatter, value-less ones tags; inherited, reserved and relations are not', async () => {
    const { text, fake } = await begin([
      {
        id: 'top001',
        title: 'T',
        type: 'book',
        inherited: { area: 'x' },
        children: [{ ...NOTE, relations: { target: 'top001' } }],
      },
    ]);
    fake.db.addLabel('note01', 'run', 'frontendStartup');
    fake.db.addLabel('note01', 'tag', 'to-do');
    fake.db.addLabel('note01', 'status', 'late');
    expect(await text('T/N.md')).toBe(
      '---\nstatus:\n  - open\n  - late\ntags:\n  - todo\n  - to-do\n---\nHello',
    );
  });

  test('a note without labels has no frontmatter, not even one that begins with a rule', async () => {
    const { text, store, fake } = await begin([
      { id: 'plain1', title: 'P', content: '<p>p</p>' },
      { id: 'rule01', title: 'R', content: '<hr><p>status: open</p><hr><p>x</p>' },
    ]);
    expect(await text('P.md')).toBe('p');
    const rule = await text('R.md');
    expect(rule.startsWith('***')).toBe(true);
    await store.write(at('R.md'), `${rule}\n\ny`);
    expect(fake.text('rule01')).toBe('<hr><p>status: open</p><hr><p>x</p><p>y</p>');
  });

  test('a code note of markdown keeps its frontmatter in its text', async () => {
    const content = '---\nstatus: open\n---\nx';
    const { text, store, labels } = await begin([
      { id: 'code01', title: 'c.md', type: 'code', mime: 'text/markdown', content, labels: { a: 'b' } },
    ]);
    expect(await text('c.md')).toBe(content);
    await store.write(at('c.md'), `${content}y`);
    expect(await text('c.md')).toBe(`${content}y`);
    expect(labels('code01')).toEqual(['#a=b']);
  });

  test('listing tells of a label that changed, came or went, and asks once', async () => {
    const { store, fake } = await begin([NOTE, { id: 'note02', title: 'M', content: '<p>m</p>' }]);
    const stamp = async () => (await store.list()).find(({ path }) => path === 'N.md')?.lastModified;
    const seen = [await stamp()];
    const row = fake.db.ownAttributes('note01').find(({ name }) => name === 'status')!;
    row.value = 'done';
    seen.push(await stamp());
    fake.db.attributes.delete(row.attributeId);
    seen.push(await stamp());
    const from = fake.requests.length;
    await stamp();
    expect(fake.requests.length - from).toBeLessThanOrEqual(2);
    expect(new Set(seen).size).toBe(3);
  });
});

describe('writing', () => {
  const FULL = [
    '---',
    'status: open',
    'aliases:',
    '  - a',
    '  - b',
    'tags:',
    '  - todo',
    '  - work/inbox',
    'done: false',
    'count: 3',
    'id: "3"',
    'created-at: 2026-11-01',
    'run: frontendStartup',
    'nested:',
    '  a:',
    '    - 1',
    'long: |-',
    '  one',
    '  two',
    '---',
    '# Title',
    '',
    'Text',
  ].join('\n');

  test('what is written is read again, and stands in labels', async () => {
    const { store, text, labels, noteOf, fake } = await begin();
    const { version } = await store.write(at('A.md'), FULL);
    const { noteId } = noteOf('A');
    expect(fake.text(noteId)).not.toContain('status');
    expect(fake.text(noteId)).not.toContain('<hr>');
    expect(labels(noteId)).toEqual([
      '#status=open',
      '#aliases=a',
      '#aliases=b',
      '#todo',
      '#tag=work/inbox',
      '#done=false',
      '#count=3',
      '#id="3"',
      '#frontmatter={"created-at":"2026-11-01"}',
      '#frontmatter={"run":"frontendStartup"}',
      '#nested={"a":[1]}',
      '#long=one\ntwo',
    ]);
    const read = await store.read(at('A.md'));
    expect(textOf(read)).toBe(FULL.replace('# Title', toMarkdown(toHtml('# Title'))));
    expect(read.version).toBe(version);
    const from = fake.requests.length;
    await store.write(at('A.md'), textOf(read), { ifVersion: version });
    expect(fake.requests.slice(from).filter((one) => !one.startsWith('GET'))).toEqual([]);
    expect(await text('A.md')).toBe(textOf(read));
  });

  test('a change of frontmatter leaves the HTML as it is, reserved labels, relations and the spelling of the rest', async () => {
    const html = '<p>Odd&nbsp;<span style="color:red">html</span></p>';
    const { store, text, labels, fake } = await begin([
      { ...NOTE, content: html, relations: { target: 'root' } },
    ]);
    fake.db.addLabel('note01', 'tag', 'urgent');
    fake.db.addLabel('note01', 'meta', '{ "a": 1 }');
    const before = await text('N.md');
    await store.write(
      at('N.md'),
      before.replace('status: open', 'status: done').replace('  - todo\n', '  - new\n'),
    );
    expect(labels('note01').sort()).toEqual(
      ['#iconClass=bx bx-star', '#meta={ "a": 1 }', '#new', '#status=done', '#tag=urgent'].sort(),
    );
    expect(fake.text('note01')).toBe(html);
    expect([...fake.db.revisions.values()]).toEqual([]);
    expect(fake.db.ownAttributes('note01').filter(({ type }) => type === 'relation')).toHaveLength(1);
    expect(await text('N.md')).toContain('tags:\n  - new\n  - urgent\n');
  });

  test('a text without frontmatter takes the labels away, but none of Trilium’s own', async () => {
    const { store, labels } = await begin([NOTE]);
    await store.write(at('N.md'), 'bare');
    expect(labels('note01')).toEqual(['#iconClass=bx bx-star']);
  });

  test('the version counts labels: a condition on one that changed is a conflict, and nothing is written', async () => {
    const { store, fake, labels } = await begin([NOTE]);
    const { version } = await store.read(at('N.md'));
    fake.db.addLabel('note01', 'theirs', 'x');
    const before = labels('note01');
    for (const work of [
      () => store.write(at('N.md'), 'mine', { ifVersion: version }),
      () => store.remove(at('N.md'), { ifVersion: version }),
    ])
      expect(await caught(work)).toMatchObject({ code: 'conflict' });
    expect(labels('note01')).toEqual(before);
    expect(fake.text('note01')).toBe('<p>Hello</p>');
  });

  test('of two conditional changes of frontmatter at once, one is a conflict', async () => {
    const { store } = await begin([NOTE]);
    const { version } = await store.read(at('N.md'));
    const done = await Promise.allSettled(
      ['a', 'b'].map((value) =>
        store.write(at('N.md'), `---\nstatus: ${value}\n---\n\nHello`, { ifVersion: version }),
      ),
    );
    expect(done.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  test('a label that another client sets during the write stays', async () => {
    const { store, fake, labels } = await begin([NOTE]);
    fake.faults.after = ({ method, path }) => {
      if (method === 'PUT' && path.endsWith('/note01/content')) fake.db.addLabel('note01', 'theirs', 'x');
    };
    await store.write(at('N.md'), '---\nstatus: done\n---\nother');
    expect(labels('note01')).toEqual(expect.arrayContaining(['#status=done', '#theirs=x']));
    expect(labels('note01')).not.toContain('#todo');
  });

  test.each([
    ['---\nstatus: [open\n---\nx', 'Invalid frontmatter'],
    ['---\nstatus: open # why\n---\nx', 'The frontmatter holds a comment'],
    ['---\ntags: [{a: 1}]\n---\nx', 'This frontmatter cannot be kept as labels'],
  ])('%j is refused before anything is written', async (content, title) => {
    const { store, fake, labels } = await begin([NOTE]);
    const from = fake.requests.length;
    for (const path of ['N.md', 'new/folder/O.md'])
      expect(await caught(store.write(at(path), content))).toMatchObject({
        title,
        hint: expect.stringContaining('Nothing was written'),
      });
    expect(fake.requests.slice(from).filter((one) => !one.startsWith('GET'))).toEqual([]);
    expect(labels('note01')).toContain('#status=open');
  });

  test('a label that fails: the text stays, nothing is taken away, and the answer says what is missing', async () => {
    const { store, fake, labels } = await begin([NOTE]);
    fake.faults.fate = ({ method, path }) =>
      method === 'POST' && path.endsWith('/attributes')
        ? { kind: 'status', status: 500, applies: false }
        : undefined;
    const error = await caught(store.write(at('N.md'), '---\nfresh: x\n---\nnew text'));
    expect(error).toMatchObject({ title: 'The text is written, but not all of its frontmatter' });
    expect(error.hint).toContain('#fresh=x');
    expect(labels('note01')).toEqual(['#status=open', '#todo', '#iconClass=bx bx-star']);
    expect(fake.text('note01')).toBe('<p>new text</p>');
    await caught(store.write(at('Made.md'), '---\nfresh: x\n---\nnew text'));
    fake.faults.fate = () => undefined;
    expect((await store.list()).map(({ path }) => path)).toEqual(['N.md']);
  });
});

describe('the notebook tools', () => {
  async function served(notes: readonly SeedNote[] = [NOTE]) {
    const begun = await begin(notes);
    const { call } = await withStore(begun.store);
    const ok = async (tool: string, args: Record<string, unknown>) => {
      const answer = await call(tool, args);
      expect(answer.isError, answer.text).toBe(false);
      return answer;
    };
    return { ...begun, ok };
  }

  test('write_note, get_frontmatter, update_frontmatter and manage_tags', async () => {
    const { ok, labels, noteOf, text } = await served([]);
    const path = 'A.md';
    await ok('write_note', { path, content: 'Hello', frontmatter: { status: 'open', tags: ['a', 'b'] } });
    const { noteId } = noteOf('A');
    expect(labels(noteId)).toEqual(['#status=open', '#a', '#b']);
    expect((await ok('get_frontmatter', { path })).text).toContain('open');
    await ok('update_frontmatter', { path, frontmatter: { status: 'done', 'due-by': '2026-12-01' } });
    await ok('manage_tags', { path, operation: 'add', tags: ['c-d'] });
    await ok('manage_tags', { path, operation: 'remove', tags: ['a'] });
    expect(labels(noteId).sort()).toEqual(
      ['#b', '#frontmatter={"due-by":"2026-12-01"}', '#status=done', '#tag=c-d'].sort(),
    );
    await ok('write_note', { path, content: 'More', mode: 'append', frontmatter: { tags: ['e'] } });
    expect(labels(noteId)).toContain('#e');
    expect(await text(path)).toMatch(/Hello\n\nMore/);
  });

  test('tags that were set in Trilium are found by search', async () => {
    const { ok } = await served([
      { id: 'note01', title: 'N', content: '<p>Hello</p>', labels: { gardening: '', season: 'autumnal' } },
      { id: 'note02', title: 'M', content: '<p>Other</p>' },
    ]);
    for (const query of ['gardening', 'autumnal']) {
      const { text: found } = await ok('search_notes', { query, searchFrontmatter: true });
      expect(found).toContain('N.md');
      expect(found).not.toContain('M.md');
    }
  });
});

/** append_to_page and prepend_to_page: text is added to what is there, also while other clients write. */
import { expect, test } from 'vitest';
import type { NotePath } from '../../../src/notes/path.ts';
import type { NoteStore } from '../../../src/notes/store.ts';
import { textOf } from '../../../src/notes/text/text.ts';
import { openMemoryStore } from '../../../src/stores/memory.ts';
import { startProgram, type ToolClient, withPages, withPagesOver } from '../../kit/server.ts';
import { fileText, putFile, temporaryFolder } from '../../kit/temp.ts';
import { snapshot } from '../notebook/support.ts';
import { errorOf, expectCode, expectOk } from './support.ts';

const A = 'a.md' as NotePath;
const append = ({ call }: ToolClient, content: string, page = 'a') =>
  call('append_to_page', { page, content });
const prepend = ({ call }: ToolClient, content: string, more: object = {}) =>
  call('prepend_to_page', { page: 'a', content, ...more });

test('text is appended after a blank line, and no marker comes back', async () => {
  const connected = await withPages({ 'a.md': '# new\n' });
  const { json } = expectOk(await append(connected, 'appended'));
  expect(json).toEqual({ path: 'a.md', bytesAdded: 8 });
  expect(await fileText(connected.folder, 'a.md')).toBe('# new\n\nappended');
});

test('text is prepended below the frontmatter, or on top', async () => {
  const connected = await withPages({ 'a.md': '---\ntags: x\n---\n# new\n' });
  expect(expectOk(await prepend(connected, 'prepended')).json).toEqual({
    path: 'a.md',
    bytesAdded: 9,
    insertedAfterFrontmatter: true,
  });
  expect(expectOk(await prepend(connected, 'very top', { position: 'top' })).json).toEqual({
    path: 'a.md',
    bytesAdded: 8,
    insertedAfterFrontmatter: false,
  });
  expect(await fileText(connected.folder, 'a.md')).toBe('very top\n---\ntags: x\n---\n\nprepended\n# new\n');
});

test.each([
  ['---\na: 1\n---', '---\na: 1\n---\n\nX\n', true],
  ['\uFEFF---\r\na: 1\r\n---\r\ntext\r\n', '\uFEFF---\r\na: 1\r\n---\r\n\r\nX\r\ntext\r\n', true],
  ['no frontmatter', 'X\nno frontmatter', false],
])('prepended to %j', async (before, after, insertedAfterFrontmatter) => {
  const connected = await withPages({ 'a.md': before });
  expect((await prepend(connected, 'X', { position: 'after_frontmatter' })).json).toMatchObject({
    insertedAfterFrontmatter,
  });
  expect(await fileText(connected.folder, 'a.md')).toBe(after);
});

test('bytes are counted, not letters', async () => {
  expect((await append(await withPages({ 'a.md': 'x' }), 'é😀')).json.bytesAdded).toBe(6);
});

test.each(['append_to_page', 'prepend_to_page'])('%s makes no pages', async (tool) => {
  const { call, folder } = await withPages();
  expectCode(await call(tool, { page: 'nope/none', content: 'x' }), 'not_found', {
    status: 404,
    path: 'nope/none.md',
    message: 'Not found: nope/none.md',
  });
  expect(await snapshot(folder)).toEqual({});
});

test.each(['append_to_page', 'prepend_to_page'])('%s never touches what is no text', async (tool) => {
  const { call, folder } = await withPages({ 'a.md': Uint8Array.of(0x78, 0xe9) });
  expectCode(await call(tool, { page: 'a', content: 'x' }), 'upstream', { status: 415 });
  expect((await snapshot(folder))['a.md']).toBe('x\xe9');
});

test('a position there is not', async () => {
  const connected = await withPages({ 'a.md': 'x' });
  for (const position of ['bottom', 'TOP', '', 1, null])
    expect(expectCode(await prepend(connected, 'y', { position }), 'invalid_arguments').message).toContain(
      'position',
    );
});

/** A store another editor writes to right before the first `times` writes of ours. */
function contended(times: number): { store: NoteStore; inner: NoteStore; writes: () => number } {
  const inner = openMemoryStore({ 'a.md': 'base' });
  let writes = 0;
  const store: NoteStore = {
    ...inner,
    write: async (path, content, conditions) => {
      if (writes++ < times) await inner.write(path, `${textOf(await inner.read(path))}\nedit ${writes}`);
      return inner.write(path, content, conditions);
    },
  };
  return { store, inner, writes: () => writes };
}

test.each(['append_to_page', 'prepend_to_page'])(
  '%s begins anew when another client was quicker, up to five times',
  async (tool) => {
    const { store, inner } = contended(5);
    const { call } = await withPagesOver(store);
    expectOk(await call(tool, { page: 'a', content: 'ours' }));
    const text = textOf(await inner.read(A));
    for (const line of ['base', 'edit 1', 'edit 5', 'ours']) expect(text).toContain(line);
  },
);

test.each(['append_to_page', 'prepend_to_page'])(
  '%s gives up as a conflict, and nothing is lost',
  async (tool) => {
    const { store, inner, writes } = contended(100);
    const { call } = await withPagesOver(store);
    const payload = expectCode(await call(tool, { page: 'a', content: 'ours' }), 'conflict', {
      status: 409,
      path: 'a.md',
    });
    expect(payload).not.toHaveProperty('expectedLastModified');
    expect(writes()).toBe(6);
    const text = textOf(await inner.read(A));
    expect(text).toBe(`base${Array.from({ length: 6 }, (_, i) => `\nedit ${i + 1}`).join('')}`);
  },
);

test('many appenders at once, in this process, lose nothing', async () => {
  const connected = await withPages({ 'a.md': '---\nk: 1\n---\nbase\n' });
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, i) =>
      i % 2 ? append(connected, `- line ${i}.`) : prepend(connected, `- line ${i}.`),
    ),
  );
  for (const answer of answers) expectOk(answer);
  const text = await fileText(connected.folder, 'a.md');
  for (let i = 0; i < 40; i++) expect(text.split(`- line ${i}.`)).toHaveLength(2);
  expect(text).toMatch(/^---\nk: 1\n---\n/);
  expect(text).toContain('base\n');
});

test('several servers on one folder: what was acknowledged is there', async () => {
  const folder = await temporaryFolder({ 'a.md': 'base\n' });
  await putFile(folder, 'conf/quire.yaml', 'notebooks:\n  space: { folder: .., tools: pages }\n');
  const servers = await Promise.all(
    [1, 2, 3].map(() => startProgram(['--config', `${folder}/conf/quire.yaml`])),
  );
  const acknowledged: string[] = [];
  await Promise.all(
    servers.flatMap((server, at) =>
      Array.from({ length: 8 }, async (_, i) => {
        const line = `- server ${at} line ${i}.`;
        const answer = await append(server, line);
        if (answer.json.error === undefined) acknowledged.push(line);
        else expect(errorOf(answer).error).toBe('conflict');
      }),
    ),
  );
  const text = await fileText(folder, 'a.md');
  expect(text.startsWith('base\n')).toBe(true);
  expect(acknowledged.length).toBeGreaterThan(12);
  for (const line of acknowledged) expect(text.split(line)).toHaveLength(2);
});

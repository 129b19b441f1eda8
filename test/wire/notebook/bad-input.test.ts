import { expect, test } from 'vitest';
import { badlyRefused } from '../../kit/bad-input.ts';
import { type InFolder, startBinary, withFolder } from '../../kit/server.ts';
import { temporaryFolder } from '../../kit/temp.ts';
import { SUBJECTS } from './bad-input-cases.ts';
import { expectError, snapshot } from './support.ts';

const SEED = {
  'a.md': '---\nk: 0\n---\ntext\n',
  'b.md': '[[a]]\n',
  'sub/c.md': 'c\n',
  '.git/config': 'git\n',
};

async function alive({ call }: Pick<InFolder, 'call'>): Promise<void> {
  expect((await call('read_note', { path: 'b.md' })).json.content).toBe('[[a]]\n');
}

test.each(Object.keys(SUBJECTS))(
  '%s refuses every bad value by the name of its parameter and writes nothing',
  async (tool) => {
    const connected = await withFolder(SEED);
    const before = await snapshot(connected.folder);
    const wrong = await badlyRefused(tool, SUBJECTS, connected.call, ({ isError, text, content }) => {
      if (!isError) return { wrong: 'accepted' };
      if (!/^Error: /.test(text) || content.length !== 1) return { wrong: 'wrong form' };
      return /Internal error/.test(text) ? { wrong: 'internal' } : { words: text };
    });
    expect(await snapshot(connected.folder)).toEqual(before);
    expect(wrong).toEqual([]);
    await alive(connected);
  },
);

test.each(Object.entries(SUBJECTS))(
  '%s refuses an unknown parameter by name and suggests the right one',
  async (tool, { good, parameters }) => {
    const connected = await withFolder(SEED);
    const before = await snapshot(connected.folder);
    for (const parameter of Object.keys(parameters)) {
      const typo = `${parameter.slice(0, -1)}_`;
      const answer = await connected.call(tool, { ...good, [typo]: good[parameter] ?? true });
      expectError(answer, new RegExp(`unknown parameter "${typo}", did you mean "${parameter}"\\?`));
    }
    const odd = await connected.call(tool, { ...good, completely_different: 1, constructor: 2 });
    expectError(odd, /unknown parameter "completely_different".*unknown parameter "constructor"/);
    expect(odd.text).toContain(`${tool} takes: `);
    expect(await snapshot(connected.folder)).toEqual(before);
    await alive(connected);
  },
);

test.each(Object.entries(SUBJECTS))('%s refuses arguments that are not an object', async (tool) => {
  const connected = await withFolder(SEED);
  const before = await snapshot(connected.folder);
  for (const args of ['text', 5, [1], null]) {
    const called = connected.client.request({
      method: 'tools/call',
      params: { name: tool, arguments: args },
    } as never);
    const outcome = await called.then(
      (result) => (result as { isError?: boolean }).isError === true,
      (error: { code?: number }) => error.code === -32602 || error.code === -32603,
    );
    // Without arguments, as with an empty object, a tool that needs none simply answers.
    expect(outcome || (args === null && tool === 'list_directory'), `${tool} ${JSON.stringify(args)}`).toBe(
      true,
    );
  }
  expect(await snapshot(connected.folder)).toEqual(before);
  await alive(connected);
});

test('a key __proto__ among the arguments is refused like any other unknown parameter', async () => {
  const connected = await withFolder(SEED);
  const args = JSON.parse('{"path":"a.md","__proto__":{"content":"x"}}') as Record<string, unknown>;
  const answer = await connected.call('read_note', args);
  if (answer.isError) expectError(answer, /__proto__/);
  else expect(answer.json.content).toBe('text\n');
  expect(({} as Record<string, unknown>).content).toBeUndefined();
});

test.each([
  ['a control character in a value', { k: 'a\u0000b' }],
  ['half a character in a value', { k: 'a\ud800' }],
  ['half a character in a key', { 'a\ud800': 1 }],
  ['half a character deep inside', { k: [{ x: '\udc00' }] }],
])('frontmatter with %s does not spoil the note', async (_, frontmatter) => {
  const connected = await withFolder(SEED);
  const before = await snapshot(connected.folder);
  const answer = await connected.call('update_frontmatter', { path: 'a.md', frontmatter });
  if (answer.isError) {
    expect(answer.text).toMatch(/frontmatter/i);
    expect(await snapshot(connected.folder)).toEqual(before);
  } else {
    const { json } = await connected.call('get_frontmatter', { path: 'a.md' });
    expect(json).toEqual({ k: 0, ...frontmatter });
  }
  await alive(connected);
});

test('frontmatter nested beyond all measure is refused and the server goes on', async () => {
  const connected = await withFolder(SEED);
  const before = await snapshot(connected.folder);
  let deep: unknown = 1;
  for (let i = 0; i < 3_000; i++) deep = { a: deep };
  const answer = await connected.call('update_frontmatter', { path: 'a.md', frontmatter: { deep } });
  expectError(answer, /frontmatter/i);
  expect(await snapshot(connected.folder)).toEqual(before);
  await alive(connected);
});

test('a folder for a name that cannot be is not made', async () => {
  const connected = await withFolder(SEED);
  const before = await snapshot(connected.folder);
  for (const path of ['new/con.md', 'new/aux/x.md', 'new/deep/a:b.md', 'new/dot./x.md', 'b.md/x.md'])
    expect((await connected.call('write_note', { path, content: 'x' })).isError, path).toBe(true);
  for (const newPath of ['new/con.md', 'new/aux/x.md', 'b.md/x.md'])
    expect((await connected.call('move_note', { oldPath: 'a.md', newPath })).isError, newPath).toBe(true);
  expect(await snapshot(connected.folder)).toEqual(before);
});

test('an unknown tool is a protocol error that suggests a known one', async () => {
  const { client } = await withFolder(SEED);
  await expect(client.callTool({ name: 'read_notes', arguments: {} })).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining('read_note'),
  });
  for (const name of ['__proto__', 'constructor', '', 'x'.repeat(100_000)])
    await expect(client.callTool({ name, arguments: {} })).rejects.toMatchObject({ code: -32602 });
});

test('the binary itself survives a megabyte of path and ten thousand paths', async () => {
  const folder = await temporaryFolder(SEED);
  const connected = await startBinary(folder);
  expectError(
    await connected.call('read_note', { path: 'x'.repeat(1_000_000) }),
    /path: longer than 4096 characters/,
  );
  const paths = Array.from({ length: 10_000 }, (_, i) => `${i}.md`);
  expectError(await connected.call('read_multiple_notes', { paths }), /paths: at most 10 notes/);
  await alive(connected);
});

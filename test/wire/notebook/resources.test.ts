import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startBinary, withFolder, withMemory } from '../../kit/server.ts';
import { temporaryFolder } from '../../kit/temp.ts';

const ODD_NAMES = [
  'plain.md',
  'with space.md',
  'hash #1.md',
  '100%.md',
  '%41.md',
  'why?.md',
  'a&b=c+d.md',
  'quote\'s "here".md',
  'emoji 😀.md',
  'nfd e\u0301.md',
  'folder with space/sub#/deep?.md',
  'semi;colon,comma.md',
  '[[brackets]].md',
  ' leading space.md',
];

test('every note is listed as a resource, in path order, and read back by its address', async () => {
  const { client } = await withFolder(Object.fromEntries(ODD_NAMES.map((name) => [name, `text of ${name}`])));
  const { resources } = await client.listResources();
  expect(resources).toHaveLength(ODD_NAMES.length);
  const read = new Map<string, string>();
  for (const { uri, name, mimeType } of resources) {
    expect(uri).toMatch(/^note:\/\/\/[\w\-.~!*'()%/]+$/);
    expect(new URL(uri).protocol).toBe('note:');
    expect(mimeType).toBe('text/markdown');
    const { contents } = await client.readResource({ uri });
    expect(contents).toHaveLength(1);
    expect(contents[0]?.uri).toBe(uri);
    read.set(name, (contents[0] as { text: string }).text);
  }
  for (const path of ODD_NAMES) expect([...read.values()], path).toContain(`text of ${path}`);
});

test('an entry has name, size and time of change, and nothing of the host', async () => {
  const { client, folder } = await withFolder({ 'sub/a.md': 'éa' });
  const { resources } = await client.listResources();
  expect(resources).toHaveLength(1);
  expect(resources[0]).toMatchObject({
    uri: 'note:///sub/a.md',
    name: 'a.md',
    mimeType: 'text/markdown',
    size: 3,
    annotations: { lastModified: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) },
  });
  expect(JSON.stringify(resources)).not.toContain(folder);
});

test('twelve hundred notes come in pages, each note once', async () => {
  const seed = Object.fromEntries(Array.from({ length: 1_200 }, (_, i) => [`f${i % 7}/n ${i}.md`, 'x']));
  const { client } = await withMemory(seed);
  const seen: string[] = [];
  let cursor: string | undefined;
  let pages = 0;
  do {
    const page = (await client.request({
      method: 'resources/list',
      params: cursor === undefined ? {} : { cursor },
    })) as { resources: { uri: string }[]; nextCursor?: string };
    expect(page.resources.length).toBeLessThanOrEqual(500);
    seen.push(...page.resources.map(({ uri }) => uri));
    cursor = page.nextCursor;
    pages++;
  } while (cursor !== undefined && pages < 10);
  expect(pages).toBe(3);
  expect(new Set(seen).size).toBe(1_200);
  expect((await client.listResources()).resources).toHaveLength(1_200);
});

test('a cursor that was not given out is refused as a bad parameter', async () => {
  const { client } = await withMemory({ 'a.md': 'x' });
  for (const cursor of ['!!!', '../..', 'x'.repeat(10_000)])
    await expect(client.request({ method: 'resources/list', params: { cursor } })).rejects.toMatchObject({
      code: -32602,
    });
  const past = await client.request({ method: 'resources/list', params: { cursor: 'enp6' } });
  expect(past).toMatchObject({ resources: [] });
});

test('the template says how addresses are made', async () => {
  const { client } = await withMemory({});
  const { resourceTemplates } = await client.listResourceTemplates();
  expect(resourceTemplates).toMatchObject([{ uriTemplate: 'note:///{+path}', name: 'note' }]);
});

test('an empty notebook has no resources', async () => {
  const { client } = await withFolder();
  expect((await client.listResources()).resources).toEqual([]);
});

test('an address is read in either spelling of a name', async () => {
  const { client } = await withFolder({ 'cafe\u0301.md': 'found' });
  for (const uri of ['note:///cafe%CC%81.md', 'note:///caf%C3%A9.md']) {
    const { contents } = await client.readResource({ uri });
    expect(contents).toMatchObject([{ uri, text: 'found' }]);
  }
});

test.each([
  ['a missing note', 'note:///no.md', /File not found: no\.md/],
  ['a hidden note', 'note:///.git/config', /Access denied: \.git\/config/],
  ['a note in the trash', 'note:///.trash/a.md', /Access denied/],
  ['another kind of file', 'note:///p.png', /Access denied: p\.png/],
  ['a path that climbs out', 'note:///../a.md', /Path traversal not allowed/],
  ['the same, escaped', 'note:///%2e%2e/a.md', /Path traversal not allowed/],
  ['the same, with an escaped slash', 'note:///..%2Fa.md', /Path traversal not allowed/],
  ['an escaped NUL', 'note:///a%00.md', /Invalid path/],
  ['a broken escape', 'note:///%zz.md', /Invalid resource/],
  ['another scheme', 'file:///etc/passwd', /Invalid resource/],
  ['a host', 'note://host/a.md', /Invalid resource/],
  ['nothing', 'note:///', /Invalid path/],
  ['a folder', 'note:///sub', /The path has no extension: sub/],
  ['a link that leads out', 'note:///out.md', /Access denied: out\.md/],
])('%s is refused', async (_, uri, says) => {
  const { client, folder } = await withFolder({
    'a.md': 'x',
    'sub/b.md': 'y',
    '.git/config': 'secret',
    '.trash/a.md': 'old',
    'p.png': 'png',
  });
  await symlink('/etc/hostname', join(folder, 'out.md'));
  const reading = client.readResource({ uri });
  await expect(reading).rejects.toMatchObject({ code: -32602, message: expect.stringMatching(says) });
});

test('an allowed image comes as a blob, text in another encoding is refused', async () => {
  const bytes = Uint8Array.of(0, 255, 7);
  const { client } = await withFolder(
    { 'p.png': bytes, 'l.md': Uint8Array.of(0xe9) },
    { extensions: ['.md', '.png'] },
  );
  const { contents } = await client.readResource({ uri: 'note:///p.png' });
  expect(contents).toEqual([
    { uri: 'note:///p.png', mimeType: 'image/png', blob: Buffer.from(bytes).toString('base64') },
  ]);
  await expect(client.readResource({ uri: 'note:///l.md' })).rejects.toThrow('Not a UTF-8 text note');
});

test('paths are completed, first those that begin so, then those that contain it', async () => {
  const { client } = await withMemory({
    'plan.md': '',
    'Projects/a.md': '',
    'x/My Plan.md': '',
    'é/ü.md': '',
    'z.md': '',
  });
  const complete = async (value: string) =>
    (
      await client.complete({
        ref: { type: 'ref/resource', uri: 'note:///{+path}' },
        argument: { name: 'path', value },
      })
    ).completion;
  expect(await complete('pl')).toMatchObject({
    values: ['plan.md', 'x/My Plan.md'],
    total: 2,
    hasMore: false,
  });
  expect((await complete('PROJ')).values).toEqual(['Projects/a.md']);
  expect((await complete('e\u0301/')).values).toEqual(['é/ü.md']);
  expect((await complete('')).values).toHaveLength(5);
  expect((await complete('nowhere')).values).toEqual([]);
});

test('at most a hundred completions come, with the count of all', async () => {
  const { client } = await withMemory(
    Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`n${i}.md`, ''])),
  );
  const { completion } = await client.complete({
    ref: { type: 'ref/resource', uri: 'note:///{+path}' },
    argument: { name: 'path', value: 'n' },
  });
  expect(completion.values).toHaveLength(100);
  expect(completion).toMatchObject({ total: 150, hasMore: true });
});

test('only the path can be completed', async () => {
  const { client } = await withMemory({ 'a.md': '' });
  await expect(
    client.complete({
      ref: { type: 'ref/resource', uri: 'note:///{+path}' },
      argument: { name: 'x', value: '' },
    }),
  ).rejects.toMatchObject({ code: -32602 });
  await expect(
    client.complete({ ref: { type: 'ref/prompt', name: 'x' }, argument: { name: 'path', value: '' } }),
  ).rejects.toMatchObject({ code: -32602 });
});

test.each(['auto', 'legacy'] as const)('the binary lists and reads resources in mode %s', async (mode) => {
  const { client } = await startBinary(await temporaryFolder({ 'a b.md': 'x' }), [], { mode });
  expect((await client.listResources()).resources).toMatchObject([{ uri: 'note:///a%20b.md' }]);
  expect((await client.readResource({ uri: 'note:///a%20b.md' })).contents).toMatchObject([{ text: 'x' }]);
});

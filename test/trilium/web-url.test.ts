import { describe, expect, test } from 'vitest';
import { createWebAddresses, webBaseOf } from '../../src/stores/trilium/web-url.ts';
import { asked, start } from './kit.ts';

test('a note is shown where it stands in the tree', async () => {
  const { fake, client } = await start({
    notes: [{ id: 'aaaa', title: 'A', children: [{ id: 'bbbb', title: 'B' }] }],
  });
  const url = async (id: string) =>
    createWebAddresses(client, { base: 'https://t.example/x/' }).of(await client.notes.get(id));
  expect(await url('bbbb')).toBe('https://t.example/x/#root/aaaa/bbbb');
  expect(await url('root')).toBe('https://t.example/x/#root');
  fake.db.addBranch('bbbb', '_options');
  expect(await url('bbbb')).toBe('https://t.example/x/#root/aaaa/bbbb');
});

test('a note that leads nowhere is shown by its id', async () => {
  const { fake, client } = await start({
    notes: [{ id: 'aaaa', title: 'A', children: [{ id: 'bbbb', title: 'B' }] }],
  });
  fake.db.branches.delete('root_aaaa');
  fake.db.addBranch('aaaa', 'bbbb');
  const { of } = createWebAddresses(client, { base: 'https://t.example' });
  expect(await of(await client.notes.get('bbbb'))).toBe('https://t.example/#bbbb');
});

test('the web address is that of the API without /etapi', () => {
  for (const url of ['http://h:1', 'http://h:1/', 'http://h:1/etapi', 'http://h:1/etapi/'])
    expect(webBaseOf(url)).toBe('http://h:1');
});

describe('addresses of one Trilium', () => {
  const begin = async (isSubtree = false) => {
    const { fake, client } = await start({
      notes: [{ id: 'aaaa', title: 'A', children: [{ id: 'bbbb', title: 'B' }] }],
    });
    let now = 0;
    const addresses = createWebAddresses(client, { base: 'https://t.example', isSubtree }, () => now);
    const below = (parent: string) => addresses.of({ noteId: 'cccc', parentNoteIds: [parent] });
    return { fake, addresses, below, later: () => (now = 60_000) };
  };

  test('the way up is asked for once a minute, and at once after a move', async () => {
    const { fake, addresses, below, later } = await begin();
    const way = ['GET /notes/bbbb', 'GET /notes/aaaa'];
    for (let time = 0; time < 2; time++)
      expect(await below('bbbb')).toBe('https://t.example/#root/aaaa/bbbb/cccc');
    expect(asked(fake)).toEqual(way);
    fake.db.addBranch('bbbb', 'root');
    fake.db.branches.delete('aaaa_bbbb');
    addresses.forget('bbbb');
    expect(await below('bbbb')).toBe('https://t.example/#root/bbbb/cccc');
    expect(asked(fake)).toEqual([...way, 'GET /notes/bbbb']);
    later();
    await below('bbbb');
    expect(asked(fake)).toEqual([...way, 'GET /notes/bbbb', 'GET /notes/bbbb']);
  });

  test('a way that could not be read is asked for again', async () => {
    const { fake, addresses, below } = await begin();
    fake.faults.fate = () => ({ kind: 'status', status: 500, applies: false });
    expect(await below('bbbb')).toBe('https://t.example/#cccc');
    fake.faults.fate = () => undefined;
    expect(await below('bbbb')).toBe('https://t.example/#root/aaaa/bbbb/cccc');
    addresses.learn({ noteId: 'dddd', parentNoteIds: ['aaaa'] });
    const before = fake.requests.length;
    expect(await below('dddd')).toBe('https://t.example/#root/aaaa/dddd/cccc');
    expect(fake.requests).toHaveLength(before);
  });

  test('inside a subtree no way leads to the root, and none is asked for', async () => {
    const { fake, addresses, below } = await begin(true);
    addresses.prepare({ parentNoteIds: ['bbbb'] });
    expect(await below('bbbb')).toBe('https://t.example/#cccc');
    expect(fake.requests).toEqual([]);
  });
});

import { expect, test } from 'vitest';
import { webBaseOf, webUrlOf } from '../../src/stores/trilium/web-url.ts';
import { start } from './kit.ts';

test('a note is shown where it stands in the tree', async () => {
  const { fake, client } = await start({
    notes: [{ id: 'aaaa', title: 'A', children: [{ id: 'bbbb', title: 'B' }] }],
  });
  const url = async (id: string) => webUrlOf(client, await client.notes.get(id), 'https://t.example/x/');
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
  expect(await webUrlOf(client, await client.notes.get('bbbb'), 'https://t.example')).toBe(
    'https://t.example/#bbbb',
  );
});

test('the web address is that of the API without /etapi', () => {
  for (const url of ['http://h:1', 'http://h:1/', 'http://h:1/etapi', 'http://h:1/etapi/'])
    expect(webBaseOf(url)).toBe('http://h:1');
});

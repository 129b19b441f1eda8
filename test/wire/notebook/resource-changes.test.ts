/** Notifications of changes, by Quire or another program, for clients that subscribe and clients that listen. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@modelcontextprotocol/client';
import { expect, test, vi } from 'vitest';
import { startBinary, withFolder } from '../../kit/server.ts';
import { putFile, temporaryFolder } from '../../kit/temp.ts';

const SEED = { 'a.md': 'a\n', 'b.md': 'b\n', 'sub/c d.md': 'c\n' };
const A = 'note:///a.md';

interface News {
  readonly updated: string[];
  lists: number;
}

function newsOf(client: Client): News {
  const news: News = { updated: [], lists: 0 };
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    news.updated.push(params.uri);
  });
  client.setNotificationHandler('notifications/resources/list_changed', () => {
    news.lists++;
  });
  return news;
}

/** Makes notes until the first news of one comes, then waits for silence. */
async function watchingHasBegun(folder: string, news: News): Promise<void> {
  for (let i = 0; i < 200 && news.lists === 0; i++) {
    await putFile(folder, `probe/${i}.md`, '');
    await sleep(40);
  }
  await quiet();
  news.updated.length = 0;
  news.lists = 0;
}
const soon = (check: () => void) => vi.waitFor(check, { timeout: 40_000, interval: 30 });
const quiet = () => sleep(300);

test('a subscriber hears of a change by another program and of one by its own tools', async () => {
  const { client, call, folder } = await withFolder(SEED);
  const news = newsOf(client);
  await client.subscribeResource({ uri: A });
  await watchingHasBegun(folder, news);
  await putFile(folder, 'a.md', 'changed outside\n');
  await soon(() => expect(news.updated).toContain(A));
  await quiet();
  news.updated.length = 0;
  await call('patch_note', { path: 'a.md', oldString: 'outside', newString: 'inside' });
  await soon(() => expect(news.updated).toContain(A));
  expect((await client.readResource({ uri: A })).contents).toMatchObject([{ text: 'changed inside\n' }]);
});

test('a subscriber hears nothing of other notes', async () => {
  const { client, call, folder } = await withFolder(SEED);
  const news = newsOf(client);
  await client.subscribeResource({ uri: 'note:///sub/c%20d.md' });
  await watchingHasBegun(folder, news);
  await putFile(folder, 'a.md', 'x');
  await call('write_note', { path: 'b.md', content: 'y' });
  await call('write_note', { path: 'sub/c d.md', content: 'z' });
  await soon(() => expect(news.updated).toContain('note:///sub/c%20d.md'));
  expect(new Set(news.updated).size).toBe(1);
  expect(news.lists).toBe(0);
});

test('unsubscribing stops it', async () => {
  const { client, call, folder } = await withFolder(SEED);
  const news = newsOf(client);
  await client.subscribeResource({ uri: A });
  await watchingHasBegun(folder, news);
  await call('write_note', { path: 'a.md', content: 'one' });
  await soon(() => expect(news.updated).toContain(A));
  await client.unsubscribeResource({ uri: A });
  await quiet();
  news.updated.length = 0;
  await putFile(folder, 'a.md', 'two');
  await call('write_note', { path: 'a.md', content: 'three' });
  await quiet();
  expect(news.updated).toEqual([]);
});

test('notes that come or go change the list, and a list asked for then is the new one', async () => {
  const { client, call, folder } = await withFolder(SEED);
  const news = newsOf(client);
  expect((await client.listResources()).resources).toHaveLength(3);
  await watchingHasBegun(folder, news);
  const listed = async () => (await client.listResources()).resources.map(({ uri }) => uri);
  const changes: [string, () => Promise<unknown>, (uris: string[]) => boolean][] = [
    [
      'created by a tool',
      () => call('write_note', { path: 'n/new.md', content: 'x' }),
      (u) => u.includes('note:///n/new.md'),
    ],
    [
      'created outside',
      () => putFile(folder, 'deep/er/out.md', 'x'),
      (u) => u.includes('note:///deep/er/out.md'),
    ],
    [
      'moved',
      () => call('move_note', { oldPath: 'b.md', newPath: 'moved.md' }),
      (u) => u.includes('note:///moved.md') && !u.includes('note:///b.md'),
    ],
    [
      'deleted by a tool',
      () => call('delete_note', { path: 'a.md', confirmPath: 'a.md' }),
      (u) => !u.includes(A),
    ],
    [
      'deleted outside',
      () => rm(join(folder, 'sub'), { recursive: true }),
      (u) => !u.includes('note:///sub/c%20d.md'),
    ],
  ];
  for (const [what, change, isShown] of changes) {
    news.lists = 0;
    await change();
    await soon(() => expect(news.lists, what).toBeGreaterThan(0));
    expect(isShown(await listed()), what).toBe(true);
    await sleep(120);
  }
});

test('hidden and foreign files make no news', async () => {
  const { client, folder } = await withFolder(SEED);
  const news = newsOf(client);
  await watchingHasBegun(folder, news);
  await putFile(folder, '.obsidian/workspace.json', '{}');
  await putFile(folder, '.git/x.md', 'x');
  await putFile(folder, 'image.png', 'x');
  await putFile(folder, '.hidden.md', 'x');
  await quiet();
  expect(news).toEqual({ updated: [], lists: 0 });
});

test('a client of the newest revision listens for the same news, until it closes', async () => {
  const folder = await temporaryFolder(SEED);
  const { client, call } = await startBinary(folder, [], { mode: 'auto' });
  const news = newsOf(client);
  const subscription = await client.listen({ resourcesListChanged: true, resourceSubscriptions: [A] });
  expect(subscription.honoredFilter).toMatchObject({
    resourcesListChanged: true,
    resourceSubscriptions: [A],
  });
  await watchingHasBegun(folder, news);

  await putFile(folder, 'a.md', 'changed outside\n');
  await soon(() => expect(news.updated).toContain(A));
  await quiet();
  news.updated.length = 0;
  await call('write_note', { path: 'a.md', content: 'by a tool' });
  await soon(() => expect(news.updated).toContain(A));
  await call('write_note', { path: 'b.md', content: 'not asked for' });
  await call('write_note', { path: 'new.md', content: 'x' });
  await soon(() => expect(news.lists).toBeGreaterThan(0));
  expect(new Set(news.updated)).toEqual(new Set([A]));

  await subscription.close();
  await quiet();
  news.updated.length = 0;
  news.lists = 0;
  await call('write_note', { path: 'a.md', content: 'after' });
  await call('delete_note', { path: 'b.md', confirmPath: 'b.md' });
  await quiet();
  expect(news).toEqual({ updated: [], lists: 0 });
});

test('the binary tells a legacy subscriber too', async () => {
  const folder = await temporaryFolder(SEED);
  const { client } = await startBinary(folder);
  const news = newsOf(client);
  await client.subscribeResource({ uri: A });
  await watchingHasBegun(folder, news);
  await putFile(folder, 'a.md', 'changed\n');
  await soon(() => expect(news.updated).toContain(A));
  await putFile(folder, 'new.md', 'x');
  await soon(() => expect(news.lists).toBeGreaterThan(0));
});

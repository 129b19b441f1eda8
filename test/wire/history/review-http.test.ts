/** Review over HTTP among several notebooks: the resource at each endpoint, and news for clients of both eras. */
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { connectHttp, startHttp } from '../../kit/http.ts';
import { connected } from '../../kit/server.ts';
import { desk } from './support.ts';

const PROPOSALS = 'quire://proposals';
const soon = (check: () => void) => vi.waitFor(check, { timeout: 15_000, interval: 30 });

test('clients of both eras hear of a decision in the terminal, and only the reviewed endpoints offer it', async () => {
  const { folder, env, quire, put } = await desk({ 'a.md': 'a\n' });
  await put('../other/b.md', 'b\n');
  await put(
    '../quire.yaml',
    'notebooks: { mine: { folder: notes, review: all }, other: { folder: other } }\nserve: { port: 0 }\n',
  );
  const { origin } = await startHttp(['serve', '--config', join(folder, 'quire.yaml')], env);
  const listed = async (path: string) =>
    (await (await connectHttp(origin, { path })).listResources()).resources.map(({ uri }) => uri);
  expect((await listed('/mcp'))[0]).toBe(PROPOSALS);
  expect(await listed('/mcp/mine')).toContain(PROPOSALS);
  expect(await listed('/mcp/other')).not.toContain(PROPOSALS);

  const heard = { legacy: 0, auto: 0 };
  for (const mode of ['legacy', 'auto'] as const) {
    const client = await connectHttp(origin, { mode });
    client.setNotificationHandler('notifications/resources/updated', () => {
      heard[mode]++;
    });
    if (mode === 'legacy') await client.subscribeResource({ uri: PROPOSALS });
    else await client.listen({ resourceSubscriptions: [PROPOSALS] });
  }
  const { call } = connected(await connectHttp(origin, { mode: 'auto' }));
  const proposed = await call('mine_write_note', { path: 'new.md', content: 'new\n' });
  expect(proposed.text).toMatch(/at http:\S+\/console\/review\?id=p\w{16}\./);
  // Without a session, the next call of the same program is one of the same caller.
  expect((await call('mine_read_note', { path: 'new.md' })).text).toContain('as you proposed it');
  await soon(() => expect(Math.min(heard.legacy, heard.auto)).toBeGreaterThan(0));
  Object.assign(heard, { legacy: 0, auto: 0 });
  expect((await quire('review', 'reject', '--all', '--comment', 'not now')).code).toBe(0);
  await soon(() => expect(Math.min(heard.legacy, heard.auto)).toBeGreaterThan(0));
  expect((await call('mine_read_note', { path: 'a.md' })).text).toContain('who says: not now');
  expect((await call('mine_read_note', { path: 'a.md' })).text).not.toContain('not now');
});

test('what the second brain adds to a reviewed notebook waits too', async () => {
  const { folder, env, quire, put, text } = await desk({ 'a.md': 'a\n' });
  await put(
    '../quire.yaml',
    'notebooks: { mine: { folder: notes, review: all } }\nbrain: true\nserve: { port: 0 }\n',
  );
  const { origin } = await startHttp(['serve', '--config', join(folder, 'quire.yaml')], env);
  const { call } = connected(await connectHttp(origin, { mode: 'legacy' }));
  const added = await call('sb_ingest', { content: '# Bank\n\nCall them.\n', dest: 'bank.md' });
  expect(added.json.status).toBe('created');
  expect(added.json.warnings[0]).toContain('waits for review');
  await expect(text('bank.md')).rejects.toThrow();
  expect((await quire('review', 'accept', '--all')).code).toBe(0);
  expect(await text('bank.md')).toContain('Call them.');
});

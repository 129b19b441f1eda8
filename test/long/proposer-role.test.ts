/** The role proposer over HTTP: from the app of a person to the decision of an admin. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { connectApp, connectClient, serveConsole, signIn } from '../kit/console.ts';
import { temporaryFolder } from '../kit/temp.ts';

test('a person who may only propose accepts nothing and undoes nothing; an admin does', async () => {
  const folder = await temporaryFolder({ 'a.md': 'one\n' });
  const users = ['kim', 'root'];
  const server = await serveConsole({
    config: { notebooks: { notes: { folder, tools: 'notebook' } } },
    users,
    admins: ['root'],
    roles: { kim: 'proposer' },
  });
  const { token, scope } = await connectApp(server, 'kim', { scope: 'notes:read notes:write' });
  expect(scope).not.toContain('notes:write');
  const client = await connectClient(server, { token });
  const text = () => readFile(join(folder, 'a.md'), 'utf8');
  const propose = async (content: string) => {
    const { _meta: meta } = await client.callTool({
      name: 'write_note',
      arguments: { path: 'a.md', content },
    });
    return String(meta?.['quire/proposal']);
  };
  const id = await propose('two\n');
  const [kim, root] = [await signIn(server, 'kim'), await signIn(server, 'root')];
  expect((await kim.get(`/console/review?id=${id}`)).text).not.toContain('value="accept"');
  for (const fields of [
    { id, action: 'accept' },
    { id, all: 'accept' },
  ])
    expect((await kim.post('/console/review', fields)).status).toBe(403);
  expect(await text()).toBe('one\n');
  expect((await root.post('/console/review', { id, action: 'accept' })).status).toBe(303);
  expect(await text()).toBe('two\n');

  const changed = /console\/change\?[^"]*\bid=([^"&]+)/.exec((await kim.get('/console/activity')).text)?.[1];
  const undo = { notebook: 'notes', id: changed ?? '', plan: '' };
  expect([changed !== undefined, (await kim.post('/console/undo', undo)).status]).toEqual([true, 403]);
  const taken = await propose('three\n');
  expect((await kim.post('/console/review', { id: taken, action: 'reject' })).status).toBe(303);
  expect(await text()).toBe('two\n');
});

/** Undoing over HTTP: a preview first, only what was previewed, only by forms of the console, recorded by name. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { connectApp, connectClient, serveConsole, signIn } from '../kit/console.ts';
import { fileText, putFile, temporaryFolder } from '../kit/temp.ts';

const hidden = (text: string, name: string) =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? '';

async function changed(options: { users?: string[]; admins?: string[]; notebook?: object } = {}) {
  const folder = await temporaryFolder({ 'a.md': 'alpha\n' });
  const { users, admins, notebook } = options;
  const state = join(await temporaryFolder(), 'state');
  const config = { notebooks: { mine: { folder, ...notebook } }, state: { dir: state } };
  const server = await serveConsole({ config, users, admins });
  const [user] = users ?? [];
  const token = user === undefined ? undefined : (await connectApp(server, user)).token;
  const client = await connectClient(server, { name: 'App', token });
  await client.callTool({
    name: 'patch_note',
    arguments: { path: 'a.md', oldString: 'alpha', newString: 'one' },
  });
  const person = await signIn(server, user);
  const { text } = await person.get('/console/activity');
  const id = /id=([0-9a-z]{16})&?/.exec(text)?.[1] ?? '';
  return { folder, server, person, client, id, state, preview: `/console/undo?notebook=mine&id=${id}` };
}

test('shows what would become of the note, then does that and nothing else', async () => {
  const { folder, person, id, preview } = await changed();
  const { text, status } = await person.get(preview);
  expect(status).toBe(200);
  expect(text).toContain('a.md: restored');
  expect(await fileText(folder, 'a.md')).toBe('one\n');
  const fields = { notebook: 'mine', id, copies: '', plan: hidden(text, 'plan') };

  await putFile(folder, 'a.md', 'one\nmore\n');
  const moved = await person.post('/console/undo', fields);
  expect(moved.status).toBe(409);
  expect(moved.text).toContain('The notes have changed since you looked');
  expect(await fileText(folder, 'a.md')).toBe('one\nmore\n');

  await putFile(folder, 'a.md', 'one\n');
  const done = await person.post('/console/undo', fields);
  expect(done.status).toBe(303);
  expect(await fileText(folder, 'a.md')).toBe('alpha\n');
  const shown = await person.get(done.location ?? '');
  expect(shown.text).toContain('Undone: 1 change');
  expect(shown.text).toContain('This console for operator');
  const again = await person.get(preview);
  expect(again.status).toBe(400);
  expect(again.text).toContain('already undone');

  // Undoing the undoing brings it back.
  const undoing = new URL(done.location ?? '', 'http://x').searchParams.get('id') ?? '';
  const back = await person.get(`/console/undo?notebook=mine&id=${undoing}`);
  await person.post('/console/undo', { ...fields, id: undoing, plan: hidden(back.text, 'plan') });
  expect(await fileText(folder, 'a.md')).toBe('one\n');
});

test('a form of another site, session or page changes nothing', async () => {
  const { folder, server, person, id, preview } = await changed();
  const fields = { notebook: 'mine', id, copies: '', plan: hidden((await person.get(preview)).text, 'plan') };
  const stranger = await signIn(server);
  const foreignCsrf = hidden((await stranger.get('/')).text, 'csrf');
  for (const [extra, headers] of [
    [{ csrf: '' }, {}],
    [{ csrf: foreignCsrf }, {}],
    [{}, { Origin: 'http://evil.example' }],
    [{}, { 'Sec-Fetch-Site': 'cross-site' }],
    [{}, { 'Sec-Fetch-Site': 'same-site' }],
  ] as const)
    expect((await person.post('/console/undo', { ...fields, ...extra }, headers)).status).toBe(403);
  const unsigned = await fetch(`${server.origin}/console/undo`, {
    method: 'POST',
    body: new URLSearchParams(fields),
    redirect: 'manual',
  });
  expect(unsigned.status).toBe(303);
  expect((await person.post('/console/undo', { ...fields, plan: 'other' })).status).toBe(409);
  expect((await person.post('/console/activity', fields)).status).toBe(405);
  expect(await fileText(folder, 'a.md')).toBe('one\n');
});

test('a user undoes their own changes only, within the rules of the notebook', async () => {
  const { folder, server, person, id, preview, client } = await changed({
    users: ['bo', 'alex'],
    admins: ['alex'],
    notebook: { noDelete: true },
  });
  await client.callTool({ name: 'write_note', arguments: { path: 'new.md', content: 'x' } });
  const created = /id=([0-9a-z]{16})/.exec((await person.get('/console/activity?path=new.md')).text)?.[1];
  const refused = await person.get(`/console/undo?notebook=mine&id=${created}`);
  expect(refused.status).toBe(403);
  expect(refused.text).toContain('deleting is switched off');
  const plan = hidden((await person.get(preview)).text, 'plan');
  expect((await person.post('/console/undo', { notebook: 'mine', id, copies: '', plan })).status).toBe(303);
  expect(await fileText(folder, 'a.md')).toBe('alpha\n');
  // Undone by an admin in turn: the user sees that change only through what it did to theirs.
  const alex = await signIn(server, 'alex');
  expect((await alex.get('/console/activity')).text).toContain('for bo');
});

/** The people page of the console: who can change whom, and what a person without its role sees of it. */
import { expect, test } from 'vitest';
import { serveConsole, signIn } from '../kit/console.ts';
import { temporaryFolder } from '../kit/temp.ts';

test('an admin adds, changes and disables people, others see nothing of it', async () => {
  const notes = await temporaryFolder({ 'a.md': 'alpha' });
  const server = await serveConsole({
    config: { notebooks: { notes: { folder: notes } } },
    users: ['alex', 'bob'],
    admins: ['alex'],
  });
  const [alex, bob] = [await signIn(server, 'alex'), await signIn(server, 'bob')];
  expect((await bob.get('/console/users')).status).toBe(403);
  expect((await bob.post('/console/users', { action: 'add', name: 'eve', role: 'admin' })).status).toBe(403);
  expect((await bob.get('/')).text).not.toContain('/console/users');
  const added = await alex.post('/console/users', { action: 'add', name: 'kim', role: 'admin' });
  const password = /id="password">([a-z0-9-]+)</.exec(added.text)?.[1] ?? '';
  expect(password).toMatch(/^(?:[a-z2-9]{4}-){4}[a-z2-9]{4}$/);
  const kim = await signIn(server, 'kim', password);
  const page = (await kim.get('/console/users')).text;
  for (const name of ['alex', 'bob', 'kim']) expect(page).toContain(`<h2>${name}</h2>`);
  expect(page).toContain('which alone can change this');
  for (const fields of [
    { action: 'disable', name: 'kim' },
    { action: 'role', name: 'kim', role: 'reader' },
  ])
    expect((await kim.post('/console/users', fields)).status).toBe(403);
  expect((await kim.post('/console/users', { action: 'disable', name: 'alex' })).status).toBe(403);
  expect((await kim.post('/console/users', { action: 'role', name: 'kim', role: 'god' })).status).toBe(403);
  expect((await alex.post('/console/users', { action: 'role', name: 'kim', role: 'god' })).status).toBe(400);
  expect((await alex.post('/console/users', { action: 'role', name: 'kim', role: 'reader' })).status).toBe(
    303,
  );
  expect((await kim.get('/console/users')).status, 'no admin any more').toBe(403);
  expect((await alex.post('/console/users', { action: 'disable', name: 'kim' })).location).toBe(
    '/console/users',
  );
  expect((await kim.get('/console/activity')).location, 'signed out').toContain('/console/enter');
  await expect(signIn(server, 'kim', password)).rejects.toThrow('not signed in: 403');
  expect(server.rawLog()).not.toContain(password);

  // No spelling of a name leads around the check that somebody else is meant.
  const zoe = await alex.post('/console/users', { action: 'add', name: 'Zoë', role: 'admin' });
  const own = await signIn(server, 'Zoë', /id="password">([a-z0-9-]+)</.exec(zoe.text)?.[1]);
  for (const name of ['Zoë', 'Zoe\u0308'])
    expect((await own.post('/console/users', { action: 'disable', name })).status).toBe(403);
});

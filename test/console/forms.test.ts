/** Every form of the console, found by following its links: without the value of its session it changes nothing. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { connectClient, serveConsole, signIn } from '../kit/console.ts';
import { temporaryFolder } from '../kit/temp.ts';

const MOST_PAGES = 60;

test('no form of any page can be sent from elsewhere', async () => {
  const folder = await temporaryFolder({ 'a.md': 'one\n', 'b.md': 'two\n' });
  const reviewed = await temporaryFolder({ 'c.md': 'three\n' });
  const server = await serveConsole({
    config: { notebooks: { notes: { folder }, careful: { folder: reviewed, review: 'all' } } },
  });
  const client = await connectClient(server);
  const call = (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args });
  await call('notes_patch_note', { path: 'a.md', oldString: 'one', newString: 'ONE' });
  await call('careful_patch_note', { path: 'c.md', oldString: 'three', newString: 'THREE' });
  const person = await signIn(server);

  const forms = new Map<string, Record<string, string>>();
  const seen = new Set(['/']);
  for (const path of seen) {
    if (seen.size > MOST_PAGES) break;
    const { text } = await person.get(path);
    for (const [, link = ''] of text.matchAll(/href="(\/[^"]*)"/g))
      if (!/\.(?:css|js)$/.test(link)) seen.add(link.replaceAll('&#38;', '&'));
    for (const [, action = '', body = ''] of text.matchAll(
      /<form method="post" action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/g,
    )) {
      const fields = [...body.matchAll(/<(?:input|button)[^>]*name="([^"]*)"[^>]*value="([^"]*)"/g)];
      forms.set(action, Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value])));
    }
  }
  expect([...forms.keys()].sort()).toEqual(
    expect.arrayContaining(['/console/leave', '/console/review', '/console/undo']),
  );
  const attacks: [string, Record<string, string>][] = [
    ['', {}],
    ['0'.repeat(64), {}],
    ['own', { Origin: 'http://127.0.0.1:1' }],
    ['own', { 'Sec-Fetch-Site': 'cross-site' }],
    ['own', { 'Sec-Fetch-Site': 'same-site' }],
  ];
  for (const [action, { csrf = '', ...fields }] of forms)
    for (const [value, headers] of attacks) {
      const answer = await person.post(action, { ...fields, csrf: value === 'own' ? csrf : value }, headers);
      const isRefused = answer.status === 403 || answer.location === '/console/enter';
      expect([action, value, headers, answer.status, isRefused]).toEqual([
        action,
        value,
        headers,
        answer.status,
        true,
      ]);
    }
  expect(await readFile(join(folder, 'a.md'), 'utf8')).toBe('ONE\n');
  expect(await readFile(join(reviewed, 'c.md'), 'utf8')).toBe('three\n');
  expect((await person.get('/')).text).toContain('Sign out');
});

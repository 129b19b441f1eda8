/** Activity over HTTP: what is listed, for whom, and how it is filtered, paged and announced. */
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import {
  type ConsolePerson,
  type ConsoleServer,
  connectApp,
  connectClient,
  creation,
  seedChanges,
  serveConsole,
  signIn,
} from '../kit/console.ts';
import { eventually } from '../kit/eventually.ts';
import { startHttp } from '../kit/http.ts';
import { putFile, temporaryFolder } from '../kit/temp.ts';

async function write(client: Client, path: string, content: string): Promise<void> {
  const { isError } = await client.callTool({ name: 'write_note', arguments: { path, content } });
  expect(isError).not.toBe(true);
}

/** The notes that are named by the entries of a page, in their order. */
function entriesOf(text: string): string[] {
  return [...text.matchAll(/<a class="what"[^>]*>(.*?)<\/a>/gs)].map(([, what = '']) =>
    what.replace(/<[^>]+>/g, ''),
  );
}

const linkIn = (text: string, words: string) =>
  new RegExp(`<a[^>]*href="([^"]*)"[^>]*>[^<]*${words}`).exec(text)?.[1]?.replaceAll('&#38;', '&') ?? '';

test('is filtered, paged in both directions, and keeps its filters in the links', async () => {
  const folder = await temporaryFolder();
  const dir = join(await temporaryFolder(), 'state');
  const server = await serveConsole({ config: { notebooks: { mine: { folder } }, state: { dir } } });
  const person = await signIn(server);
  expect((await person.get('/console/activity')).text).toContain('No change yet');
  const one = { client: 'One app 1.0', session: 'a' };
  const other = { client: 'Other 2.0', session: 'b' };
  const many = Array.from({ length: 110 }, (_, at) => creation(`deep/n${at}.md`, one));
  const last = ['deep/last.md', 'top.md'].map((path) => creation(path, other));
  const visitor = { client: 'Third 1.0', session: 'c' };
  const older = ['kept.md', 'touched.md'].map((path) => creation(path, visitor, 'left'));
  const newer = [
    { path: 'kept.md', before: 'left' },
    { path: 'touched.md', before: 'by hand' },
  ].map((edit) => ({ by: visitor, edits: [{ kind: 'write' as const, ...edit, after: 'new' }] }));
  await seedChanges(folder, dir, [...older, ...many, ...last, ...newer]);

  const outside = [
    ...(await person.get('/console/activity')).text.matchAll(/outside Quire<\/span> <b>([^<]*)/g),
  ];
  expect(outside.map(([, path]) => path)).toEqual(['touched.md']);

  const list = async (query: string) => entriesOf((await person.get(`/console/activity${query}`)).text);
  expect(await list('?app=other')).toEqual(['Created top.md', 'Created deep/last.md']);
  expect(await list('?path=top.md')).toEqual(['Created top.md']);
  expect((await list('?path=deep')).length).toBe(50);
  expect(await list('?tool=delete_note')).toEqual([]);
  expect((await list('?notebook=mine&from=2020-01-01')).length).toBe(50);
  expect(await list('?to=2020-01-01')).toEqual([]);
  expect((await list('?to=2999-12-31')).length).toBe(50);
  expect(await list('?from=2999-12-31')).toEqual([]);

  const first = (await person.get('/console/activity?app=one')).text;
  expect(entriesOf(first)[0]).toBe('Created deep/n109.md');
  const second = (await person.get(linkIn(first, 'Older'))).text;
  expect(entriesOf(second)[0]).toBe('Created deep/n59.md');
  const third = (await person.get(linkIn(second, 'Older'))).text;
  expect(entriesOf(third)).toHaveLength(10);
  expect(third).not.toContain('Older');
  expect(entriesOf((await person.get(linkIn(third, 'Newer'))).text)).toEqual(entriesOf(second));
  expect(entriesOf((await person.get(linkIn(second, 'Newer'))).text)).toEqual(entriesOf(first));
  expect(second).not.toContain('data-live');

  for (const [query, title] of [
    ['?before=nonsense', 'This page of the list does not exist'],
    ['?from=whenever', 'Not a time'],
    ['?notebook=none', 'There is no such notebook'],
  ] as const) {
    const answer = await person.get(`/console/activity${query}`);
    expect([400, 404]).toContain(answer.status);
    expect(answer.text).toContain(title);
  }
});

test('shows everybody their own changes, and an admin all of them', async () => {
  const folder = await temporaryFolder({ 'a.md': 'alpha\n' });
  const config = { notebooks: { mine: { folder } } };
  const server = await serveConsole({ config, users: ['alex', 'bo'], admins: ['alex'] });
  const [alex, bo] = [await signIn(server, 'alex'), await signIn(server, 'bo')];
  const clientOf = async (user: string) => {
    const { token } = await connectApp(server, user);
    return connectClient(server, { name: `App of ${user}`, token });
  };
  await write(await clientOf('alex'), 'secret of alex.md', 'x\n');
  const events = await watch(server, bo);
  await write(await clientOf('bo'), 'note of bo.md', 'y\n');
  await events.next();

  const seen = (await bo.get('/console/activity')).text;
  expect(entriesOf(seen)).toEqual(['Created note of bo.md']);
  expect(seen).not.toContain('alex');
  expect(entriesOf((await alex.get('/console/activity')).text)).toEqual([
    'Created note of bo.md',
    'Created secret of alex.md',
  ]);
  const link = linkIn((await alex.get('/console/activity?path=secret+of+alex.md')).text, 'Created');
  expect((await alex.get(link)).text).toContain('secret of alex.md');
  for (const path of [link, link.replace('/change', '/undo')]) {
    const refused = await bo.get(path);
    expect(refused.status, path).toBe(404);
    expect(refused.text).not.toContain('secret of alex');
  }
  const groupOf = (text: string) => /id=(g[0-9a-z]{16})/.exec(text)?.[1] ?? '';
  const page = (await alex.get(link)).text;
  expect((await bo.get(`/console/undo?notebook=mine&id=${groupOf(page)}`)).status).toBe(404);
});

test('has the changes of all notebooks once, also where two of them are over the same notes', async () => {
  const [one, two] = [await temporaryFolder(), await temporaryFolder({ 'private/x.md': 'x' })];
  const notebooks = {
    one: { folder: one },
    two: { folder: two },
    part: { folder: two, readOnly: true, ignore: ['private'] },
  };
  const server = await serveConsole({ config: { notebooks } });
  await write(await connectClient(server, { path: '/mcp/one' }), 'a.md', 'a\n');
  await write(await connectClient(server, { path: '/mcp/two' }), 'private/b.md', 'b\n');
  const person = await signIn(server);
  const list = async (query: string) => entriesOf((await person.get(`/console/activity${query}`)).text);
  expect(await list('')).toEqual(['Created private/b.md', 'Created a.md']);
  expect(await list('?notebook=one')).toEqual(['Created a.md']);
  expect(await list('?notebook=two')).toEqual(['Created private/b.md']);
  expect(await list('?notebook=part')).toEqual([]);
});

test('announces what another process records, to so many pages of a user, and does not delay a stop', async () => {
  const folder = await temporaryFolder({ 'a.md': 'alpha\n' });
  const state = await temporaryFolder();
  const config = { notebooks: { mine: { folder } }, state: { dir: join(state, 's') } };
  const server = await serveConsole({ config });
  const person = await signIn(server);
  expect((await fetch(`${server.origin}/console/events`)).status).toBe(401);
  const events = await watch(server, person);
  await putFile(state, 'other.yaml', JSON.stringify({ ...config, serve: { port: 0 } }));
  const other = await startHttp(['serve', '--config', join(state, 'other.yaml')]);
  await write(await connectClient(other), 'b.md', 'from another process\n');
  await events.next();
  expect(entriesOf((await person.get('/console/activity')).text)).toEqual(['Created b.md']);
  for (let at = 1; at < 20; at++) await watch(server, person);
  const headers = { Cookie: person.cookie };
  expect((await fetch(`${server.origin}/console/events`, { headers })).status).toBe(503);
  const started = performance.now();
  expect(await server.stop()).toBe(0);
  expect(performance.now() - started).toBeLessThan(3_000);
  await events.ended;
});

/** Follows the events of the page that the person sees now. */
async function watch({ origin }: ConsoleServer, person: ConsolePerson) {
  const [, live = ''] = /data-live="([^"]*)"/.exec((await person.get('/console/activity')).text) ?? [];
  const gone = new AbortController();
  onTestFinished(() => gone.abort());
  const headers = { Cookie: person.cookie };
  const answer = await fetch(new URL(live, origin), { headers, signal: gone.signal });
  expect(answer.headers.get('content-type')).toBe('text/event-stream');
  let text = '';
  const read = async () => {
    for await (const chunk of answer.body ?? []) text += Buffer.from(chunk).toString();
  };
  const ended = read().catch(() => {});
  return { ended, next: () => eventually(() => expect(text).toContain('event: change')) };
}

/** The pages about governed servers, over HTTP; test/long has them in a browser. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type ConsolePerson, connectApp, connectClient, signIn } from '../kit/console.ts';
import { serveGoverned } from './plane-kit.ts';

const PAGES = [
  '/console/servers',
  '/console/server?name=shop',
  '/console/approvals',
  '/console/approval?id=apr_0',
  '/console/audit',
];
const POSTS: readonly (readonly [path: string, fields: Record<string, string>])[] = [
  ['/console/server', { server: 'shop', action: 'look' }],
  ['/console/server', { server: 'shop', action: 'accept all', seen: '' }],
  ['/console/server', { server: 'shop', action: 'off' }],
  ['/console/approval', { id: 'apr_0', action: 'approve' }],
  ['/console/audit', {}],
];

/** Follows the redirect, as a browser does. */
async function send(person: ConsolePerson, path: string, fields: Record<string, string>): Promise<string> {
  const answer = await person.post(path, fields);
  expect([answer.status, answer.text]).toEqual([303, '']);
  return (await person.get(answer.location ?? '')).text;
}

const textOf = (result: unknown) => JSON.stringify(result);

it('is for admins: another user sees no page of it, and sends no form', async () => {
  const server = await serveGoverned({ users: ['alex', 'sam'], admins: ['alex'] });
  const [alex, sam] = [await signIn(server, 'alex'), await signIn(server, 'sam')];
  expect((await alex.get('/')).text).toContain('href="/console/servers"');
  expect((await sam.get('/')).text).not.toContain('/console/servers');
  for (const page of PAGES) {
    const refused = await sam.get(page);
    expect([page, refused.status]).toEqual([page, 403]);
    expect(refused.text).not.toContain('shop');
  }
  for (const [path, fields] of POSTS) {
    expect([path, (await sam.post(path, fields)).status]).toEqual([path, 403]);
    // Of another site, of another session, and of nobody.
    for (const forged of [{ csrf: '' }, { csrf: 'x'.repeat(43) }])
      expect((await alex.post(path, { ...fields, ...forged })).status).toBe(403);
    expect((await alex.post(path, fields, { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
    expect((await alex.post(path, fields, { Origin: 'http://127.0.0.1:1' })).status).toBe(403);
    const stranger = await fetch(new URL(path, server.origin), {
      method: 'POST',
      body: new URLSearchParams(fields),
      redirect: 'manual',
    });
    expect([stranger.status, stranger.headers.get('location')]).toEqual([
      303,
      `/console/enter?next=${encodeURIComponent(path)}`,
    ]);
  }
  expect(await server.heard()).toEqual([]);
});

it('is not for apps: a token opens no page and answers nothing', async () => {
  const server = await serveGoverned({ users: ['alex'] });
  const { token } = await connectApp(server, 'alex');
  const client = await connectClient(server, { token });
  const refused = await client.callTool({ name: 'shop__write_note', arguments: { path: 'a' } });
  const page = String(refused._meta?.['sb/approval-url']);
  const id = new URL(page).searchParams.get('id') ?? '';
  const headers = { Authorization: `Bearer ${token}` };
  const opened = await fetch(page, { headers, redirect: 'manual' });
  expect([opened.status, opened.headers.get('location')?.startsWith('/console/enter?')]).toEqual([303, true]);
  const body = new URLSearchParams({ id, action: 'approve' });
  const post = await fetch(new URL('/console/approval', server.origin), {
    method: 'POST',
    headers,
    body,
    redirect: 'manual',
  });
  expect(post.headers.get('location')?.startsWith('/console/enter?')).toBe(true);
  const again = await client.callTool({ name: 'shop__write_note', arguments: { path: 'a' } });
  expect(again._meta?.['sb/approval-id']).toBe(id);
  expect(await server.heard()).toEqual([]);
});

it('approves one exact call that it shows whole, denies with a comment, and approves for a while', async () => {
  const server = await serveGoverned();
  const client = await connectClient(server);
  const person = await signIn(server);
  const write = (path: string) => client.callTool({ name: 'shop__write_note', arguments: { path } });
  const ask = async (path: string) => {
    const refused = await write(path);
    const page = String(refused._meta?.['sb/approval-url']);
    expect(refused.isError).toBe(true);
    expect(textOf(refused)).toContain(page);
    expect(page.startsWith(`${server.origin}/console/approval?id=apr_`)).toBe(true);
    return { page, id: new URL(page).searchParams.get('id') ?? '' };
  };

  const long = `<b>${'long '.repeat(2_000)}the end`;
  const first = await ask(long);
  expect((await person.get('/console/servers')).text).toContain('Approvals (1)');
  const shown = (await person.get(first.page)).text;
  expect(shown).toContain(`&#60;b&#62;${'long '.repeat(2_000)}the end&#34;`);
  const told = await send(person, '/console/approval', { id: first.id, action: 'approve', comment: 'fine' });
  expect(told).toContain('Approved: write_note');
  expect((await write(long)).isError).toBeUndefined();
  expect((await write(long)).isError).toBe(true);
  expect(await server.heard()).toHaveLength(1);

  const other = await ask('other');
  await send(person, '/console/approval', { id: other.id, action: 'deny', comment: 'not <today>' });
  expect(textOf(await write('other'))).toContain('denied');
  expect((await person.get(`/console/approval?id=${other.id}`)).text).toContain('not &#60;today&#62;');
  // It was answered, and cannot be answered again.
  expect((await person.post('/console/approval', { id: other.id, action: 'approve' })).status).toBe(409);

  const third = await ask('third');
  const nonsense: Record<string, string>[] = [
    { action: 'approve', for: 'while', minutes: '1000000' },
    { action: 'always' },
  ];
  for (const fields of nonsense)
    expect((await person.post('/console/approval', { id: third.id, ...fields })).status).toBe(400);
  await send(person, '/console/approval', { id: third.id, action: 'approve', for: 'while', minutes: '15' });
  for (const path of ['third', 'a fourth', 'third']) expect((await write(path)).isError).toBeUndefined();
  await send(person, '/console/approval', { id: third.id, action: 'revoke' });
  expect((await write('third')).isError).toBe(true);

  const answers = (await server.audit()).filter(({ event }) => event === 'answered');
  expect(answers.map(({ by, outcome, scope, note }) => [by, outcome, scope, note])).toEqual([
    ['console:operator', 'approved', 'once', 'fine'],
    ['console:operator', 'denied', undefined, 'not <today>'],
    ['console:operator', 'approved', 'session', undefined],
    ['console:operator', 'revoked', undefined, undefined],
  ]);
  const { tools } = await client.listTools();
  expect(tools.filter(({ name }) => /approv/i.test(name))).toEqual([]);
  expect((await person.get('/console/approval?id=apr_nothing')).status).toBe(404);
});

it('shows what has changed since it was accepted, and accepts only what was shown', async () => {
  const server = await serveGoverned();
  const client = await connectClient(server);
  const person = await signIn(server);
  const names = async () =>
    (await client.listTools(undefined, { cacheMode: 'refresh' })).tools.map(({ name }) => name);
  expect(await names()).toContain('shop__get_note');
  expect((await person.get('/console/server?name=shop')).text).toContain('as it was accepted');
  await server.says({ description: 'Reads a note, and <i>sends</i> it away.' });
  await send(person, '/console/server', { server: 'shop', action: 'look' });
  expect(await names()).not.toContain('shop__get_note');
  expect((await person.get('/console/servers')).text).toContain('needs review');
  const page = (await person.get('/console/server?name=shop')).text;
  expect(page).toMatch(/<tr class="removed">.*Reads a /);
  expect(page).toMatch(/<tr class="added">.*&#60;i&#62;sends/);
  const seen = /name="seen" value="([^"]*)"/.exec(page)?.[1] ?? '';
  const fingerprint = /name="fingerprint" value="([^"]*)"/.exec(page)?.[1] ?? '';
  await server.says({ description: 'Reads a note, and does worse.' });
  const stale: Record<string, string>[] = [
    { action: 'accept all', seen },
    { action: 'accept', definition: 'tool:get_note', fingerprint },
  ];
  for (const fields of stale)
    expect((await person.post('/console/server', { server: 'shop', ...fields })).status).toBe(409);
  const again = (await person.get('/console/server?name=shop')).text;
  const told = await send(person, '/console/server', {
    server: 'shop',
    action: 'accept',
    definition: 'tool:get_note',
    fingerprint: /name="fingerprint" value="([^"]*)"/.exec(again)?.[1] ?? '',
  });
  expect(told).toContain('Accepted: one definition.');
  expect(await names()).toContain('shop__get_note');
  expect((await server.audit()).filter(({ event }) => event === 'accepted')).toMatchObject([
    { server: 'shop', kind: 'tool', capability: 'get_note', by: 'console:operator' },
  ]);
  await send(person, '/console/server', { server: 'shop', action: 'off' });
  expect((await person.get('/console/servers')).text).toContain('switched off');
  expect(await names()).not.toContain('shop__get_note');
  await expect(client.callTool({ name: 'shop__get_note', arguments: { path: 'a' } })).rejects.toThrow(
    /Unknown tool/,
  );
  expect((await person.post('/console/server', { server: 'shop', action: 'look' })).status).toBe(403);
  await send(person, '/console/server', { server: 'shop', action: 'on' });
  expect(
    (await client.callTool({ name: 'shop__get_note', arguments: { path: 'a' } })).isError,
  ).toBeUndefined();
  expect((await person.get('/console/server?name=nothing')).status).toBe(404);
  expect((await person.post('/console/server', { server: 'shop', action: 'burn' })).status).toBe(400);
});

it('searches the audit log, shows the records of one call, and finds a changed record', async () => {
  const server = await serveGoverned({ server: { deny_tools: ['get_structured'] } });
  const client = await connectClient(server);
  const person = await signIn(server);
  for (let count = 0; count < 20; count++)
    await client.callTool({ name: 'shop__get_note', arguments: { path: `${count}` } });
  const first = (await person.get('/console/audit')).text;
  expect(first.match(/<tr>/g)).toHaveLength(51);
  const older = /href="([^"]*before[^"]*)"/.exec(first)?.[1]?.replaceAll('&#38;', '&') ?? '';
  expect((await person.get(older)).text.match(/<tr>/g)).toHaveLength(31);
  const rows = async (query: string) =>
    ((await person.get(`/console/audit?${query}`)).text.match(/<tr>/g)?.length ?? 1) - 1;
  expect(await rows('tool=get_note&outcome=ok')).toBe(20);
  expect([
    await rows('server=sho&actor=anonymous'),
    await rows('actor=nobody'),
    await rows('text=argsShape'),
  ]).toEqual([20, 0, 20]);
  const [{ call = '' } = {}] = await server.audit();
  expect(first).toContain('The whole call');
  expect(await rows(`call=${call}`)).toBe(4);

  expect(await send(person, '/console/audit', {})).toContain('Intact: 80 records');
  const file = join(server.state, 'audit.jsonl');
  await writeFile(file, (await readFile(file, 'utf8')).replace('"allow"', '"allot"'));
  const broken = await send(person, '/console/audit', {});
  expect(broken).toContain('no. 3: does not follow from the one before');
});

it('shows what a server runs in, and that one has no sandbox', async () => {
  const waiver = { by: 'ann', why: 'needs the GPU', until: '2999-12-31' };
  const server = await serveGoverned({
    users: ['alex'],
    admins: ['alex'],
    server: { sandbox_profile: 'none', sandbox_waiver: waiver },
  });
  const alex = await signIn(server, 'alex');
  const words = 'Runs without a sandbox, by a waiver of ann until 2999-12-31: needs the GPU';
  expect((await alex.get('/console/servers')).text).toContain(words);
  const page = (await alex.get('/console/server?name=shop')).text;
  for (const text of [words, 'sandbox: NONE', 'waiver: by ann', 'network: open', 'limits: none'])
    expect(page).toContain(text);
});

/** The apps page over HTTP: who sees which apps, and who can change them. */
import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { appsPage } from '../../src/console/pages/apps.ts';
import { NOTES_ACCESS } from '../../src/oauth/served-access.ts';
import {
  type ConsolePerson,
  type ConsoleServer,
  connectApp,
  connectClient,
  serveConsole,
  signIn,
} from '../kit/console.ts';
import { connectHttp, INITIALIZE, post } from '../kit/http.ts';
import { temporaryFolder } from '../kit/temp.ts';

const HOSTILE = '<img src=x onerror=alert(1)>"\'`';

function idsIn(text: string): string[] {
  return [...text.matchAll(/name="id" value="([^"]+)"/g)].map(([, id = '']) => id);
}

/** The status of a call that changes a note. */
async function writes({ origin }: ConsoleServer, token: string): Promise<number> {
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'write_note', arguments: { path: 'b.md', content: 'beta' } },
  };
  const headers = { Authorization: `Bearer ${token}`, 'MCP-Protocol-Version': '2026-07-28' };
  return (await post(origin, call, headers)).status;
}

async function opens({ origin }: ConsoleServer, token: string): Promise<number> {
  return (await post(origin, INITIALIZE, { Authorization: `Bearer ${token}` })).status;
}

test('with a login', async () => {
  const folder = await temporaryFolder({ 'a.md': 'alpha' });
  const server = await serveConsole({
    config: { notebooks: { mine: { folder } } },
    users: ['alex', 'bo', 'cy'],
    admins: ['alex'],
  });
  const [alex, bo] = [await signIn(server, 'alex'), await signIn(server, 'bo')];
  expect((await bo.get('/console/apps')).text).toContain('No app is connected to your notes');
  const own = await connectApp(server, 'bo', { name: HOSTILE });
  const other = await connectApp(server, 'cy', { name: 'App of Cy' });
  await (await connectClient(server, { token: own.token })).callTool({
    name: 'read_note',
    arguments: { path: 'a.md' },
  });

  const shown = (await bo.get('/console/apps')).text;
  expect(shown).not.toContain('<img');
  expect(shown).toContain('&#60;img src=x onerror=alert(1)&#62;');
  expect(shown).not.toContain('App of Cy');
  expect(shown).toContain('create, change, move and delete notes');
  expect(shown).toContain('Connected through <b>127.0.0.1</b>');
  expect(shown).toMatch(/1 call in 14 days, 1 of them today/);
  const [ownId = ''] = idsIn(shown);
  expect(idsIn(shown)).toHaveLength(1);

  const all = (await alex.get('/console/apps')).text;
  expect(all).toMatch(/<h2>bo<\/h2>.*<h2>cy<\/h2>.*App of Cy/s);
  const otherId = idsIn(all).find((id) => id !== ownId) ?? '';

  await refusals(bo, otherId, ownId);
  expect([await opens(server, other.token), await opens(server, own.token)]).toEqual([200, 200]);

  const narrowed = await bo.post('/console/apps', { id: ownId, action: 'access', access: 'read' });
  expect([narrowed.status, narrowed.location]).toEqual([303, '/console/apps']);
  expect((await bo.get('/console/apps')).text).toContain('may now: read and search all your notes.');
  expect(await writes(server, own.token)).toBe(403);
  await bo.post('/console/apps', { id: ownId, action: 'access', access: 'write' });
  expect(await writes(server, own.token)).not.toBe(403);

  const session = await connectHttp(server.origin, { mode: 'legacy', token: own.token });
  await bo.post('/console/apps', { id: ownId, action: 'access', access: 'propose' });
  await session.callTool({ name: 'write_note', arguments: { path: 'proposed.md', content: 'x' } });
  expect(await readdir(folder), 'a session that began with write access').not.toContain('proposed.md');
  expect((await bo.get('/console/apps')).text).toContain('propose changes to notes, which wait');

  await bo.post('/console/apps', { id: ownId, action: 'revoke' });
  expect(await opens(server, own.token)).toBe(401);
  expect((await bo.post('/console/apps', { id: ownId, action: 'revoke' })).status).toBe(404);

  const asked = await alex.post('/console/apps', { user: 'cy', action: 'ask-all' });
  expect([asked.status, asked.text.includes('App of Cy')]).toEqual([200, true]);
  expect(await opens(server, other.token), 'only asked').toBe(200);
  await alex.post('/console/apps', { user: 'cy', action: 'revoke-all' });
  expect(await opens(server, other.token)).toBe(401);
});

test('10,000 apps are shown in pages', async () => {
  const grants = Array.from({ length: 10_000 }, (_, at) => ({
    id: `grant-${at}`,
    user: 'alex',
    clientId: `client-${at}`,
    clientName: `App ${at}`,
    destination: 'claude.ai',
    scopes: ['notes:read'] as const,
    mark: '',
    grantedAt: at,
    usedAt: at,
    until: 0,
  }));
  const missing = async () => undefined;
  const servedTo = async () => NOTES_ACCESS;
  const connected = { of: async () => grants, setAccess: missing, revoke: missing, servedTo };
  const { show } = appsPage({ connected, calling: () => [] });
  const open = async (page: string) => {
    const { body } = await show({
      viewer: { user: 'alex', isAdmin: false, mayChange: true },
      query: new URLSearchParams({ page }),
      csrf: 'x',
      signal: new AbortController().signal,
    });
    return body.markup;
  };
  const first = await open('1');
  expect(idsIn(first)).toHaveLength(50);
  expect(first).toContain('App 9999<');
  expect(first).toContain('Page 1 of 200');
  expect(await open('200')).toContain('App 0<');
  for (const page of ['999', '-1', 'x', '1e9']) expect(idsIn(await open(page))).toHaveLength(50);
});

async function refusals(bo: ConsolePerson, otherId: string, ownId: string): Promise<void> {
  const statusOf = async (fields: Record<string, string>, headers?: Record<string, string>) =>
    (await bo.post('/console/apps', fields, headers)).status;
  for (const action of ['access', 'revoke'])
    expect(await statusOf({ id: otherId, action, access: 'read' }), `${action} of another's app`).toBe(404);
  expect(await statusOf({ id: ownId, action: 'access', access: 'everything' })).toBe(400);
  expect(await statusOf({ id: ownId, action: 'access' })).toBe(400);
  expect(await statusOf({ id: ownId, action: 'nothing' })).toBe(400);
  expect(await statusOf({ id: ownId })).toBe(400);
  for (const action of ['access', 'revoke', 'ask-all', 'revoke-all']) {
    const fields = { id: ownId, action, access: 'read', user: 'bo' };
    expect(await statusOf({ ...fields, csrf: 'x' }), `${action} with another value`).toBe(403);
    expect(await statusOf({ ...fields, csrf: '' }), `${action} without a value`).toBe(403);
    const foreign: Record<string, string>[] = [
      { Origin: 'https://evil.example' },
      { 'Sec-Fetch-Site': 'cross-site' },
    ];
    for (const headers of foreign) expect(await statusOf(fields, headers)).toBe(403);
  }
  expect((await bo.post('/console/apps', { user: 'cy', action: 'ask-all' })).text).not.toContain('App of Cy');
}

test('without a login, the page says so, and shows the apps that called by the names they gave themselves', async () => {
  const folder = await temporaryFolder({ 'a.md': 'alpha' });
  const server = await serveConsole({ config: { notebooks: { mine: { folder } } } });
  const operator = await signIn(server);
  expect((await operator.get('/console/apps')).text).toContain('without a login');
  const client = await connectClient(server, { name: HOSTILE });
  await client.callTool({ name: 'read_note', arguments: { path: 'a.md' } });
  const { text } = await operator.get('/console/apps');
  expect(text).toContain('&#60;img src=x onerror=alert(1)&#62;');
  expect(text).not.toContain('<img');
  expect(text).toContain('anonymous');
  expect((await operator.post('/console/apps', { action: 'revoke-all' })).status).toBe(405);
});

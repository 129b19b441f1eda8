/** Tokens for one notebook among several: what they list, read and change, at the joint endpoint and at each of its own. */
import type { Client } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { type ConsoleServer, connectApp, connectClient, serveConsole } from '../../kit/console.ts';
import { INITIALIZE, post } from '../../kit/http.ts';
import { approve, formIn } from '../../kit/login.ts';
import { temporaryFolder } from '../../kit/temp.ts';

async function serveTwo(): Promise<ConsoleServer> {
  const [team, home] = [
    await temporaryFolder({ 'plan.md': 'the plan' }),
    await temporaryFolder({ 'diary.md': 'a secret' }),
  ];
  const notebooks = { team: { folder: team }, home: { folder: home } };
  return serveConsole({ config: { notebooks, serve: { legacySse: true } }, users: ['alex'] });
}

async function toolNames(client: Client): Promise<string[]> {
  return (await client.listTools()).tools.map(({ name }) => name);
}

async function uris(client: Client): Promise<string[]> {
  return (await client.listResources()).resources.map(({ uri }) => uri);
}

/** What holds, by its sentence. */
const STEPS: Record<string, (server: ConsoleServer) => Promise<void>> = {};

STEPS['a token for one notebook sees and changes only that one'] = async (server) => {
  const { token, scope } = await connectApp(server, 'alex', {
    scope: 'notes:read:team notes:write:team notes:read:nowhere',
  });
  expect(scope).toBe('notes:read:team notes:write:team');
  for (const mode of ['legacy', 'auto'] as const) {
    const joint = await connectClient(server, { token, mode });
    const names = await toolNames(joint);
    expect(names).toContain('team_read_note');
    expect(names.filter((name) => !name.startsWith('team_'))).toEqual([]);
    expect((await uris(joint)).filter((uri) => !uri.startsWith('note://team/'))).toEqual([]);
    expect(joint.getInstructions() ?? '').not.toContain('home');
    await expect(joint.readResource({ uri: 'note://home/diary.md' })).rejects.toThrow(/not found/i);
    const read = await joint.callTool({ name: 'home_read_note', arguments: { path: 'diary.md' } }).then(
      (result) => JSON.stringify(result),
      (error: unknown) => String(error),
    );
    expect(read).not.toContain('a secret');
    const written = { path: `${mode}.md`, content: 'new' };
    expect(await joint.callTool({ name: 'team_write_note', arguments: written })).not.toMatchObject({
      isError: true,
    });
    const own = await connectClient(server, { token, path: '/mcp/team', mode });
    expect(await toolNames(own)).toContain('read_note');
  }
  const elsewhere = await post(server.origin, INITIALIZE, { Authorization: `Bearer ${token}` }, '/mcp/home');
  expect(elsewhere.status).toBe(403);
};

STEPS['reading everywhere and writing in one notebook go together'] = async (server) => {
  const { token } = await connectApp(server, 'alex', { scope: 'notes:read notes:write:team' });
  const client = await connectClient(server, { token });
  expect(await toolNames(client)).toEqual(expect.arrayContaining(['team_read_note', 'home_read_note']));
  const write = (notebook: string) => ({
    name: `${notebook}_write_note`,
    arguments: { path: 'new.md', content: 'x' },
  });
  expect(await client.callTool(write('team'))).not.toMatchObject({ isError: true });
  await expect(client.callTool(write('home'))).rejects.toThrow();
};

STEPS['a session of a token for all is none of a token for one'] = async (server) => {
  const wide = await connectApp(server, 'alex');
  const narrow = await connectApp(server, 'alex', { scope: 'notes:read:team' });
  const opened = await post(server.origin, INITIALIZE, { Authorization: `Bearer ${wide.token}` });
  const session = opened.headers.get('mcp-session-id') ?? '';
  expect(session).not.toBe('');
  const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
  const ask = async (token: string) => {
    const headers = { Authorization: `Bearer ${token}`, 'Mcp-Session-Id': session };
    return (await post(server.origin, list, headers)).status;
  };
  expect([await ask(wide.token), await ask(narrow.token)]).toEqual([200, 404]);
};

STEPS['a stream of a token for one notebook is none of a token for another'] = async (server) => {
  const [team, home, all] = [
    await connectApp(server, 'alex', { scope: 'notes:write:team' }),
    await connectApp(server, 'alex', { scope: 'notes:write:home' }),
    await connectApp(server, 'alex'),
  ];
  const authorized = (token: string) => ({ Authorization: `Bearer ${token}` });
  const ending = new AbortController();
  const stream = await fetch(`${server.origin}/sse`, {
    headers: authorized(team.token),
    signal: ending.signal,
  });
  const { value } = (await stream.body?.getReader().read()) ?? {};
  const path = /data: (\S+)/.exec(Buffer.from(value ?? []).toString())?.[1];
  const params = { name: 'team_write_note', arguments: { path: 'stolen.md', content: 'x' } };
  const call = { jsonrpc: '2.0', id: 3, method: 'tools/call', params };
  const statuses = [];
  for (const { token } of [team, home, all])
    statuses.push((await post(server.origin, call, authorized(token), path)).status);
  ending.abort();
  expect(statuses).toEqual([202, 404, 404]);
};

STEPS['a person confines an app that asks for everything, in plain words'] = async (server) => {
  const seen: string[] = [];
  const { token } = await connectApp(server, 'alex', {
    approve: (address, person) =>
      approve(address, person, seen, (fields) => {
        fields.set('notebooks', 'chosen');
        fields.set('in:home', 'yes');
      }),
  });
  expect(seen.at(-1)).toContain('In which notebooks?');
  expect(formIn(seen.at(-1) ?? '')).toBeDefined();
  const client = await connectClient(server, { token });
  expect((await toolNames(client)).every((name) => name.startsWith('home_'))).toBe(true);
  const asked: string[] = [];
  await connectApp(server, 'alex', {
    scope: 'notes:write:team',
    approve: (address, person) => approve(address, person, asked),
  });
  expect(asked.at(-1)).toContain('read and search the notes in “team”');
  expect(asked.at(-1)).not.toContain('all your notes');
};

// One server for all, because a start takes longer than everything else.
test('tokens for notebooks', async () => {
  const server = await serveTwo();
  for (const [claim, holds] of Object.entries(STEPS))
    await holds(server).catch((error: unknown) => {
      throw new Error(claim, { cause: error });
    });
});

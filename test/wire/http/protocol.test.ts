/** The protocol's requirements of a server over HTTP, tried with the built binary with two notebooks and a login. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { INITIALIZE, post, startHttp } from '../../kit/http.ts';
import { temporaryFolder } from '../../kit/temp.ts';

const TOKEN = 'a-token-of-sixteen-letters';
const bearer = { Authorization: `Bearer ${TOKEN}` };

/** The second notebook can only be read. */
async function serveTwo() {
  const folder = await temporaryFolder({ 'one/a.md': 'first', 'two/b.md': 'second' });
  const file = join(folder, 'quire.yaml');
  await writeFile(
    file,
    'notebooks:\n  one: { folder: ./one }\n  two: { folder: ./two, readOnly: true }\n' +
      `serve: { port: 0 }\nstate: { dir: memory }\nauth: { mode: oauth, ownerToken: open-sesame, tokens: [${TOKEN}] }\n`,
  );
  return startHttp(['serve', '--config', file]);
}

/** The parameters of a challenge. */
function challengeOf(answer: Response): Record<string, string> {
  const header = answer.headers.get('www-authenticate') ?? '';
  return Object.fromEntries([...header.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]));
}

test('a challenge names the scopes to ask for, and the document of the endpoint that was called', async () => {
  const { origin } = await serveTwo();
  const documents = `${origin}/.well-known/oauth-protected-resource`;
  for (const [path, document, scope, resource] of [
    ['/mcp', documents, 'notes:read notes:write', origin],
    ['/mcp/', documents, 'notes:read notes:write', origin],
    ['/mcp/one', `${documents}/mcp/one`, 'notes:read notes:write', `${origin}/mcp/one`],
    ['/mcp/two', `${documents}/mcp/two`, 'notes:read', `${origin}/mcp/two`],
    ['/mcp/two/', `${documents}/mcp/two`, 'notes:read', `${origin}/mcp/two`],
  ] as const) {
    for (const headers of [{}, { Authorization: 'Bearer wrong' }] as Record<string, string>[]) {
      const answer = await post(origin, INITIALIZE, headers, path);
      expect(answer.status).toBe(401);
      expect(challengeOf(answer)).toMatchObject({ resource_metadata: document, scope });
    }
    for (const place of [document, `${document}/`]) {
      const found = await fetch(place);
      expect([place, found.status]).toEqual([place, 200]);
      expect(await found.json()).toMatchObject({ resource, authorization_servers: [origin] });
    }
  }
  expect((await fetch(`${documents}/mcp/three`)).status).toBe(404);
  for (const path of ['/mcp/one', '/mcp/two'])
    expect((await fetch(`${origin}/.well-known/oauth-authorization-server${path}`)).status).toBe(200);
});

test('a slash at the end of an address changes nothing, two do', async () => {
  const { origin } = await serveTwo();
  for (const path of ['/mcp', '/mcp/', '/mcp/one/', '/mcp/?x=1'])
    expect([path, (await post(origin, INITIALIZE, bearer, path)).status]).toEqual([path, 200]);
  for (const path of ['/mcp//', '//mcp', '/mcp/three/'])
    expect([path, (await fetch(`${origin}${path}`, { headers: bearer })).status]).toEqual([path, 404]);
});

describe('a batch', () => {
  const PINGS = [1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'ping' }));

  async function inSession(origin: string, protocolVersion: string) {
    const body = { ...INITIALIZE, params: { ...INITIALIZE.params, protocolVersion } };
    const opened = await post(origin, body, bearer);
    await opened.text();
    const headers = {
      ...bearer,
      'Mcp-Session-Id': opened.headers.get('mcp-session-id') ?? '',
      'MCP-Protocol-Version': protocolVersion,
    };
    await post(origin, { jsonrpc: '2.0', method: 'notifications/initialized' }, headers);
    return (batch: unknown) => post(origin, batch, headers);
  }

  test('is of 2025-03-26, and of no version before or after it', async () => {
    const { origin } = await serveTwo();
    for (const version of ['2024-11-05', '2025-06-18', '2025-11-25']) {
      const refused = await (await inSession(origin, version))(PINGS);
      expect([version, refused.status]).toEqual([version, 400]);
      expect(await refused.json()).toMatchObject({ error: { code: -32600 } });
    }
    const send = await inSession(origin, '2025-03-26');
    const answered = await send(PINGS);
    expect(answered.status).toBe(200);
    expect(await answered.text()).toMatch(/"id":1[\s\S]*"id":2/);
    for (const [what, batch] of [
      ['empty', []],
      ['long', Array.from({ length: 101 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' }))],
    ] as const) {
      const refused = await send(batch);
      expect([what, refused.status]).toEqual([what, 400]);
      expect(await refused.json()).toMatchObject({ error: { code: -32600 } });
    }
  });

  test('cannot begin a session', async () => {
    const { origin } = await serveTwo();
    for (const batch of [[INITIALIZE], PINGS, []]) {
      const refused = await post(origin, batch, bearer);
      expect(refused.status).toBe(400);
      expect(await refused.json()).toMatchObject({ error: { code: -32600 } });
    }
  });
});

/** `quire silverbullet`, the built binary, in front of a SilverBullet. */
import { spawn, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { connectHttp, freePort, INITIALIZE, post, startHttp } from '../../kit/http.ts';
import { approve } from '../../kit/login.ts';
import { pinnedNames } from '../../kit/pinned-tools.ts';
import { BINARY, startProgram } from '../../kit/server.ts';
import { type FakeOptions, startSilverBullet, TOKEN } from '../../kit/silverbullet/server.ts';
import { CLEAN_ENVIRONMENT, ownCache, temporaryFolder } from '../../kit/temp.ts';
import { TOOL_COUNT } from '../../kit/tool-count.ts';

const NAMES = pinnedNames('pages').sort();
const MCP_TOKEN = 'm'.repeat(32);
const OWNER_TOKEN = 'open sesame please';
const CLIENT = { id: '6f9619ff-8b86-d011-b42d-00cf4fc964ff', secret: 's'.repeat(32) };
const CALLBACK = 'https://claude.ai/api/mcp/auth_callback';

async function serveSpace(options: FakeOptions = {}, more: Record<string, string> = {}) {
  const space = await startSilverBullet({ files: { 'Inbox.md': 'alpha beta' }, ...options });
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const environment = {
    SB_URL: space.url,
    SB_TOKEN: TOKEN,
    MCP_TOKEN,
    PUBLIC_URL: origin,
    OAUTH_CLIENT_ID: CLIENT.id,
    OAUTH_CLIENT_SECRET: CLIENT.secret,
    OWNER_TOKEN,
    JWT_SIGNING_KEY: 'k'.repeat(64),
    PORT: String(port),
    XDG_CACHE_HOME: await ownCache(),
    ...more,
  };
  const start = (changed: Record<string, string> = {}) =>
    startHttp(['silverbullet'], { ...environment, ...changed });
  return { space, start, ...(await start()) };
}

interface TokenAnswer {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
}

/** The request of the preregistered client to the token endpoint. */
function askToken(origin: string, parameters: Record<string, string>): Promise<Response> {
  return fetch(`${origin}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      client_id: CLIENT.id,
      client_secret: CLIENT.secret,
      resource: origin,
      ...parameters,
    }),
  });
}

/** The same client through login and consent to its first tokens. */
async function logIn(origin: string): Promise<TokenAnswer> {
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: CLIENT.id,
    redirect_uri: CALLBACK,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    state: 'x',
    resource: origin,
  });
  const back = await approve(`${origin}/authorize?${query}`, { username: '', password: OWNER_TOKEN });
  expect(back.origin + back.pathname).toBe(CALLBACK);
  const answer = await askToken(origin, {
    grant_type: 'authorization_code',
    code: back.searchParams.get('code') ?? '',
    redirect_uri: CALLBACK,
    code_verifier: verifier,
  });
  expect(answer.status).toBe(200);
  return (await answer.json()) as TokenAnswer;
}

describe('the smoke test of the document', () => {
  test('health, discovery and initialize with the static token', async () => {
    const { origin } = await serveSpace();
    expect((await fetch(`${origin}/healthz`)).status).toBe(200);
    expect((await fetch(`${origin}/readyz`)).status).toBe(200);
    const resource = await (await fetch(`${origin}/.well-known/oauth-protected-resource`)).json();
    expect(resource).toMatchObject({ resource: origin, authorization_servers: [origin] });
    const server = await (await fetch(`${origin}/.well-known/oauth-authorization-server`)).json();
    expect(server).toMatchObject({ issuer: origin, code_challenge_methods_supported: ['S256'] });
    const body = { ...INITIALIZE, params: { ...INITIALIZE.params, protocolVersion: '2025-03-26' } };
    const answer = await post(origin, body, { Authorization: `Bearer ${MCP_TOKEN}` });
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('2025-03-26');
  });

  test('no client without a token', async () => {
    const { origin } = await serveSpace();
    for (const headers of [{}, { Authorization: 'Bearer wrong' }] as Record<string, string>[]) {
      const answer = await post(origin, INITIALIZE, headers);
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toContain('/.well-known/oauth-protected-resource');
    }
  });

  test('ready only while SilverBullet is', async () => {
    const { origin, space } = await serveSpace();
    space.faults.fate = () => ({ kind: 'reset', applies: false });
    const latest = Date.now() + 45_000;
    let status = 200;
    while (status === 200 && Date.now() < latest) {
      status = (await fetch(`${origin}/readyz`)).status;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    expect(status).toBe(503);
    expect((await fetch(`${origin}/healthz`)).status).toBe(200);
  });
});

describe('a client that is known beforehand', () => {
  test('is approved with the owner token, gets a 90-day token and a new one without asking again', async () => {
    const { origin } = await serveSpace();
    const first = await logIn(origin);
    expect(first.access_token.split('.')).toHaveLength(3);
    expect(first.expires_in).toBe(90 * 24 * 3600);
    const renewed = await askToken(origin, {
      grant_type: 'refresh_token',
      refresh_token: first.refresh_token,
    });
    expect(renewed.status).toBe(200);
    const second = (await renewed.json()) as TokenAnswer;
    const client = await connectHttp(origin, { token: second.access_token });
    const { content } = await client.callTool({ name: 'read_page', arguments: { page: 'Inbox' } });
    expect(content).toMatchObject([{ type: 'text' }, { type: 'text', text: 'alpha beta' }]);
  });

  test('is logged out by another JWT_SIGNING_KEY, and by no mere restart', async () => {
    const { origin, start, stop } = await serveSpace({}, { XDG_STATE_HOME: await temporaryFolder() });
    const { access_token: access, refresh_token: refresh } = await logIn(origin);
    const knock = async (token: string) =>
      (await post(origin, INITIALIZE, { Authorization: `Bearer ${token}` })).status;
    const renew = (token: string) => askToken(origin, { grant_type: 'refresh_token', refresh_token: token });
    await stop();
    const same = await start();
    expect(await knock(access)).toBe(200);
    const renewed = await renew(refresh);
    expect(renewed.status).toBe(200);
    const latest = (await renewed.json()) as TokenAnswer;
    await same.stop();
    const other = await start({ JWT_SIGNING_KEY: 'n'.repeat(64) });
    for (const token of [access, latest.access_token]) expect(await knock(token)).toBe(401);
    for (const token of [latest.refresh_token, refresh]) {
      const refused = await renew(token);
      expect([refused.status, await refused.json()]).toEqual([
        400,
        expect.objectContaining({ error: 'invalid_grant' }),
      ]);
    }
    const anew = await logIn(origin);
    expect(await knock(anew.access_token)).toBe(200);
    expect((await renew(anew.refresh_token)).status).toBe(200);
    await other.stop();
  });
});

describe('the pages', () => {
  test('are read, written, searched and logged', async () => {
    const { origin, space, errors } = await serveSpace();
    const client = await connectHttp(origin, { token: MCP_TOKEN });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(NAMES);
    const call = async (name: string, args: Record<string, unknown>) => {
      const { content, isError } = await client.callTool({ name, arguments: args });
      expect(isError ?? false).toBe(false);
      return JSON.parse((content as { text: string }[])[0]!.text);
    };
    const { lastModified } = await call('create_page', { page: 'New', body: 'gamma secretword' });
    expect(lastModified).toBeTypeOf('number');
    expect(space.disk.text('New.md')).toBe('gamma secretword');
    expect(JSON.stringify(await call('search_pages', { query: 'gamma' }))).toContain('New.md');
    const written = await call('write_page', {
      page: 'New',
      body: 'delta secretword',
      expected_last_modified: lastModified,
    });
    expect(
      await call('write_page', { page: 'New', body: 'x', expected_last_modified: lastModified }),
    ).toMatchObject({ error: 'conflict', status: 409, expectedLastModified: lastModified });
    expect(await call('read_page', { page: 'Nowhere' })).toMatchObject({ error: 'not_found', status: 404 });
    expect(errors()).toContain(
      `[WRITE] tool=write_page page=New.md bytes=16 expected_last_modified=${lastModified} last_modified=${written.lastModified}`,
    );
    expect(errors()).toMatch(/\[ERROR\] tool=read_page code=not_found page=Nowhere/);
    for (const secret of ['secretword', TOKEN, MCP_TOKEN, OWNER_TOKEN])
      expect(errors()).not.toContain(secret);
  });

  test('with names SilverBullet cannot open are read, written and deleted, and no new ones are made', async () => {
    const { url, disk } = await startSilverBullet({ files: { 'Release 1.2.md': 'old', 'a@b.md': 'odd' } });
    const { call } = await startProgram(['silverbullet', '--transport', 'stdio'], {
      env: { SB_URL: url, SB_TOKEN: TOKEN },
    });
    const { lastModified } = (await call('read_page', { page: 'Release 1.2' })).json;
    const write = { page: 'Release 1.2', body: 'new', expected_last_modified: lastModified };
    expect((await call('write_page', write)).json.written).toBe(true);
    for (const page of ['Release 1.2', 'a@b']) {
      const { trashPath } = (await call('delete_page', { page })).json;
      expect(trashPath).toMatch(new RegExp(`^_trash/\\d{4}-\\d{2}/${page}\\.md$`));
      expect(disk.files.has(`${page}.md`)).toBe(false);
      expect(disk.files.has(trashPath)).toBe(true);
    }
    expect((await call('create_page', { page: 'Release 1.3', body: 'x' })).json).toMatchObject({
      error: 'invalid_path',
      remediation: expect.stringContaining('Release 1-3'),
    });
  });

  test('are served to the client that starts it, too', async () => {
    const { url } = await startSilverBullet({ files: { 'Inbox.md': 'alpha' }, prefix: '/mine' });
    const { client, call } = await startProgram(['silverbullet', '--transport', 'stdio'], {
      env: { SB_URL: url, SB_TOKEN: TOKEN },
    });
    expect((await client.listTools()).tools).toHaveLength(TOOL_COUNT.pages);
    expect((await call('read_page', { page: 'Inbox' })).content[1]).toMatchObject({ text: 'alpha' });
  });

  test('have more tools with --tools all, and fewer places to write to with --writable', async () => {
    const { url } = await startSilverBullet({ files: { 'Inbox.md': '* [ ] call', 'Other.md': 'x' } });
    const { client, call } = await startProgram(
      ['silverbullet', '--transport', 'stdio', '--tools', 'all', '--writable', 'Inbox'],
      { env: { SB_URL: url, SB_TOKEN: TOKEN } },
    );
    expect((await client.listTools()).tools).toHaveLength(TOOL_COUNT.pagesExtended);
    expect((await call('list_tasks', {})).text).toContain('call');
    expect((await call('append_to_page', { page: 'Inbox', content: 'y' })).json.error).toBeUndefined();
    expect((await call('append_to_page', { page: 'Other', content: 'y' })).json.error).toBe('forbidden_path');
  });

  test.each([
    ['notebook', 'read_note', { path: 'Inbox.md' }],
    ['vault', 'vault_read', { path: 'Inbox.md' }],
  ])('are notes for the %s tools', async (tools, tool, args) => {
    const { url } = await startSilverBullet({ files: { 'Inbox.md': 'alpha beta' } });
    const folder = await temporaryFolder();
    const file = join(folder, 'quire.yaml');
    await writeFile(
      file,
      `notebooks:\n  space: { silverbullet: { url: "${url}", token: "\${env:SPACE_TOKEN}" }, tools: ${tools} }\n`,
    );
    const { call } = await startProgram(['--config', file], { env: { SPACE_TOKEN: TOKEN } });
    expect((await call(tool, args)).text).toContain('alpha beta');
  });
});

describe('its configuration', () => {
  const start = (env: Record<string, string>, ...more: string[]) =>
    spawnSync(process.execPath, [BINARY, 'silverbullet', ...more], {
      env: { ...CLEAN_ENVIRONMENT, ...env },
      encoding: 'utf8',
      timeout: 15_000,
    });

  test('every variable that is missing is named at once', () => {
    const { status, stderr } = start({ SB_URL: 'https://notes.example.com', OWNER_TOKEN: 'something' });
    expect(status).not.toBe(0);
    expect(stderr).toContain(
      'SB_TOKEN, MCP_TOKEN, PUBLIC_URL, OAUTH_CLIENT_ID, OAUTH_CLIENT_SECRET, JWT_SIGNING_KEY',
    );
    expect(stderr).not.toContain('SB_URL,');
    expect(stderr).not.toContain('something');
  });

  test('over stdio only the space is needed', () => {
    const { stderr } = start({}, '--transport', 'stdio');
    expect(stderr).toContain('SB_URL, SB_TOKEN');
    expect(stderr).not.toContain('OWNER_TOKEN');
  });

  test.each([
    ['SB_URL', 'notes.example.com', 'SB_URL: must be an http or https address'],
    ['PORT', 'eighty', 'PORT: must be a port, 0 to 65535'],
    ['JWT_SIGNING_KEY', 'short', 'JWT_SIGNING_KEY: must have at least 32 characters'],
    ['MCP_TOKEN', 'short', 'MCP_TOKEN: must have at least 16 characters'],
  ])('a wrong %s is named', (name, value, words) => {
    const { status, stderr } = start({
      SB_URL: 'https://notes.example.com',
      SB_TOKEN: 't',
      MCP_TOKEN,
      PUBLIC_URL: 'https://mcp.example.com',
      OAUTH_CLIENT_ID: 'id',
      OAUTH_CLIENT_SECRET: 's'.repeat(32),
      OWNER_TOKEN: 'long enough',
      JWT_SIGNING_KEY: 'k'.repeat(64),
      [name]: value,
    });
    expect(status).not.toBe(0);
    expect(stderr).toContain(words);
    expect(stderr).not.toContain('k'.repeat(64));
  });
});

describe('quire doctor', () => {
  // Not spawnSync: the space answers from this process.
  const doctor = async (env: Record<string, string>, ...more: string[]) => {
    const child = spawn(process.execPath, [BINARY, 'doctor', ...more], {
      env: { ...CLEAN_ENVIRONMENT, HOME: await temporaryFolder(), ...env },
    });
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      out += chunk;
    });
    const [code] = await once(child, 'exit');
    return { code, out };
  };

  test('is content with a space that is well', async () => {
    const { url } = await startSilverBullet({ files: { 'a.md': 'a' }, shellBackend: 'off' });
    const { code, out } = await doctor({ SB_URL: url, SB_TOKEN: TOKEN });
    expect(code).toBe(0);
    expect(out).toMatch(/ok +SilverBullet 2/);
    expect(out).toMatch(/ok +The token works\. Pages in the space: 1\./);
    expect(out).not.toMatch(/warn|error/);
  });

  test.each<[string, FakeOptions, Record<string, string>, RegExp]>([
    ['an open server', { open: true }, {}, /error +The server is open to everybody[\s\S]*SB_USER/],
    ['a read-only one', { readOnly: true }, {}, /warn +The server is read-only/],
    ['a shell', { shellBackend: 'local' }, {}, /warn +The token can run commands[\s\S]*SB_SHELL_BACKEND=off/],
    ['a wrong token', {}, { SB_TOKEN: 'wrong' }, /error [\s\S]*SB_TOKEN/],
    ['a missing prefix', { prefix: '/mine' }, { prefix: '' }, /error [\s\S]*prefix/],
    ['SilverBullet 0.x', { ancient: true }, {}, /error +The server is SilverBullet 0\.x[\s\S]*Upgrade/],
  ])('warns of %s', async (_, options, { prefix, ...env }, words) => {
    const { url, port } = await startSilverBullet(options);
    const address = prefix === '' ? `http://127.0.0.1:${port}` : url;
    const { code, out } = await doctor({ SB_URL: address, SB_TOKEN: TOKEN, ...env });
    expect(out).toMatch(words);
    expect(code).toBe(out.includes('error ') ? 1 : 0);
    expect(out).not.toContain(TOKEN);
  });

  test('says the same as JSON', async () => {
    const { url } = await startSilverBullet({ shellBackend: 'off' });
    const { out } = await doctor({ SB_URL: url, SB_TOKEN: TOKEN }, '--json');
    expect(JSON.parse(out).notebook[0]).toMatchObject({ check: 'version', level: 'ok' });
  });
});

describe('how it is configured', () => {
  const all = {
    SB_URL: 'http://127.0.0.1:9',
    SB_TOKEN: TOKEN,
    MCP_TOKEN,
    PUBLIC_URL: 'http://127.0.0.1:9',
    OAUTH_CLIENT_ID: CLIENT.id,
    OAUTH_CLIENT_SECRET: CLIENT.secret,
    OWNER_TOKEN,
    JWT_SIGNING_KEY: 'k'.repeat(64),
  };
  const failing = (args: readonly string[], env: Record<string, string>) =>
    spawnSync(process.execPath, [BINARY, 'silverbullet', ...args], {
      env: { ...CLEAN_ENVIRONMENT, ...env },
      encoding: 'utf8',
      timeout: 20_000,
    });

  test.each([
    ['PORT', [], { PORT: 'many' }, /^quire: Invalid setting: PORT: must be a port, 0 to 65535$/m],
    ['--port', ['--port', '99999'], {}, /^quire: Invalid setting: --port: must be a port, 0 to 65535$/m],
    ['PUBLIC_URL', [], { PUBLIC_URL: 'nonsense' }, /: PUBLIC_URL: must be an http or https address$/m],
    [
      'JWT_SIGNING_KEY',
      [],
      { JWT_SIGNING_KEY: 'short' },
      /: JWT_SIGNING_KEY: must have at least 32 characters$/m,
    ],
    ['SB_URL', [], { SB_URL: 'nonsense' }, /: SB_URL: must be an http or https address$/m],
  ])('a bad %s is named as it was given', (_, args, env, says) => {
    const { status, stderr } = failing(args, { ...all, ...env });
    expect(stderr).toMatch(says);
    expect(stderr).not.toContain('short');
    expect(status).toBe(2);
  });

  test('a file asks for the same as the environment', async () => {
    const file = join(await temporaryFolder(), 'quire.yaml');
    await writeFile(
      file,
      `notebooks: { s: { silverbullet: { url: "http://127.0.0.1:9", token: ${TOKEN} } } }\nauth: { ownerToken: open-sesame }\n`,
    );
    const { status, stderr } = failing(['--config', file], {});
    expect(stderr).toMatch(
      /Settings are missing: MCP_TOKEN, PUBLIC_URL, OAUTH_CLIENT_ID, OAUTH_CLIENT_SECRET, JWT_SIGNING_KEY\n/,
    );
    expect(stderr).toContain('quire silverbullet --transport stdio needs SB_URL and SB_TOKEN only.');
    expect(status).toBe(2);
  });

  test.each([
    ['variable', [], { QUIRE_HOST: '127.0.0.1' }],
    ['flag', ['--host', '127.0.0.1'], {}],
  ])('the address to listen on is a %s', async (_, args, env) => {
    const port = await freePort();
    const places = { PUBLIC_URL: `http://127.0.0.1:${port}`, PORT: String(port), QUIRE_LOG_FORMAT: 'json' };
    const { errors } = await startHttp(['silverbullet', ...args], { ...all, ...places, ...env });
    expect(errors()).toContain('"host":"127.0.0.1"');
  });
});

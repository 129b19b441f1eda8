/** A login at a server over HTTP, against a real one: Quire's own endpoint with its own authorization server. */
import { spawn } from 'node:child_process';
import { chmod, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import bcrypt from 'bcryptjs';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { planeOf } from '../governance/kit.ts';
import { type PlaneFolder, planeFolder } from '../governance/plane-kit.ts';
import { freePort, startHttp } from '../kit/http.ts';
import { approve } from '../kit/login.ts';
import { CLEAN_ENVIRONMENT, fileText, putFile, temporaryFolder } from '../kit/temp.ts';

const BINARY = fileURLToPath(new URL('../../dist/quire.cjs', import.meta.url));
const ALEX = { username: 'alex', password: 'correct horse battery' };
const ROBOT = { id: 'robot', secret: 'robot-secret-of-some-length' };
const HASH = bcrypt.hashSync(ALEX.password, 4);

/** A notebook server with authentication. */
async function guarded(accessHours = 24): Promise<{ origin: string; url: string }> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const folder = await temporaryFolder({ 'notes/a.md': 'alpha' });
  const config = {
    notebooks: { personal: { folder: './notes' } },
    serve: { port, publicUrl: origin },
    auth: {
      mode: 'oauth',
      users: { alex: HASH },
      accessHours,
      clients: [{ ...ROBOT, clientCredentials: true }],
    },
  };
  await putFile(folder, 'serve.yaml', JSON.stringify(config));
  await startHttp(['serve', '--config', join(folder, 'serve.yaml')]);
  return { origin, url: `${origin}/mcp` };
}

function remote(url: string, settings: object = {}) {
  return {
    name: 'notes',
    transport: 'streamable_http',
    url,
    client_consent: 'approved',
    trust: 'trusted',
    first_definitions: 'accept',
    ...settings,
  };
}

/** On a real terminal, with a user who opens the page that is printed. */
async function logIn(plane: PlaneFolder, visit: (page: string) => Promise<unknown>) {
  const line = [process.execPath, BINARY, 'mcp', 'login', 'notes'].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['-qefc', line, '/dev/null'], {
    cwd: plane.folder,
    env: { ...CLEAN_ENVIRONMENT, HOME: plane.folder, USER: 'tester', TERM: 'xterm' },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let screen = '';
  let visited: Promise<unknown> | undefined;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
    const page = /page: (\S+)\s/.exec(screen)?.[1];
    if (page !== undefined) visited ??= visit(page);
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  await visited;
  return { code, screen };
}

async function visitAsAlex(page: string): Promise<string> {
  return (await fetch(await approve(page, ALEX))).text();
}

const read = ['call', 'notes', 'read_note', '--arg', 'path=a.md'];

describe('a login', () => {
  it('is asked for, made on a terminal, kept for its owner alone, and used', async () => {
    const { url, origin } = await guarded();
    const plane = await planeFolder([remote(url)]);
    const before = await plane.run(...read);
    expect(before).toMatchObject({ code: 12, stdout: '' });
    expect(before.stderr).toContain('quire mcp login notes');

    const { code, screen } = await logIn(plane, visitAsAlex);
    expect(screen).toContain(`host: ${new URL(origin).host}`);
    expect(screen).toMatch(/code_challenge_method=S256/);
    expect(screen).toContain('notes: logged in');
    expect(code).toBe(0);
    expect(await plane.run(...read)).toMatchObject({ code: 0, stdout: expect.stringContaining('alpha') });

    const file = join(plane.folder, '.quire/plane/logins.json');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const { tokens } = JSON.parse(await fileText(plane.folder, '.quire/plane/logins.json')).servers.notes;
    const said = screen + (await fileText(plane.folder, '.quire/plane/audit.jsonl'));
    expect(said).not.toContain(tokens.access_token);
    expect(said).not.toContain(tokens.refresh_token);

    await chmod(file, 0o644);
    expect((await plane.run('doctor', '--json')).stdout).toContain('logins.json');
    await chmod(file, 0o600);

    expect(await plane.run('logout', 'notes')).toMatchObject({
      code: 0,
      stdout: 'notes: logged out; its tokens were given back\n',
    });
    expect(await plane.run('logout', 'notes')).toMatchObject({ stdout: 'notes: was not logged in\n' });
    expect((await plane.run(...read)).code).toBe(12);
    const refused = await fetch(url, {
      method: 'POST',
      headers: { Authorization: `Bearer ${tokens.access_token}` },
    });
    expect(refused.status).toBe(401);
  });

  it('renews itself, once among processes', async () => {
    const { url } = await guarded(4 / 3_600);
    const plane = await planeFolder([remote(url)]);
    expect((await logIn(plane, visitAsAlex)).code).toBe(0);
    const tokens = async () =>
      JSON.parse(await fileText(plane.folder, '.quire/plane/logins.json')).servers.notes.tokens;
    const first = await tokens();
    await new Promise((resolve) => setTimeout(resolve, 4_200));
    const ended = await Promise.all([plane.run(...read), plane.run(...read), plane.run(...read)]);
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect((await tokens()).refresh_token).not.toBe(first.refresh_token);
  });

  it('that is answered with a wrong state, or refused, stores no tokens', async () => {
    const { url } = await guarded();
    const plane = await planeFolder([remote(url)]);
    const { code, screen } = await logIn(plane, async (page) => {
      const back = new URL(new URL(page).searchParams.get('redirect_uri') ?? '');
      back.search = '?code=stolen&state=wrong';
      expect((await fetch(back)).status).toBe(404);
      back.search = `?error=access_denied&state=${new URL(page).searchParams.get('state')}`;
      await fetch(back);
    });
    expect({ code, screen }).toEqual({ code: 11, screen: expect.stringContaining('access_denied') });
    expect(await fileText(plane.folder, '.quire/plane/logins.json').catch(() => 'none')).toBe('none');
  });

  it('is not sent to another address of the same name', async () => {
    const [one, other] = await Promise.all([guarded(), guarded()]);
    const plane = await planeFolder([remote(one.url)]);
    expect((await logIn(plane, visitAsAlex)).code).toBe(0);
    const config = { control_plane: { mcp_servers: [remote(other.url)] } };
    await putFile(plane.folder, 'quire.yaml', JSON.stringify(config));
    expect((await plane.run(...read)).code).toBe(12);
  });

  it('is for a terminal, an allowed server, and one that asks', async () => {
    const { url } = await guarded();
    const plane = await planeFolder([remote(url, { client_consent: 'pending' })]);
    expect(await plane.run('login', 'notes')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('for a terminal only'),
    });
    expect((await logIn(plane, visitAsAlex)).code).toBe(11);
    const open = await startHttp(['serve', await temporaryFolder({ 'a.md': 'a' }), '--port', '0']);
    const free = await planeFolder([remote(`${open.origin}/mcp`)]);
    expect(await logIn(free, visitAsAlex)).toMatchObject({
      code: 0,
      screen: expect.stringContaining('answers without a login'),
    });
  });
});

test('client credentials need no user', async () => {
  const { url } = await guarded();
  const oauth = { grant: 'client_credentials', client_id: ROBOT.id, client_secret: ROBOT.secret };
  const plane = await planeFolder([remote(url, { oauth })]);
  expect(await plane.run(...read)).toMatchObject({ code: 0, stdout: expect.stringContaining('alpha') });
  const wrong = await planeFolder([
    remote(url, { oauth: { ...oauth, client_secret: 'another-secret-entirely' } }),
  ]);
  const { code, stderr } = await wrong.run(...read);
  expect(code).toBe(10);
  expect(stderr).not.toContain('another-secret-entirely');
});

test.each([
  [{ oauth: { client_secret: 'x' } }, 'needs client_id'],
  [{ oauth: { grant: 'client_credentials', client_id: 'x' } }, 'needs client_id and client_secret'],
  [{ oauth: {}, headers: { authorization: 'Bearer x' } }, 'keep one of them'],
  [{ oauth: { scope: ['x'] } }, 'scope'],
])('a login that makes no sense is an error of the configuration: %j', (settings, problem) => {
  expect(() => planeOf({}, [remote('https://example.com/mcp', settings)])).toThrow(problem);
});

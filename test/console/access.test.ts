/** Who gets into the console, and what is refused to everybody else. */
import { request } from 'node:http';
import bcrypt from 'bcryptjs';
import { beforeAll, describe, expect, test } from 'vitest';
import { type HttpServer, startHttp } from '../kit/http.ts';
import { temporaryFolder } from '../kit/temp.ts';
import { cookieOf, csrfIn, enter, linkOf, post, visitorWith } from './visitor.ts';

const PAGES = ['/console/review'];

async function start(args: readonly string[] = []): Promise<HttpServer> {
  const folder = await temporaryFolder({ 'secret-plan.md': '# Secret plan\n' });
  return startHttp(['serve', folder, '--port', '0', '--log-level', 'warn', ...args]);
}

describe('with a one-time key', () => {
  test('the link opens the console once, by a form', async () => {
    const server = await start();
    const { origin } = server;
    const link = linkOf(server);
    const first = await fetch(link);
    expect([first.status, first.headers.getSetCookie()]).toEqual([200, []]);
    // Opening the link again changes nothing: only the form does.
    expect((await fetch(link)).status).toBe(200);
    const key = link.searchParams.get('key') ?? '';
    const entered = await post(origin, '/console/enter', new URLSearchParams({ key }));
    expect(entered.status).toBe(303);
    const [cookie] = entered.headers.getSetCookie();
    expect(cookie).toMatch(/HttpOnly; SameSite=Lax$/);
    const visitor = visitorWith(origin, cookieOf(entered));
    expect((await visitor.get('/')).text).toContain('Sign out');
    const again = await post(origin, '/console/enter', new URLSearchParams({ key }));
    expect([again.status, again.headers.getSetCookie()]).toEqual([403, []]);
    // The operator has another link for the next browser.
    expect(linkOf(server).href).not.toBe(link.href);
    expect(server.rawLog()).not.toContain('key=');
  });

  test('strangers see nothing of the notes, and are led to the entrance', async () => {
    const { origin } = await start();
    const landing = await (await fetch(origin)).text();
    expect(landing).not.toMatch(/notebook|secret/i);
    for (const path of PAGES) {
      const answer = await fetch(new URL(path, origin), { redirect: 'manual' });
      expect([path, answer.status]).toEqual([path, 303]);
      expect(answer.headers.get('location')).toBe(`/console/enter?next=${encodeURIComponent(path)}`);
    }
    for (const path of ['/console', '/console/', '/console?next=//evil.example']) {
      const answer = await fetch(new URL(path, origin), { redirect: 'manual' });
      expect([answer.status, answer.headers.get('location')]).toEqual([303, '/console/activity']);
    }
    for (const cookie of ['quire-console=x', `quire-console-${new URL(origin).port}=${'0'.repeat(64)}`])
      expect((await visitorWith(origin, cookie).get('/console/review')).status).toBe(303);
  });

  test('an unknown page is a page for browsers, and JSON for programs', async () => {
    const { origin } = await start();
    const ask = (accept: string) => fetch(`${origin}/no/<b>such</b>`, { headers: { accept } });
    const page = await ask('text/html,application/xhtml+xml,*/*;q=0.8');
    expect(page.status).toBe(404);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const text = await page.text();
    expect(text).toContain('<a href="/">Go to the start page</a>');
    expect(text).not.toContain('<b>');
    for (const accept of ['*/*', 'application/json, text/event-stream']) {
      const answer = await ask(accept);
      expect(answer.status).toBe(404);
      expect(await answer.json()).toEqual({ error: expect.stringMatching(/^There is nothing at \/no\//) });
    }
  });

  test('a key from another site, or a wrong one, opens nothing', async () => {
    const server = await start();
    const key = linkOf(server).searchParams.get('key') ?? '';
    const attempts: [string, Record<string, string>][] = [
      ['0'.repeat(64), {}],
      ['', {}],
      [key, { Origin: 'http://127.0.0.1:1' }],
      [key, { 'Sec-Fetch-Site': 'cross-site' }],
      [key, { 'Sec-Fetch-Site': 'same-site' }],
    ];
    for (const [given, headers] of attempts) {
      const answer = await post(
        server.origin,
        '/console/enter',
        new URLSearchParams({ key: given }),
        headers,
      );
      expect([given === key, answer.status, answer.headers.getSetCookie()]).toEqual([given === key, 403, []]);
    }
    await enter(server);
  });

  test('a form without the value of its session, or from another origin, changes nothing', async () => {
    const server = await start();
    const { origin } = server;
    const [visitor, other] = [await enter(server), await enter(server)];
    const csrf = csrfIn((await visitor.get('/')).text);
    const foreign = csrfIn((await other.get('/')).text);
    expect(foreign).not.toBe(csrf);
    const attempts: [string, Record<string, string>][] = [
      ['', {}],
      [foreign, {}],
      [csrf, { Origin: 'http://127.0.0.1:1' }],
      [csrf, { Origin: 'https://evil.example' }],
      [csrf, { Origin: 'null' }],
      [csrf, { 'Sec-Fetch-Site': 'cross-site' }],
      [csrf, { 'Sec-Fetch-Site': 'same-site' }],
    ];
    for (const path of [...PAGES, '/console/leave'])
      for (const [value, headers] of attempts) {
        const fields = new URLSearchParams({ csrf: value, id: 'p0000000000000000', action: 'accept' });
        const answer = await post(origin, path, fields, { Cookie: visitor.cookie, ...headers });
        const isRefused = answer.status === 403 || answer.headers.get('location') === '/console/enter';
        expect([path, value.length, headers, isRefused]).toEqual([path, value.length, headers, true]);
      }
    expect((await visitor.get('/')).text).toContain('Sign out');
    await visitor.send('/console/leave', {});
    expect((await visitor.get('/console/review')).status).toBe(303);
    expect((await other.get('/console/review')).status).toBe(200);
  });

  test('a name that was pointed at this machine is refused, and no page can be framed', async () => {
    const server = await start();
    const visitor = await enter(server);
    const { port } = new URL(server.origin);
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { Host: `evil.example:${port}`, Cookie: visitor.cookie };
      request({ host: '127.0.0.1', port, path: '/console/review', headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      })
        .on('error', reject)
        .end();
    });
    expect(status).toBe(403);
    const { headers } = await fetch(new URL('/console/review', server.origin), {
      headers: { Cookie: visitor.cookie },
    });
    expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('cache-control')).toBe('no-store');
  });

  test('console: off leaves the landing page alone', async () => {
    const folder = await temporaryFolder({ 'a.md': 'a' });
    const file = `${await temporaryFolder({ 'quire.yaml': `console: off\nnotebooks:\n  notes: { folder: ${folder} }\n` })}/quire.yaml`;
    const server = await startHttp(['serve', '--config', file, '--port', '0', '--log-level', 'warn']);
    expect(server.errors()).not.toContain('console');
    expect((await fetch(server.origin)).status).toBe(200);
    for (const path of ['/console/enter', ...PAGES])
      expect((await fetch(new URL(path, server.origin))).status).toBe(404);
  });
});

describe('with a login', () => {
  let hash: string;
  beforeAll(() => {
    hash = bcrypt.hashSync('correct horse', 4);
  });

  async function logIn(origin: string, username: string, password: string, next = '/'): Promise<Response> {
    const page = await fetch(new URL(`/console/enter?next=${encodeURIComponent(next)}`, origin));
    const ticket = /name="ticket" value="([^"]+)"/.exec(await page.text())?.[1] ?? '';
    const fields = new URLSearchParams({ ticket, username, password, action: 'login' });
    return post(origin, '/console/enter', fields, { Cookie: cookieOf(page) });
  }

  test('users get in by their password, and are led to the page they wanted', async () => {
    const { origin, errors } = await start(['--auth', 'oauth', '--auth-users', `alex:${hash},kim:${hash}`]);
    expect(errors()).not.toContain('key=');
    expect((await logIn(origin, 'alex', 'wrong')).status).toBe(403);
    const entered = await logIn(origin, 'alex', 'correct horse', '/console/review?show=decided');
    expect([entered.status, entered.headers.get('location')]).toEqual([303, '/console/review?show=decided']);
    const visitor = visitorWith(origin, cookieOf(entered));
    expect((await visitor.get('/console/review')).text).toContain('alex');
    for (const next of ['https://evil.example', '//evil.example', '/console/x\\y', '/oauth/authorize'])
      expect((await logIn(origin, 'kim', 'correct horse', next)).headers.get('location')).toBe('/');
  });
});

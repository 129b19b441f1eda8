/** Apps and usage in a browser: consent to less than was asked for, a change of it, the end of it, and the plots. */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'puppeteer-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { chromium, openBrowser, openTab } from '../kit/browser.ts';
import { type ConsoleServer, connectApp, connectClient, PASSWORD, serveConsole } from '../kit/console.ts';
import { connectHttp } from '../kit/http.ts';
import { describeWith } from '../kit/needs.ts';
import { temporaryFolder } from '../kit/temp.ts';

const NAMES = [
  'Claude',
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "'-alert(1)-'",
  '</select><svg onload=alert(1)>',
  'javascript:alert(1)',
  '{{constructor.constructor("alert(1)")()}}',
  'A name that is far too long for a phone and has_no_good_place_to_break_at_all_because_it_is_one_word'.repeat(
    2,
  ),
];

interface WaitingApp {
  readonly address: string;
  readonly clientId: string;
  /** The answer of the token endpoint, once the person was sent back. */
  tokens(): Promise<{ access_token: string; scope: string }>;
}

/** An app on this machine that sends a person to the server and waits for the answer. */
async function openApp({ origin }: ConsoleServer, scope: string): Promise<WaitingApp> {
  let returned: (url: URL) => void = () => {};
  const back = new Promise<URL>((resolve) => {
    returned = resolve;
  });
  const listener = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>Back</title>');
    if (url.searchParams.has('code')) returned(url);
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  onTestFinished(() => void listener.close());
  const redirect = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/callback`;
  const registered = await fetch(`${origin}/oauth/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ client_name: 'Claude', redirect_uris: [redirect] }),
  });
  const { client_id: clientId } = (await registered.json()) as { client_id: string };
  const verifier = randomBytes(32).toString('base64url');
  const address = new URL('/oauth/authorize', origin);
  address.search = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirect,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    scope,
  }).toString();
  return {
    address: address.href,
    clientId,
    async tokens() {
      const form = {
        grant_type: 'authorization_code',
        client_id: clientId,
        code: (await back).searchParams.get('code') ?? '',
        code_verifier: verifier,
        redirect_uri: redirect,
      };
      const body = new URLSearchParams(form);
      const answer = await fetch(`${origin}/oauth/token`, { method: 'POST', body });
      return (await answer.json()) as { access_token: string; scope: string };
    },
  };
}

describeWith(chromium, 'apps and usage in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  const serve = async (folder?: string) =>
    serveConsole({
      config: { notebooks: { mine: { folder: folder ?? (await temporaryFolder({ 'a.md': 'alpha' })) } } },
      users: ['alex', 'bo'],
      admins: ['alex'],
    });

  test.each([true, false])(
    'a person allows less, changes it and ends it; with a script: %s',
    async (hasScript) => {
      const folder = await temporaryFolder({ 'a.md': 'alpha' });
      const server = await serve(folder);
      const app = await openApp(server, 'notes:read notes:write');
      const tab = await openTab(browser, server, { hasScript });
      await tab.page.goto(app.address);
      await tab.page.type('input[name=username]', 'bo');
      await tab.page.type('input[name=password]', PASSWORD);
      await tab.follow('button[value=login]');
      expect(await tab.text()).toContain('What may it do?');
      expect(await tab.page.$eval('input[name=access]:checked', (input) => input.getAttribute('value'))).toBe(
        'write',
      );
      await tab.expectSoundInAllLooks(`consent-${hasScript}`);
      await tab.page.click('input[value=propose]');
      await tab.follow('button[value=approve]');
      const { access_token: token, scope } = await app.tokens();
      expect(scope).toBe('notes:read notes:propose');
      // One session throughout: a change counts for it too.
      const client = await connectHttp(server.origin, { mode: 'legacy', token });
      const write = (path: string) =>
        client.callTool({ name: 'write_note', arguments: { path, content: 'beta' } });
      const notes = async () => (await readdir(folder)).filter((name) => name.endsWith('.md'));
      await write('proposed.md');
      expect(await notes()).toEqual(['a.md']);

      await tab.signIn('bo');
      await tab.follow('Apps');
      expect(await tab.text()).toContain('propose changes to notes');
      await tab.expectSoundInAllLooks(`apps-one-${hasScript}`);
      const setAccess = async (access: string) => {
        await tab.page.select('select[name=access]', access);
        await tab.follow('button[value=access]');
        expect(await tab.text()).toContain('may now');
      };
      await setAccess('write');
      await write('written.md');
      expect(await notes()).toEqual(['a.md', 'written.md']);
      await setAccess('read');
      await expect(write('refused.md')).rejects.toThrow('notes:write');
      await setAccess('propose');
      await write('proposed-too.md');
      expect(await notes()).toEqual(['a.md', 'written.md']);
      await tab.follow('button[value=revoke]');
      expect(await tab.text()).toContain('No app is connected');
      await expect(write('gone.md')).rejects.toThrow();
      await tab.expectSound(`apps-none-${hasScript}`);
    },
  );

  test('an admin sees the apps of all people, whatever their names, and revokes all of one', async () => {
    const server = await serve();
    for (const name of NAMES) await connectApp(server, 'bo', { name });
    const { token } = await connectApp(server, 'alex', { name: 'Cursor' });
    const client = await connectClient(server, { token, name: 'Cursor' });
    for (let i = 0; i < 20; i++) await client.callTool({ name: 'read_note', arguments: { path: 'a.md' } });
    const tab = await openTab(browser, server);
    let opened = 0;
    tab.page.on('dialog', (dialog) => {
      opened++;
      void dialog.dismiss();
    });
    await tab.signIn('alex');
    await tab.follow('Apps');
    expect(await tab.text()).toContain('20 calls in 14 days');
    for (const name of NAMES) expect(await tab.text()).toContain(name.slice(0, 60));
    await tab.expectSoundInAllLooks('apps');
    await tab.follow('Revoke all apps of bo');
    expect(await tab.text()).toContain('Claude');
    await tab.expectSoundInAllLooks('apps-revoke-all');
    await tab.follow('button[value=revoke-all]');
    expect(await tab.text()).toContain('8 revoked');
    expect(await tab.text()).not.toContain('onerror');
    expect(opened).toBe(0);
  });

  test('usage is drawn for the hour, the day and the month, with and without a script', async () => {
    const server = await serve();
    const { token } = await connectApp(server, 'alex');
    const client = await connectClient(server, { token });
    const call = (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args });
    for (let i = 0; i < 15; i++) {
      await call('read_note', { path: 'a.md' });
      await call('write_note', { path: `n${i}.md`, content: 'text '.repeat(i * 50) });
      if (i % 3 === 0) await call('read_note', { path: 'none.md' });
    }
    await call('search_notes', { query: 'text' });
    for (const hasScript of [true, false]) {
      const tab = await openTab(browser, server, { hasScript });
      await tab.signIn('alex');
      for (const period of ['hour', 'day', 'month']) {
        await tab.visit(`/console/usage?period=${period}`);
        expect(await tab.text()).toContain('search_notes');
        expect(await tab.page.$$('svg.plot')).toHaveLength(6);
        await (hasScript ? tab.expectSoundInAllLooks(`usage-${period}`) : tab.expectSound());
      }
      await tab.visit('/console/usage?period=never', 400);
      expect(await tab.text()).toContain('Choose the last hour, day or month');
    }
    const other = await openTab(browser, server);
    await other.signIn('bo');
    expect(await other.text()).not.toContain('Usage');
    await other.visit('/console/usage', 403);
  });

  test('usage without any call says what is missing', async () => {
    const folder = await temporaryFolder({ 'a.md': 'alpha' });
    const server = await serveConsole({ config: { notebooks: { mine: { folder } } } });
    const tab = await openTab(browser, server);
    await tab.signIn();
    await tab.follow('Usage');
    expect(await tab.text()).toContain('No assistant has called a tool');
    await tab.expectSoundInAllLooks('usage-none');
    const client = await connectClient(server, { name: NAMES[2] });
    await client.callTool({ name: 'read_note', arguments: { path: 'a.md' } });
    await tab.follow('Apps');
    expect(await tab.text()).toContain(NAMES[2]);
    await tab.expectSoundInAllLooks('apps-without-login');
  });
});

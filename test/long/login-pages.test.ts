/** The pages people see in a real browser: login, consent, connected apps. Runs where Chromium is installed; says so where it is not. */
import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import bcrypt from 'bcryptjs';
import type { Browser, Page } from 'puppeteer-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { chromium, openBrowser } from '../kit/browser.ts';
import { freePort, INITIALIZE, post, startHttp } from '../kit/http.ts';
import { describeWith } from '../kit/needs.ts';
import { temporaryFolder } from '../kit/temp.ts';

const PASSWORD = 'correct horse battery';
const HASH = bcrypt.hashSync(PASSWORD, 4);
const PHONE = { width: 390, height: 844, isMobile: true, hasTouch: true, deviceScaleFactor: 2 };

describeWith(chromium, 'the login and consent pages in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  }, 60_000);
  afterAll(() => browser?.close());

  test('a person signs in, sees who asks for what, allows it, and is sent back with a code', async () => {
    const { page, url, callback } = await begin(browser);
    await page.goto(url);
    expect(await page.title()).toContain('Quire');
    await snap(page, 'login');
    await page.type('input[name=username]', 'alex');
    await page.type('input[name=password]', 'wrong');
    await submit(page, 'login');
    expect(await page.$eval('body', (body) => body.textContent ?? '')).toMatch(/not right|wrong|try again/i);
    await snap(page, 'login-refused');
    await page.$eval('input[name=username]', (input) => {
      (input as unknown as { value: string }).value = '';
    });
    await page.type('input[name=username]', 'alex');
    await page.type('input[name=password]', PASSWORD);
    await submit(page, 'login');
    const consent = await page.$eval('body', (body) => body.textContent ?? '');
    expect(consent).toContain('Browser test');
    expect(consent).toContain('127.0.0.1');
    await snap(page, 'consent');
    await submit(page, 'approve');
    const back = await callback;
    expect(back.searchParams.get('state')).toBe('the-state');
    expect(back.searchParams.get('iss')).toBe(new URL(url).origin);
    expect(back.searchParams.get('code')).toMatch(/^[0-9a-f]{64}$/);
  }, 60_000);

  test('a user who does not allow it is sent back without a code', async () => {
    const { page, url, callback } = await begin(browser);
    await page.goto(url);
    await page.type('input[name=username]', 'alex');
    await page.type('input[name=password]', PASSWORD);
    await submit(page, 'login');
    await submit(page, 'deny');
    const back = await callback;
    expect(back.searchParams.get('error')).toBe('access_denied');
    expect(back.searchParams.has('code')).toBe(false);
  }, 60_000);

  test('the pages need no script, cannot be framed, and fit a phone', async () => {
    const { page, url } = await begin(browser);
    await page.setJavaScriptEnabled(false);
    await page.setViewport(PHONE);
    const answer = await page.goto(url);
    const policy = answer?.headers()['content-security-policy'] ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(answer?.headers()['x-frame-options']).toBe('DENY');
    await snap(page, 'login-phone');
    const { scrollWidth, clientWidth } = await page.$eval('html', (html) => ({
      scrollWidth: html.scrollWidth,
      clientWidth: html.clientWidth,
    }));
    expect(scrollWidth).toBeLessThanOrEqual(clientWidth);
    await page.type('input[name=username]', 'alex');
    await page.type('input[name=password]', PASSWORD);
    await submit(page, 'login');
    await snap(page, 'consent-phone');
    expect(await page.$('button[value=approve]')).not.toBeNull();
  }, 60_000);

  test('a user who has let an app in sees it on the account page, without scripts, and revokes it', async () => {
    const { page, url, callback, redeem } = await begin(browser);
    const { origin } = new URL(url);
    await page.setJavaScriptEnabled(false);
    await page.setViewport(PHONE);
    await page.goto(url);
    await signIn(page);
    await submit(page, 'approve');
    const token = await redeem((await callback).searchParams.get('code') ?? '');
    const call = async () => (await post(origin, INITIALIZE, { Authorization: `Bearer ${token}` })).status;
    expect(await call()).toBe(200);
    const context = await browser.createBrowserContext();
    onTestFinished(() => context.close());
    const own = await context.newPage();
    await own.setJavaScriptEnabled(false);
    await own.goto(`${origin}/account`);
    await snap(own, 'account-login');
    await signIn(own);
    const shown = await own.$eval('main', (main) => main.textContent ?? '');
    expect(shown).toContain('Browser test');
    expect(shown).toContain('Signed in as alex');
    await snap(own, 'account');
    await own.setViewport(PHONE);
    await own.reload();
    await snap(own, 'account-phone');
    await Promise.all([own.waitForNavigation(), own.click('button[name=revoke]')]);
    expect(await own.$eval('main', (main) => main.textContent ?? '')).toContain('No app is connected');
    await snap(own, 'account-empty');
    expect(await call()).toBe(401);
    await submit(own, 'leave');
    expect(await own.$('input[name=password]')).not.toBeNull();
  }, 60_000);
});

/** A vault, a registered client that listens for the answer, and a fresh page. */
async function begin(browser: Browser): Promise<{
  page: Page;
  url: string;
  callback: Promise<URL>;
  /** The client's part: from a code to an access token. */
  redeem: (code: string) => Promise<string>;
}> {
  const folder = await temporaryFolder({ 'a.md': 'alpha' });
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  await startHttp(
    ['vault', '--vault-path', folder, '--listen-addr', `127.0.0.1:${port}`, '--server-url', origin],
    { AUTH_USERS: `alex:${HASH}` },
  );
  const { redirect, callback } = await listenForCallback();
  const registered = await fetch(`${origin}/oauth/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      client_name: 'Browser test',
      redirect_uris: [redirect],
      token_endpoint_auth_method: 'none',
    }),
  });
  const { client_id: clientId } = (await registered.json()) as { client_id: string };
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const parameters = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirect,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 'the-state',
    resource: origin,
  });
  const context = await browser.createBrowserContext();
  onTestFinished(() => context.close());
  const redeem = async (code: string) => {
    const form = { grant_type: 'authorization_code', client_id: clientId, code, code_verifier: verifier };
    const answer = await fetch(`${origin}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) });
    return ((await answer.json()) as { access_token: string }).access_token;
  };
  return { page: await context.newPage(), url: `${origin}/oauth/authorize?${parameters}`, callback, redeem };
}

async function signIn(page: Page): Promise<void> {
  await page.type('input[name=username]', 'alex');
  await page.type('input[name=password]', PASSWORD);
  await submit(page, 'login');
}

async function listenForCallback(): Promise<{ redirect: string; callback: Promise<URL> }> {
  let heard: (url: URL) => void = () => {};
  const callback = new Promise<URL>((resolve) => {
    heard = resolve;
  });
  const server = createServer((request, response) => {
    response.end('done');
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (url.pathname === '/callback') heard(url);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  return { redirect: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`, callback };
}

async function submit(page: Page, action: string): Promise<void> {
  await Promise.all([page.waitForNavigation(), page.click(`button[value=${action}]`)]);
}

/** Screenshots to look at: SCREENSHOTS=folder npx vitest run test/browser */
async function snap(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`) as `${string}.png` });
}

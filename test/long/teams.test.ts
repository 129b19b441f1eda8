/** People of a team with real programs: a passkey in Chromium, and the login of a real OpenID provider in the console. */
import { join } from 'node:path';
import type { Browser } from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chromium, openBrowser, openTab } from '../kit/browser.ts';
import { PASSWORD, serveConsole } from '../kit/console.ts';
import { freePort } from '../kit/http.ts';
import { CLIENT, startProvider } from '../kit/identity-provider.ts';
import { describeWith } from '../kit/needs.ts';
import { temporaryFolder } from '../kit/temp.ts';

/** At a name: passkeys are for names, not for addresses. */
async function serveTeam(auth: Record<string, unknown> = {}) {
  const notes = await temporaryFolder({ 'a.md': 'alpha' });
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const server = await serveConsole({
    config: {
      notebooks: { notes: { folder: notes } },
      serve: { port, publicUrl: origin },
      state: { dir: join(await temporaryFolder(), 'state') },
      ...auth,
    },
    users: ['alex'],
  });
  return { ...server, origin };
}

describeWith(chromium, 'people of a team', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  test('a passkey is added with the password, and asked for at the next login', async () => {
    const server = await serveTeam();
    const tab = await openTab(browser, server);
    const { page } = tab;
    const session = await page.createCDPSession();
    await session.send('WebAuthn.enable');
    const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'usb',
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    const logIn = async () => {
      await tab.visit('/account');
      await page.type('input[name=username]', 'alex');
      await page.type('input[name=password]', PASSWORD);
      await tab.follow('button[value=login]');
    };
    await logIn();
    await tab.follow('Password and second factors');
    await tab.expectSoundInAllLooks('second-factors');
    await page.type('input[name=password]', PASSWORD);
    await tab.follow('Add a passkey');
    await tab.expectSound('add-passkey');
    await tab.follow('Add it');
    expect(await tab.text()).toContain('Your recovery codes');
    await tab.expectSound('recovery-codes');
    await tab.follow('I have kept them');
    expect(await tab.text()).toContain('10 left');
    const { credentials } = await session.send('WebAuthn.getCredentials', { authenticatorId });
    expect(credentials).toHaveLength(1);

    await page.type('input[name=password]', PASSWORD);
    await page.keyboard.press('Enter');
    expect(await tab.text(), 'no change is meant').toContain('Set up an app');
    await tab.follow('Set up an app');
    expect(await tab.text(), 'the passkey is asked for again').toContain('One more step');
    await tab.follow('Use a passkey');
    // Another look would load the page again, which is the answer to a form.
    await tab.expectSound('set-up-app');
    await tab.visit('/account');
    await tab.follow('Sign out');
    await logIn();
    expect(await tab.text()).toContain('One more step');
    await tab.expectSound('one-more-step');
    await tab.follow('Use a passkey');
    expect(await tab.text()).toContain('Signed in as alex');

    // Without the authenticator nobody gets in, and is told why.
    await tab.follow('Sign out');
    await session.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId });
    await session.send('WebAuthn.addVirtualAuthenticator', {
      options: { protocol: 'ctap2', transport: 'usb', automaticPresenceSimulation: true },
    });
    await logIn();
    await page.click('form[data-passkey] button');
    await page.waitForSelector('#passkey-problem:not([hidden])');
    await tab.visit('/account');
    expect(await tab.text()).not.toContain('Signed in as');
    expect(tab.problems).toEqual([]);
  });

  test('somebody of an OpenID provider signs in to the console, with the role of their group', async () => {
    const port = await freePort();
    const origin = `http://localhost:${port}`;
    const provider = await startProvider(`${origin}/oauth/oidc/callback`, {
      kim: { preferred_username: 'kim', groups: ['leads'] },
    });
    const notes = await temporaryFolder({ 'a.md': 'alpha' });
    const oidc = {
      issuer: provider.origin,
      ...CLIENT,
      name: 'Example Login',
      insecureLoopback: true,
      roles: { leads: 'admin' },
    };
    const server = await serveConsole({
      config: {
        notebooks: { notes: { folder: notes } },
        serve: { port, publicUrl: origin },
        auth: { mode: 'oauth', oidc },
      },
    });
    const tab = await openTab(browser, { ...server, origin });
    const { page } = tab;
    await tab.visit('/console/users');
    await tab.expectSoundInAllLooks('sign-in-with');
    // The pages of the provider want fonts from elsewhere.
    await page.setRequestInterception(true);
    page.on('request', (request) => {
      const isHere = /^(localhost|127\.0\.0\.1)$/.test(new URL(request.url()).hostname);
      return isHere ? request.continue() : request.abort();
    });
    await tab.follow('Sign in with Example Login');
    await page.type('input[name=login]', 'kim');
    await page.type('input[name=password]', 'any');
    await tab.follow('button[type=submit]');
    await tab.follow('button[type=submit]');
    expect(new URL(page.url()).pathname).toBe('/console/users');
    tab.problems.length = 0;
    expect(await tab.text()).toMatch(/oidc:kim-[0-9a-f]{8}/);
    await tab.expectSoundInAllLooks('people');
    expect(server.rawLog()).not.toContain(CLIENT.clientSecret);
  });
});

/** Second factors of people with a password: codes of an app, recovery codes, and what neither can be used for. */
import { describe, expect, it } from 'vitest';
import { registrationOptions } from '../../src/oauth/factors/library.ts';
import { matchingStep, newTotpSecret, otpauthUri, stepAt, totpCode } from '../../src/oauth/factors/totp.ts';
import { carryOut } from '../../src/oauth/users.ts';
import { openMemoryState, type StateStore } from '../../src/state/memory.ts';
import { authorizeUrl, type Browser, type OAuthServer, openServer, PASSWORD, USERS } from './kit.ts';

async function signIn(served: OAuthServer): Promise<Browser> {
  const browser = served.browser();
  await browser.open('/account');
  await browser.logIn();
  return browser;
}

const isIn = async (browser: Browser) => {
  await browser.open('/account');
  return browser.html.includes('Signed in as <b>alex</b>');
};
const codesIn = ({ html }: Browser) =>
  [...html.matchAll(/<li>([a-z2-9-]{19})<\/li>/g)].map(([, code = '']) => code);

/** Alex with an app; the secret and the recovery codes. */
async function withApp(served: OAuthServer) {
  const browser = await signIn(served);
  await browser.open('/account/security');
  await browser.send({ action: 'app', password: PASSWORD });
  const secret = (/<pre>([A-Z2-7 ]+)<\/pre>/.exec(browser.html)?.[1] ?? '').replaceAll(' ', '');
  expect(secret).toHaveLength(32);
  expect(browser.html).toContain('<svg');
  const code = () => totpCode(secret, stepAt(served.clock.now));
  await browser.send({ action: 'confirm', code: code() });
  const recovery = codesIn(browser);
  expect(recovery).toHaveLength(10);
  served.advance(30);
  return { browser, secret, code, recovery };
}

describe('one-time codes', () => {
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('at %i s is %s (RFC 6238, appendix B)', (seconds, code) => {
    expect(totpCode(secret, stepAt(seconds * 1000))).toBe(code);
  });

  it('fit one step early and late, no more, and none that is not later than the last', () => {
    const now = 1_800_000_000_000;
    const step = stepAt(now);
    const fits = (at: number, after = 0) => matchingStep(secret, totpCode(secret, at), now, after);
    expect([-2, -1, 0, 1, 2].map((by) => fits(step + by))).toEqual([
      undefined,
      step - 1,
      step,
      step + 1,
      undefined,
    ]);
    expect(fits(step, step)).toBeUndefined();
    expect(fits(step - 1, step)).toBeUndefined();
  });

  it('have an address that apps read', () => {
    const uri = otpauthUri(newTotpSecret(), { user: 'a b', issuer: 'Quire notes.example.com' });
    expect(uri).toMatch(
      /^otpauth:\/\/totp\/Quire%20notes\.example\.com:a%20b\?secret=[A-Z2-7]{32}&issuer=Quire\+notes\.example\.com&algorithm=SHA1&digits=6&period=30$/,
    );
  });
});

describe('a person with an app', () => {
  it('is asked for a code after the password, which is accepted once', async () => {
    const served = openServer();
    const { code } = await withApp(served);
    const browser = await signIn(served);
    expect(browser.html).toContain('One more step');
    expect(await isIn(browser), 'the password alone is not enough').toBe(false);
    await browser.logIn();
    const used = code();
    expect((await browser.send({ action: 'login', code: used })).status).toBe(303);
    expect(await isIn(browser)).toBe(true);
    const again = await signIn(served);
    expect((await again.send({ action: 'login', code: used })).status, 'replayed').toBe(403);
    served.advance(30);
    expect((await again.send({ action: 'login', code: code() })).status).toBe(303);
  });

  it('is asked by apps too, on the page of the same request', async () => {
    const served = openServer();
    const { code } = await withApp(served);
    const { client_id } = await served.register();
    const browser = served.browser();
    await browser.open(authorizeUrl({ client_id }));
    await browser.logIn();
    expect(browser.html).toContain('One more step');
    expect((await browser.send({ action: 'approve' })).status).toBe(200);
    expect(browser.html, 'no consent before the second factor').toContain('name="password"');
    await browser.logIn();
    await browser.send({ action: 'login', code: code() });
    expect(browser.html).toContain('to use your notes?');
    expect((await browser.send({ action: 'approve' })).status).toBe(303);
  });

  it('gets in with each recovery code once', async () => {
    const served = openServer();
    const { recovery } = await withApp(served);
    const [first = '', second = ''] = recovery;
    const browser = await signIn(served);
    expect((await browser.send({ action: 'login', code: first.toUpperCase() })).status).toBe(303);
    const again = await signIn(served);
    expect((await again.send({ action: 'login', code: first })).status).toBe(403);
    expect((await again.send({ action: 'login', code: second.replaceAll('-', ' ') })).status).toBe(303);
    await again.open('/account/security');
    expect(again.html).toContain('8 left');
  });

  it('is slowed down, whichever browser and server the guesses come from', async () => {
    const state = openMemoryState();
    const [served, other] = [openServer({ state }), openServer({ state })];
    const { code } = await withApp(served);
    other.clock.now = served.clock.now;
    for (let guess = 0; guess < 5; guess++) {
      const browser = await signIn(guess % 2 === 0 ? served : other);
      expect((await browser.send({ action: 'login', code: '000000' })).status).toBe(403);
    }
    const browser = await signIn(other);
    expect((await browser.send({ action: 'login', code: code() })).status, 'not even the right one').toBe(
      429,
    );
    served.advance(16);
    other.advance(16);
    expect((await browser.send({ action: 'login', code: code() })).status).toBe(303);
  });

  it('two at once with one code: one gets in', async () => {
    const served = openServer();
    const { code } = await withApp(served);
    const browsers = await Promise.all([signIn(served), signIn(served), signIn(served)]);
    const answers = await Promise.all(
      browsers.map((browser) => browser.send({ action: 'login', code: code() })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 403, 403]);
  });

  it('has no secret in the state or the log, and the seal is for one person', async () => {
    const served = openServer();
    const { secret, recovery } = await withApp(served);
    const texts = (await served.dump()) + JSON.stringify(served.lines);
    for (const hidden of [secret, recovery[0] ?? '', (recovery[0] ?? '').replaceAll('-', '')])
      expect(texts).not.toContain(hidden);
    await served.state.put('factors:bob', await served.state.get('factors:alex'));
    const { factors } = served.server.pages;
    served.advance(60);
    const code = totpCode(secret, stepAt(served.clock.now));
    expect(await factors.check('bob', { kind: 'code', code })).toBe('refused');
    expect(await factors.check('alex', { kind: 'code', code })).toBe('accepted');
  });

  it('gets in when the state is back that was away as the first code came', async () => {
    const served = openServer();
    const { state } = served;
    const { secret } = await withApp(served);
    let isAway = true;
    const get: StateStore['get'] = (key) =>
      isAway && key === 'factor-key' ? Promise.reject(new Error('away')) : state.get(key);
    const other = openServer({ state: { ...state, get } });
    other.clock.now = served.clock.now;
    const given = { kind: 'code', code: totpCode(secret, stepAt(other.clock.now)) } as const;
    const { factors } = other.server.pages;
    await expect(factors.check('alex', given)).rejects.toThrow('away');
    isAway = false;
    expect(await factors.check('alex', given)).toBe('accepted');
  });

  it('changes nothing without the password, or by a ticket of another step', async () => {
    const served = openServer();
    const { browser, code } = await withApp(served);
    await browser.open('/account/security');
    const { ticket } = browser;
    const forms: Record<string, string>[] = [
      { action: 'recovery' },
      { remove: 'app' },
      { action: 'passkey' },
    ];
    for (const fields of forms) {
      expect((await browser.send({ ...fields, password: 'wrong' })).status).toBe(403);
      expect(browser.html).toContain('Nothing was changed');
    }
    expect((await browser.send({ ticket, remove: 'app', password: PASSWORD })).status, 'used ticket').toBe(
      200,
    );
    expect(browser.html).toContain('It is set up.');
    await browser.send({ remove: 'app', password: PASSWORD });
    expect(browser.html).toContain('One more step');
    await browser.send({ action: 'login', code: code() });
    expect(browser.html).toContain('Set up an app');
    expect((await (await signIn(served)).open('/account')).status).toBe(200);
  });

  it('changes nothing without a second factor either, once there is one', async () => {
    const served = openServer();
    const stolen = await signIn(served);
    const { code, recovery } = await withApp(served);
    const { directory } = served.server.pages;
    const steps: Record<string, string>[] = [
      { remove: 'app' },
      { action: 'app' },
      { action: 'passkey' },
      { action: 'recovery' },
      { action: 'password' },
    ];
    for (const step of steps) {
      await stolen.open('/account/security');
      const list = stolen.ticket;
      await stolen.send({ ...step, password: PASSWORD });
      expect(stolen.html, JSON.stringify(step)).toContain('One more step');
      expect(stolen.html, 'what for').toMatch(/<b>(?:Remove the app|Set up an app|Add|Make|Change) ?/);
      // Neither a wrong code nor a ticket of another page leads on.
      await stolen.send({ ...step, code: '000000' });
      expect(stolen.html).toContain('This did not fit');
      await stolen.send({ ticket: list, ...step, code: code() });
      expect(stolen.html).toContain('Nothing was changed');
      served.advance(16 * 60);
      await stolen.open('/account');
      await stolen.logIn();
      await stolen.send({ action: 'login', code: code() });
      served.advance(30);
    }
    expect(await served.server.pages.factors.summary('alex')).toMatchObject({ hasTotp: true, passkeys: [] });
    const [first = ''] = recovery;
    await stolen.open('/account/security');
    await stolen.send({ action: 'recovery', password: PASSWORD });
    await stolen.send({ action: 'login', code: first });
    expect(codesIn(stolen)).toHaveLength(10);
    expect((await directory.find('alex'))?.hash).toBeDefined();
  });

  it('sends nothing by pressing Enter in the list, where which change is meant is not known', async () => {
    const { browser } = await withApp(openServer());
    await browser.open('/account/security');
    expect(/<button[^>]*>/.exec(browser.html)?.[0]).toBe('<button disabled hidden>');
  });

  it('a password that was given before it was changed is worth nothing at the second factor', async () => {
    const served = openServer();
    const { directory, factors } = served.server.pages;
    const hash = USERS.get('alex') ?? '';
    await carryOut(directory, { action: 'add', name: 'kim', hash, role: 'admin' }, 'operator');
    const secret = await factors.beginTotp('kim');
    await factors.confirmTotp('kim', totpCode(secret, stepAt(served.clock.now)));
    served.advance(30);
    const code = () => totpCode(secret, stepAt(served.clock.now));
    for (const action of ['reset', 'disable'] as const) {
      const browser = served.browser();
      await browser.open('/account');
      await browser.logIn('kim');
      expect(browser.html).toContain('One more step');
      await carryOut(directory, { action, name: 'kim', hash }, 'operator');
      expect((await browser.send({ action: 'login', code: code() })).status, action).toBe(403);
      expect(browser.cookies.has('__Host-quire-session')).toBe(false);
    }
  });

  it('has a passkey under a handle that authenticators take, whatever the name', async () => {
    const user = '𠮷'.repeat(64);
    const made = await registrationOptions(
      { id: 'a.example', origin: 'https://a.example' },
      new Uint8Array(32),
      {
        user,
        known: [],
      },
    );
    const { id, name } = (made as { user: { id: string; name: string } }).user;
    expect(name).toBe(user);
    expect(Buffer.from(id, 'base64url').length).toBeLessThanOrEqual(64);
  });

  it('is let in with the password alone after an admin has removed what was lost', async () => {
    const served = openServer();
    await withApp(served);
    await carryOut(served.server.pages.directory, { action: 'factors', name: 'alex' }, 'operator');
    expect(await isIn(await signIn(served))).toBe(true);
  });

  it('an answer of a passkey that was never made here is refused', async () => {
    const served = openServer();
    await withApp(served);
    const browser = await signIn(served);
    for (const passkey of ['{}', 'no json', '{"id":"x","response":{}}'])
      expect((await browser.send({ action: 'login', passkey })).status).toBe(403);
  });
});

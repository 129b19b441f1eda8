/** Attacks on people at the login and consent pages. Each row tries one and sees it fail. */
import { describe, expect, it } from 'vitest';
import {
  type AttackTable,
  authorizeUrl,
  Browser,
  encoded,
  OTHER_PASSWORD,
  openServer,
  PASSWORD,
} from '../kit.ts';

const ON_PEOPLE: AttackTable = {
  'a login form is sent from another site (CSRF)': async () => {
    const served = openServer();
    const { client_id } = await served.register();
    const browser = served.browser();
    await browser.open(authorizeUrl({ client_id }));
    const login = { action: 'login', username: 'alex', password: PASSWORD };
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
    ] as Record<string, string>[]) {
      const answer = await browser.send(login, headers);
      expect(answer.status).toBe(403);
      expect(answer.headers.getSetCookie()).toEqual([]);
      await browser.open(authorizeUrl({ client_id }));
    }
    expect(served.events('login succeeded')).toEqual([]);
    expect(served.events('form refused')).toHaveLength(3);
  },
  'a form is sent with the attacker’s ticket from the victim’s browser, or without cookies': async () => {
    const served = openServer();
    const { client_id } = await served.register();
    const attacker = served.browser();
    await attacker.open(authorizeUrl({ client_id }));
    const victim = served.browser();
    await victim.open(authorizeUrl({ client_id }));
    const answer = await victim.send({
      ticket: attacker.ticket,
      action: 'login',
      username: 'bob',
      password: OTHER_PASSWORD,
    });
    expect(answer.status).toBe(403);
    attacker.cookies.clear();
    expect((await attacker.logIn()).status).toBe(403);
    expect(served.events('login succeeded')).toEqual([]);
  },
  'consent is sent from another site, another browser, or twice': async () => {
    const served = openServer();
    const { client_id } = await served.register();
    const victim = served.browser();
    await victim.open(authorizeUrl({ client_id }));
    await victim.logIn();
    const { ticket } = victim;
    expect(victim.html).toContain('Allow Claude');
    const attacker = served.browser();
    await attacker.open(authorizeUrl({ client_id }));
    expect((await attacker.send({ ticket, action: 'approve' })).status).toBe(403);
    const fromElsewhere = await victim.send(
      { ticket, action: 'approve' },
      { 'sec-fetch-site': 'cross-site' },
    );
    expect(fromElsewhere.status).toBe(403);
    expect((await victim.send({ ticket, action: 'approve' })).status).toBe(303);
    const twice = await victim.send({ ticket, action: 'approve' });
    expect(twice.status).toBe(200);
    expect(twice.headers.get('location')).toBeNull();
    expect(served.events('access approved')).toHaveLength(1);
  },
  'a ticket is made up, changed, or old': async () => {
    const served = openServer();
    const { client_id } = await served.register();
    const browser = served.browser();
    await browser.open(authorizeUrl({ client_id }));
    const { ticket } = browser;
    const [body = '', signature = ''] = ticket.split('.');
    const facts = JSON.parse(Buffer.from(body, 'base64url').toString()) as object;
    const asAlex = encoded({ ...facts, user: 'alex' });
    for (const forged of [`${asAlex}.${signature}`, `${asAlex}.`, asAlex, '.', 'x', `${body}.${signature}x`])
      expect((await browser.send({ ticket: forged, action: 'approve' })).status).toBe(403);
    served.advance(600);
    await browser.send({ ticket, action: 'login', username: 'alex', password: PASSWORD });
    expect(browser.html).toContain('open for too long');
    expect(served.events('login succeeded')).toEqual([]);
  },
  'approval is sent without a login': async () => {
    const served = openServer();
    const { client_id } = await served.register();
    const browser = served.browser();
    await browser.open(authorizeUrl({ client_id }));
    const answer = await browser.send({ action: 'approve', user: 'alex', username: 'alex' });
    expect(answer.status).toBe(200);
    expect(browser.html).toContain('name="password"');
  },
  'a session is planted in the victim’s browser (fixation)': async () => {
    const served = openServer();
    const { client_id } = await served.register();
    const planted = 'a'.repeat(64);
    const victim = served.browser();
    victim.cookies.set('__Host-quire-session', planted);
    await victim.open(`${authorizeUrl({ client_id })}&session=${planted}&__Host-quire-session=${planted}`);
    expect(victim.html).toContain('name="password"');
    await victim.logIn();
    const session = victim.cookies.get('__Host-quire-session');
    expect(session).toMatch(/^[0-9a-f]{64}$/);
    expect(session).not.toBe(planted);
    const attacker = served.browser();
    attacker.cookies.set('__Host-quire-session', planted);
    await attacker.open(authorizeUrl({ client_id }));
    expect(attacker.html).toContain('name="password"');
  },
  'a session is stolen: it works in its own browser only, once, for fifteen minutes': async () => {
    const served = openServer();
    const { client_id } = await served.register();
    const victim = served.browser();
    await victim.approve(authorizeUrl({ client_id }));
    const session = victim.cookies.get('__Host-quire-session') ?? '';
    const thief = served.browser();
    thief.cookies.set('__Host-quire-session', session);
    await thief.open(authorizeUrl({ client_id }));
    expect(thief.html).toContain('name="password"');
    // The theft has ended the session for its owner too; a user who logs in again gets a new one at each use.
    await victim.open(authorizeUrl({ client_id }));
    expect(victim.html).toContain('name="password"');
    await victim.logIn();
    const names = new Set([victim.cookies.get('__Host-quire-session')]);
    for (let at = 0; at < 3; at++) {
      await victim.open(authorizeUrl({ client_id }));
      expect(victim.html).toContain('Allow Claude');
      names.add(victim.cookies.get('__Host-quire-session'));
    }
    expect(names.size).toBe(4);
    served.advance(900);
    await victim.open(authorizeUrl({ client_id }));
    expect(victim.html).toContain('name="password"');
  },
  'a consent page that was left open is sent after signing out, in whichever tab': async () => {
    const served = openServer();
    const { client_id } = await served.register();
    for (const signOut of ['/account', 'switch', 'cookie'] as const) {
      const browser = served.browser();
      await browser.open(authorizeUrl({ client_id }));
      await browser.logIn();
      const { html, ticket } = browser;
      expect(html).toContain('Allow Claude');
      if (signOut === '/account') {
        await browser.open('/account');
        await browser.send({ action: 'leave' });
      } else if (signOut === 'switch') {
        await browser.open(authorizeUrl({ client_id }));
        await browser.send({ action: 'switch' });
      } else browser.cookies.delete('__Host-quire-session');
      const answer = await browser.send({ ticket, action: 'approve' });
      expect([signOut, answer.status, answer.headers.get('location')]).toEqual([signOut, 200, null]);
      expect(browser.html).toContain('name="password"');
    }
    expect(served.events('access approved')).toEqual([]);
  },
  'a consent page of one person is sent when another has signed in': async () => {
    const served = openServer();
    const { client_id } = await served.register();
    const browser = served.browser();
    await browser.open(authorizeUrl({ client_id }));
    await browser.logIn();
    const { ticket } = browser;
    await browser.open(authorizeUrl({ client_id, prompt: 'login' }));
    await browser.logIn('bob', OTHER_PASSWORD);
    expect((await browser.send({ ticket, action: 'approve' })).headers.get('location')).toBeNull();
    expect(served.events('access approved')).toEqual([]);
  },
  'a remembered consent and a session together: still asked': async () => {
    const served = openServer();
    const { client_id } = await served.register();
    const browser = served.browser();
    await browser.approve(authorizeUrl({ client_id }));
    const answer = await browser.open(authorizeUrl({ client_id }));
    expect(answer.status).toBe(200);
    expect(browser.html).toContain('Allow Claude');
  },
  'cookies are readable by scripts, sent by other sites, or planted by another host': async () => {
    const served = openServer();
    const { client_id } = await served.register();
    const browser = served.browser();
    const first = (await browser.open(authorizeUrl({ client_id }))).headers.getSetCookie();
    const second = (await browser.logIn()).headers.getSetCookie();
    for (const cookie of [...first, ...second])
      expect(cookie).toMatch(
        /^__Host-quire-\w+=[0-9a-f]{64}; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
      );
    const tossed = new Browser(served.call);
    tossed.cookies.set('x=1; __Host-quire-browser', browser.cookies.get('__Host-quire-browser') ?? '');
    tossed.cookies.set('__Host-quire-browser', 'b'.repeat(64));
    tossed.html = browser.html;
    expect((await tossed.send({ action: 'approve' })).status).toBe(403);
  },
  'markup is registered as a name': async () => {
    const served = openServer();
    const { client_id } = await served.register({
      client_name: '<script>alert(1)</script>"\'><img src=x onerror=y>\u202e\u0000\n',
    });
    const browser = served.browser();
    await browser.open(authorizeUrl({ client_id, state: '"><script>' }));
    expect(browser.html).not.toMatch(/<script|<img|\u202e/);
    await browser.logIn('"><script>', 'x');
    expect(browser.html).not.toContain('<script');
    await browser.logIn();
    expect(browser.html).not.toMatch(/<script|<img|\u202e/);
    expect(browser.html).toContain('&#60;script&#62;alert(1)');
  },
  'a page is framed, or made to load or send anything': async () => {
    const served = openServer();
    const { client_id } = await served.register();
    const browser = served.browser();
    const pages = [
      await browser.open(authorizeUrl({ client_id })),
      await browser.logIn(),
      await served.browser().open('/oauth/authorize'),
    ];
    for (const { headers } of pages) {
      expect(headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; form-action 'self'( https:\/\/claude\.ai)?; frame-ancestors 'none'; base-uri 'none'$/,
      );
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('cache-control')).toBe('no-store');
    }
  },
};

describe('attacks on people', () => {
  it.each(Object.entries(ON_PEOPLE))('%s', async (_, attack) => attack());
});

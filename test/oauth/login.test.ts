/** Who may log in, and the answers to guessed names and passwords. */
import { compare, genSaltSync, getRounds, hashSync } from 'bcryptjs';
import { describe, expect, it } from 'vitest';
import { createPasswordCheck, hashPassword } from '../../src/oauth/passwords.ts';
import { authorizeUrl, type OAuthServer, OTHER_PASSWORD, openServer, PASSWORD, USERS } from './kit.ts';

const ATTACKER = '203.0.113.66';

async function attempt(served: OAuthServer, name: string, password: string, address = ATTACKER) {
  const { client_id } = (await served.state.get<{ client_id: string }>('test')) ?? (await served.register());
  await served.state.put('test', { client_id });
  const browser = served.browser(address);
  await browser.open(authorizeUrl({ client_id }));
  const before = served.delays.length;
  const answer = await browser.logIn(name, password);
  const isIn = browser.html.includes('Allow Claude');
  return { isIn, status: answer.status, html: browser.html, delay: served.delays[before] ?? -1 };
}

/** The page as a person sees it, without the ticket, which is different in every page. */
const seen = ({ status, html }: { status: number; html: string }) =>
  `${status} ${html.replace(/name="ticket" value="[^"]+"/, '')}`;

describe('logging in', () => {
  it('lets in a user with the right password, at once', async () => {
    const served = openServer();
    expect(await attempt(served, 'alex', PASSWORD)).toMatchObject({ isIn: true, status: 200, delay: 0 });
    expect(await attempt(served, 'bob', OTHER_PASSWORD)).toMatchObject({ isIn: true });
    expect(served.events('login succeeded').map(({ fields }) => fields.user)).toEqual(['alex', 'bob']);
  });

  it('gives the same answer to all others', async () => {
    const long = 'x'.repeat(73);
    const users = new Map([...USERS, ['long', hashSync('x'.repeat(72), genSaltSync(4))]]);
    const pages = new Set<string>();
    for (const [name, password] of [
      ['alex', 'wrong'],
      ['alex', ''],
      ['nobody', PASSWORD],
      ['', ''],
      ['ALEX', PASSWORD],
      ['alex ', PASSWORD],
      ['bob', PASSWORD],
      ['long', long],
      ['long', `${'x'.repeat(72)}and more`],
      ['__proto__', 'x'],
      ['n'.repeat(10_000), 'p'.repeat(10_000)],
    ] as const) {
      const refused = await attempt(openServer({ users }), name, password);
      expect([name, refused.isIn, refused.status]).toEqual([name, false, 403]);
      pages.add(seen(refused));
    }
    expect(pages.size).toBe(1);
    expect(await attempt(openServer({ users }), 'long', 'x'.repeat(72))).toMatchObject({ isIn: true });
  });

  it('does the same work for every name', async () => {
    const compared: number[] = [];
    const users = new Map([
      ['cheap', hashSync('p', genSaltSync(4))],
      ['dear', hashSync('p', genSaltSync(7))],
    ]);
    const hashed = { hashOf: async (name: string) => users.get(name), cost: async () => 7 };
    const check = createPasswordCheck(hashed, async (password, hash) => {
      compared.push(2 ** getRounds(hash));
      return compare(password, hash);
    });
    for (const [name, password, expected] of [
      ['cheap', 'p', true],
      ['cheap', 'x', false],
      ['dear', 'p', true],
      ['nobody', 'p', false],
      ['dear', 'p'.repeat(100), false],
    ] as const) {
      compared.length = 0;
      expect(await check(name, password)).toBe(expected);
      expect(compared.reduce((sum, work) => sum + work, 0)).toBe(2 ** 7);
    }
  });
});

describe('guessing', () => {
  it('gets slower with each attempt, then is one each ten seconds, and others are not held up', async () => {
    const served = openServer();
    const delays: number[] = [];
    for (let at = 0; at < 12; at++) delays.push((await attempt(served, 'alex', `guess ${at}`)).delay);
    expect(delays).toEqual([0, 0, 250, 500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000, 10_000, 20_000]);
    const slowed = await attempt(served, 'alex', PASSWORD);
    expect(slowed).toMatchObject({ isIn: false, status: 429, delay: -1 });
    expect(slowed.html).toContain('nothing is locked');
    expect(served.events('login slowed')).toMatchObject([{ fields: { user: 'alex', address: ATTACKER } }]);
    expect(await attempt(served, 'bob', OTHER_PASSWORD, '198.51.100.1')).toMatchObject({
      isIn: true,
      delay: 0,
    });
    served.advance(20);
    expect(await attempt(served, 'alex', PASSWORD)).toMatchObject({ isIn: true, delay: 10_000 });
  });

  it('from one address, all at once and without end, locks its victim out nowhere', async () => {
    const served = openServer();
    await attempt(served, 'alex', 'guess');
    for (let hour = 0; hour < 3; hour++) {
      await Promise.all(Array.from({ length: 24 }, () => attempt(served, 'alex', 'guess')));
      for (let at = 0; at < 40; at++) await attempt(served, 'alex', 'guess');
      expect(await attempt(served, 'alex', PASSWORD, `198.51.100.${hour}`)).toMatchObject({ isIn: true });
      served.advance(3_600);
    }
    expect(Math.max(...served.delays)).toBeLessThanOrEqual(20_000);
  });

  it('from one address slows its victim down elsewhere by a second at most', async () => {
    const served = openServer();
    for (let at = 0; at < 40; at++) await attempt(served, 'alex', 'guess', `2001:db8:1:${at}::1`);
    const elsewhere = await attempt(served, 'alex', PASSWORD, '2001:db8:2::1');
    expect(elsewhere.isIn).toBe(true);
    expect(elsewhere.delay).toBeLessThanOrEqual(2_000);
  });

  it('does not slow down a user who has logged in from the same address before', async () => {
    const served = openServer();
    expect(await attempt(served, 'bob', OTHER_PASSWORD)).toMatchObject({ isIn: true });
    for (let at = 0; at < 60; at++) await attempt(served, 'alex', 'guess');
    expect(await attempt(served, 'bob', OTHER_PASSWORD)).toMatchObject({ isIn: true, delay: 0 });
    const restarted = openServer({ state: served.state });
    for (let at = 0; at < 60; at++) await attempt(restarted, 'alex', 'guess');
    expect(await attempt(restarted, 'bob', OTHER_PASSWORD)).toMatchObject({ isIn: true, delay: 0 });
  });

  it('by strangers does not slow down a browser that has logged in before, at the very same address', async () => {
    const served = openServer();
    const { client_id } = await served.register();
    const browser = served.browser(ATTACKER);
    const logIn = async () => {
      await browser.open(authorizeUrl({ client_id, prompt: 'login' }));
      await browser.logIn();
      return [browser.html.includes('Allow Claude'), served.delays.at(-1)];
    };
    expect(await logIn()).toEqual([true, 0]);
    for (let at = 0; at < 60; at++) await attempt(served, 'alex', 'guess');
    expect(await attempt(served, 'alex', PASSWORD)).toMatchObject({ isIn: false, status: 429 });
    expect(await logIn()).toEqual([true, 0]);
    // The cookie is of alex: it is no help against bob.
    const delays = served.delays.length;
    for (let at = 0; at < 12; at++) {
      await browser.open(authorizeUrl({ client_id, prompt: 'login' }));
      await browser.logIn('bob', 'guess');
    }
    expect(Math.max(...served.delays.slice(delays))).toBe(20_000);
  });

  it('from an address that has logged in before is slowed down too', async () => {
    const served = openServer();
    await attempt(served, 'alex', PASSWORD);
    for (let at = 0; at < 30; at++) await attempt(served, 'alex', 'guess');
    expect(served.events('login failed')).toHaveLength(12);
    served.advance(10);
    expect(await attempt(served, 'alex', PASSWORD)).toMatchObject({ isIn: true, delay: 20_000 });
  });

  it('from many addresses slows the account down for strangers, and locks no user out', async () => {
    const served = openServer();
    await attempt(served, 'alex', PASSWORD, '192.0.2.1');
    for (let at = 0; at < 50; at++) {
      served.advance(10);
      await attempt(served, 'alex', 'guess', `198.51.100.${at}`);
    }
    expect(await attempt(served, 'alex', PASSWORD, '192.0.2.9')).toMatchObject({ isIn: true, delay: 8_000 });
    expect(await attempt(served, 'alex', PASSWORD, '192.0.2.1')).toMatchObject({ isIn: true, delay: 0 });
    expect(await attempt(served, 'bob', OTHER_PASSWORD, '192.0.2.9')).toMatchObject({ isIn: true, delay: 0 });
    served.advance(900);
    expect(await attempt(served, 'alex', PASSWORD, '192.0.2.11')).toMatchObject({ isIn: true, delay: 0 });
  });

  it('is slowed down no longer because the clock was set back', async () => {
    const served = openServer();
    for (let at = 0; at < 30; at++) await attempt(served, 'alex', 'guess');
    served.advance(-86_400);
    expect(await attempt(served, 'alex', PASSWORD)).toMatchObject({ isIn: true, delay: 10_000 });
  });

  it('slows down names that do not exist in the same way', async () => {
    const served = openServer();
    const pages = new Set<string>();
    const delays = { alex: [] as number[], nobody: [] as number[] };
    for (const name of ['alex', 'nobody'] as const)
      for (let at = 0; at < 25; at++) {
        const refused = await attempt(
          served,
          name,
          'guess',
          `${name === 'alex' ? '10.0.0' : '10.0.1'}.${at}`,
        );
        delays[name].push(refused.delay);
        pages.add(seen(refused));
      }
    expect(delays.nobody).toEqual(delays.alex);
    expect(pages.size).toBe(1);
  });

  it('at the same time counts as well', async () => {
    const served = openServer();
    const tries = await Promise.all(
      Array.from({ length: 15 }, (_, at) => attempt(served, 'alex', at === 14 ? PASSWORD : 'guess')),
    );
    expect(tries.some(({ isIn }) => isIn)).toBe(false);
    expect(Math.max(...served.delays)).toBe(20_000);
  });

  it('is not forgotten because of a login in between', async () => {
    const served = openServer();
    for (let at = 0; at < 12; at++) {
      await attempt(served, 'alex', 'guess');
      if (at % 3 === 2) await attempt(served, 'bob', OTHER_PASSWORD);
    }
    expect(await attempt(served, 'alex', PASSWORD)).toMatchObject({ isIn: false, status: 429 });
  });

  it('by the whole of an IPv6 network is one address, however it is spelled', async () => {
    const served = openServer();
    for (let at = 0; at < 12; at++) await attempt(served, 'alex', 'guess', `2001:db8:1:2::${at}`);
    expect(await attempt(served, 'bob', OTHER_PASSWORD, '2001:DB8:1:2:ffff::1')).toMatchObject({
      status: 429,
    });
    expect(await attempt(served, 'bob', OTHER_PASSWORD, '2001:db8:1:3::1')).toMatchObject({ isIn: true });
    for (let at = 0; at < 12; at++) await attempt(served, 'alex', 'guess', '203.0.113.9');
    expect(await attempt(served, 'bob', OTHER_PASSWORD, '::ffff:203.0.113.9')).toMatchObject({ status: 429 });
  });

  it('by an attacker with very many networks is slowed down by the largest of them', async () => {
    const served = openServer();
    let compared = 0;
    for (let at = 0; at < 200; at++)
      if ((await attempt(served, 'alex', 'guess', `2001:db8:1:${at.toString(16)}00::1`)).status === 403)
        compared++;
    expect(compared).toBe(42);
    expect(await attempt(served, 'bob', OTHER_PASSWORD, '2001:db8:2::1')).toMatchObject({ isIn: true });
  });

  it('of an owner token is slowed down too', async () => {
    const served = openServer({ ownerToken: 'the owner' });
    for (let at = 0; at < 12; at++) await attempt(served, '', 'guess');
    expect(served.delays.at(-1)).toBe(20_000);
    expect(await attempt(served, '', 'the owner')).toMatchObject({ isIn: false });
    expect(served.events('login failed')[0]?.fields).toMatchObject({ user: 'owner' });
    expect(await attempt(served, '', 'the owner', '192.0.2.1')).toMatchObject({ isIn: true });
  });

  it('does not put into the log what may be a password in the wrong field', async () => {
    const served = openServer();
    await attempt(served, PASSWORD, '');
    expect(JSON.stringify(served.lines)).not.toContain(PASSWORD);
    expect(served.events('login failed')).toMatchObject([{ fields: { user: 'unknown' } }]);
  });

  it('by a crowd at once does not keep the server from its work', async () => {
    const served = openServer({ users: new Map([['alex', hashSync(PASSWORD, genSaltSync(8))]]) });
    await attempt(served, 'alex', PASSWORD);
    const tries = await Promise.all(
      Array.from({ length: 40 }, (_, at) => attempt(served, `user${at}`, 'guess', `10.0.0.${at}`)),
    );
    const busy = tries.filter(({ status }) => status === 503);
    expect(busy.length).toBeGreaterThan(0);
    expect(busy.every(({ html }) => html.includes('Too many people are signing in'))).toBe(true);
    expect(await attempt(served, 'alex', PASSWORD, '10.0.0.39')).toMatchObject({ isIn: true, delay: 0 });
  });
});

describe('passwords', () => {
  it('are hashed with bcrypt at cost 12, up to 72 bytes', async () => {
    const hash = await hashPassword('ü'.repeat(36));
    expect(hash).toMatch(/^\$2b\$12\$/);
    expect(await compare('ü'.repeat(36), hash)).toBe(true);
    await expect(hashPassword(`${'ü'.repeat(36)}x`)).rejects.toMatchObject({
      title: 'The password is too long',
    });
    await expect(hashPassword('')).rejects.toMatchObject({ title: 'The password is empty' });
  });

  const hash = '$2b$10$abcdefghijklmnopqrstuuabcdefghijklmnopqrstuvwxyzabcde';
  it.each([
    [{ '': hash }, 'A user name cannot be used', ''],
    [{ [hash]: 'alex' }, 'A user name cannot be used', ''],
    [{ 'a\u0000b': hash }, 'A user name cannot be used', ''],
    [{ alex: 'password' }, 'The password hash of a user is not a bcrypt hash', 'alex'],
    [{ alex: hash.slice(0, -1) }, 'The password hash of a user is not a bcrypt hash', 'alex'],
    [{ alex: hash.replaceAll('$', '') }, 'The password hash of a user is not a bcrypt hash', 'alex'],
    [
      { alex: hash.replace('$10$', '$31$') },
      'The password hash of a user has a cost that cannot be used',
      'alex',
    ],
  ])('that cannot be used are named without showing a hash: %o', (users, title, subject) => {
    const error = (() => {
      try {
        return openServer({ users: new Map(Object.entries(users)) });
      } catch (thrown) {
        return thrown as { title: string; subject?: string; hint?: string; message: string };
      }
    })();
    expect(error).toMatchObject({ title, ...(subject !== '' && { subject }) });
    const shown = JSON.stringify(error) + String(error);
    for (const secret of ['abcdefghijkl', 'password"']) expect(shown).not.toContain(secret);
  });
});

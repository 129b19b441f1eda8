/** Users that change while the server runs: who can log in, what ends at once, and what the configuration keeps. */
import { genSaltSync, hashSync } from 'bcryptjs';
import { describe, expect, it } from 'vitest';
import { carryOut, type UserRequest } from '../../src/oauth/users.ts';
import { openMemoryState } from '../../src/state/memory.ts';
import {
  authorizeUrl,
  type Browser,
  calledBack,
  errorOf,
  exchange,
  isValid,
  type OAuthServer,
  openServer,
  PASSWORD,
  pkce,
  refresh,
  tokensOf,
} from './kit.ts';

const KIM = 'password of kim';
const HASH = hashSync(KIM, genSaltSync(4));

function ask({ server }: OAuthServer, request: UserRequest) {
  return carryOut(server.pages.directory, request, 'operator');
}

async function withKim(role: 'reader' | 'proposer' | 'writer' | 'admin' = 'writer'): Promise<OAuthServer> {
  const served = openServer();
  await ask(served, { action: 'add', name: 'kim', hash: HASH, role });
  return served;
}

async function signIn(served: OAuthServer, password = KIM): Promise<Browser> {
  const browser = served.browser();
  await browser.open('/account');
  await browser.logIn('kim', password);
  await browser.open('/account');
  return browser;
}

const isSignedIn = ({ html }: Browser) => html.includes('Signed in as <b>kim</b>');

async function connectAs(served: OAuthServer, scope?: string) {
  const { client_id } = await served.register();
  const { verifier, challenge } = pkce();
  const browser = served.browser();
  await browser.open(authorizeUrl({ client_id, code_challenge: challenge, scope }));
  await browser.logIn('kim', KIM);
  const page = browser.html;
  const back = calledBack(await browser.send({ action: 'approve' }));
  const code = back.searchParams.get('code') ?? '';
  const tokens = await tokensOf(await exchange(served, { client_id, code, code_verifier: verifier }));
  return { ...tokens, clientId: client_id, page };
}

describe('users of the state', () => {
  it('change their own password, which ends their apps and sessions', async () => {
    const served = await withKim();
    const { access_token } = await connectAs(served);
    const [browser, other] = [await signIn(served), await signIn(served)];
    const change = async (password: string, chosen: string) => {
      await browser.open('/account/security');
      const { status } = await browser.send({ action: 'password', password });
      return status === 200
        ? (await browser.send({ action: 'confirm', new_password: chosen })).status
        : status;
    };
    expect(await change('wrong', 'long enough')).toBe(403);
    for (const unfit of ['short', '', 'ä'.repeat(37)]) expect(await change(KIM, unfit)).toBe(400);
    expect((await browser.send({ action: 'confirm', new_password: 'short' })).status, 'asked again').toBe(
      400,
    );
    expect(await served.server.verify(access_token)).toBeDefined();
    expect(await change(KIM, 'long enough')).toBe(200);
    expect(browser.html).toContain('Your password is changed');
    expect(await served.server.verify(access_token)).toBeUndefined();
    for (const one of [browser, other]) {
      await one.open('/account');
      expect(isSignedIn(one)).toBe(false);
    }
    expect(isSignedIn(await signIn(served))).toBe(false);
    expect(isSignedIn(await signIn(served, 'long enough'))).toBe(true);
  });

  it('of the configuration change theirs there alone', async () => {
    const served = openServer();
    const browser = served.browser();
    await browser.open('/account');
    await browser.logIn();
    await browser.open('/account/security');
    expect(browser.html).not.toContain('new_password');
    await browser.send({ action: 'password', password: PASSWORD });
    expect(browser.html).not.toContain('new_password');
    await browser.send({ action: 'password', password: PASSWORD, new_password: 'long enough' });
    const again = served.browser();
    await again.open('/account');
    expect((await again.logIn()).status).toBe(303);
  });

  it('log in as soon as they are added, and never show a hash in the list', async () => {
    const served = openServer();
    expect(isSignedIn(await signIn(served))).toBe(false);
    const listed = await ask(served, { action: 'add', name: 'kim', hash: HASH, role: 'reader' });
    expect(listed).toEqual([
      { name: 'alex', source: 'configuration', role: 'writer', isDisabled: false },
      { name: 'bob', source: 'configuration', role: 'writer', isDisabled: false },
      { name: 'kim', source: 'state', role: 'reader', isDisabled: false, addedAt: served.clock.now },
    ]);
    expect(isSignedIn(await signIn(served))).toBe(true);
    expect(JSON.stringify(served.lines)).not.toContain(HASH);
    expect(served.events('user added')).toMatchObject([{ fields: { user: 'kim', by: 'operator' } }]);
  });

  it('are there for another server over the same state', async () => {
    const state = openMemoryState();
    const [first, second] = [openServer({ state }), openServer({ state })];
    await ask(first, { action: 'add', name: 'kim', hash: HASH, role: 'writer' });
    expect(isSignedIn(await signIn(second))).toBe(true);
    await ask(second, { action: 'disable', name: 'kim' });
    expect(isSignedIn(await signIn(first))).toBe(false);
  });

  it.each(['opaque', 'jwt'] as const)('lose tokens and sessions at once, and for good (%s)', async (kind) => {
    const served = openServer({ tokens: { kind } });
    await ask(served, { action: 'add', name: 'kim', hash: HASH, role: 'writer' });
    const [browser, app] = [await signIn(served), await connectAs(served)];
    expect(await isValid(served, app.access_token)).toBe(true);
    await ask(served, { action: 'disable', name: 'kim' });
    const expectOut = async () => {
      expect(await isValid(served, app.access_token)).toBe(false);
      expect(await errorOf(await refresh(served, app.clientId, app.refresh_token))).toBe('invalid_grant');
      await browser.open('/account');
      expect(isSignedIn(browser)).toBe(false);
    };
    await expectOut();
    expect(isSignedIn(await signIn(served))).toBe(false);
    await ask(served, { action: 'enable', name: 'kim' });
    await expectOut();
    expect(isSignedIn(await signIn(served))).toBe(true);
  });

  it('have another password after a reset, which ends what the old one opened', async () => {
    const served = await withKim();
    const { access_token: token } = await connectAs(served);
    await ask(served, { action: 'reset', name: 'kim', hash: hashSync('another one', genSaltSync(4)) });
    expect(await isValid(served, token)).toBe(false);
    expect(isSignedIn(await signIn(served))).toBe(false);
    expect(isSignedIn(await signIn(served, 'another one'))).toBe(true);
  });

  it('are as slow to refuse as those of the configuration, whatever their hash costs', async () => {
    const costs: number[] = [];
    const served = openServer({
      comparePassword: async (_, hash) => {
        costs.push(2 ** Number(hash.slice(4, 6)));
        return false;
      },
    });
    await ask(served, { action: 'add', name: 'kim', hash: hashSync(KIM, genSaltSync(6)), role: 'writer' });
    for (const name of ['alex', 'kim', 'nobody']) {
      costs.length = 0;
      const browser = served.browser();
      await browser.open('/account');
      await browser.logIn(name, 'wrong');
      expect([name, costs.reduce((sum, cost) => sum + cost)]).toEqual([name, 64]);
    }
  });

  it.each([
    [{ action: 'add', name: 'alex', hash: HASH, role: 'admin' }, 'already_exists'],
    [{ action: 'disable', name: 'alex' }, 'read_only'],
    [{ action: 'reset', name: 'alex', hash: HASH }, 'read_only'],
    [{ action: 'role', name: 'bob', role: 'admin' }, 'read_only'],
    [{ action: 'disable', name: 'nobody' }, 'not_found'],
    [{ action: 'add', name: 'a:b', hash: HASH, role: 'writer' }, 'invalid_input'],
    [{ action: 'add', name: 'kim', hash: KIM, role: 'writer' }, 'invalid_input'],
  ] satisfies [UserRequest, string][])('%o is refused: %s', async (request, code) => {
    const served = openServer();
    await expect(ask(served, request)).rejects.toMatchObject({ code });
    expect(isSignedIn(await signIn(served))).toBe(false);
    expect(await served.dump()).not.toContain('user:');
  });

  it('of the same name as one of the configuration do not count', async () => {
    const state = openMemoryState();
    await ask(openServer({ state, users: new Map() }), {
      action: 'add',
      name: 'alex',
      hash: HASH,
      role: 'admin',
    });
    const served = openServer({ state });
    const browser = served.browser();
    await browser.open('/account');
    expect((await browser.logIn('alex', KIM)).status).toBe(403);
    expect((await browser.logIn('alex', PASSWORD)).status).toBe(303);
    expect((await served.server.pages.directory.find('alex'))?.role).toBe('writer');
  });
});

describe('a name', () => {
  it('is one person, however its characters are composed', async () => {
    const [composed, decomposed] = ['Zoë', 'Zoe\u0308'];
    const served = openServer({ users: new Map([[`admin ${decomposed}`, HASH]]) });
    await ask(served, { action: 'add', name: decomposed, hash: HASH, role: 'writer' });
    await expect(
      ask(served, { action: 'add', name: composed, hash: HASH, role: 'writer' }),
    ).rejects.toMatchObject({ code: 'already_exists' });
    for (const typed of [composed, decomposed, `admin ${composed}`]) {
      const browser = served.browser();
      await browser.open('/account');
      expect((await browser.logIn(typed, KIM)).status, JSON.stringify(typed)).toBe(303);
    }
    const listed = await ask(served, { action: 'disable', name: decomposed });
    expect(listed.filter(({ isDisabled }) => isDisabled).map(({ name }) => name)).toEqual([composed]);
  });
});

describe('people of a provider', () => {
  it('are two, even where somebody has chosen a subject whose short hash is another’s', async () => {
    const { directory } = openServer().server.pages;
    const recognize = (subject: string) =>
      directory.recognize({ issuer: 'https://login.example', subject, label: 'kim', role: 'writer' });
    // Found by trying.
    const [victim, thief] = ['p14102', 'p17551'];
    const { name } = await recognize(victim);
    expect(name).toBe('oidc:kim-e90ce5a9');
    const other = await recognize(thief);
    expect(other.name).toMatch(/^oidc:kim-e90ce5a9[0-9a-f]{24}$/);
    expect((await recognize(thief)).name).toBe(other.name);
    expect((await recognize(victim)).name).toBe(name);
  });
});

describe('a role', () => {
  it.each([
    ['reader', 'notes:read'],
    ['proposer', 'notes:read notes:propose'],
    ['writer', 'notes:read notes:write'],
    ['admin', 'notes:read notes:write'],
  ] as const)('%s gives an app that asks for everything: %s', async (role, scope) => {
    const served = await withKim(role);
    const app = await connectAs(served);
    expect(app.scope).toBe(scope);
    expect(app.page.includes('create, change, move and delete')).toBe(scope.endsWith('write'));
  });

  it('that is taken away counts at once for the apps of its person, and when it is given back', async () => {
    const served = await withKim('writer');
    const { access_token: token } = await connectAs(served);
    const scopes = async () => (await served.server.verify(token))?.scopes.join(' ');
    expect(await scopes()).toBe('notes:read notes:write');
    await ask(served, { action: 'role', name: 'kim', role: 'proposer' });
    expect(await scopes()).toBe('notes:read notes:propose');
    await ask(served, { action: 'role', name: 'kim', role: 'reader' });
    expect(await scopes()).toBe('notes:read');
    await ask(served, { action: 'role', name: 'kim', role: 'writer' });
    expect(await scopes()).toBe('notes:read notes:write');
  });

  it('is in the words of the pages: who decides on proposals, and what an app may still do', async () => {
    const served = await withKim('proposer');
    const { page } = await connectAs(served);
    expect(page).toContain('which wait until an admin accepts them');
    expect(page).toContain('Propose: its changes wait for an admin');
    expect(page).not.toContain('until you accept');
    const told = async (role: 'reader' | 'proposer' | 'writer') => {
      await ask(served, { action: 'role', name: 'kim', role });
      return /<dt>May<\/dt><dd>(.*)<\/dd>/.exec((await signIn(served)).html)?.[1];
    };
    expect(await told('proposer')).toContain('until an admin accepts them');
    expect(await told('writer')).toContain('until you accept them');
    expect(await told('reader')).toBe('read and search all your notes');
  });

  it('is not exceeded by a form that asks for more', async () => {
    const served = await withKim('reader');
    const { client_id } = await served.register();
    const browser = served.browser();
    await browser.open(authorizeUrl({ client_id }));
    await browser.logIn('kim', KIM);
    expect((await browser.send({ action: 'approve', access: 'write' })).status).toBe(400);
  });
});

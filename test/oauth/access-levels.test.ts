/** Read, propose, write: what an app asks for, what a person allows, and what counts afterwards. */
import { describe, expect, it } from 'vitest';
import { missingScope } from '../../src/http/mcp-gate.ts';
import { createRevoke, createSetAccess } from '../../src/oauth/account.ts';
import { describeAccess, levelsFor, NOTES_ACCESS } from '../../src/oauth/served-access.ts';
import { type AccessLevel, mayOnlyPropose, type Scope } from '../../src/shared/principal.ts';
import {
  authorizeUrl,
  type Browser,
  calledBack,
  errorOf,
  exchange,
  type OAuthServer,
  openServer,
  pkce,
  refresh,
  staysHere,
  tokensOf,
} from './kit.ts';

const BOTH = 'notes:read notes:write';

interface Choice {
  readonly scope?: string;
  readonly access?: string;
  readonly clientId?: string;
}

/** An app for which alex chose a level. */
async function allow(served: OAuthServer, { scope = BOTH, access, clientId }: Choice) {
  const id = clientId ?? (await served.register()).client_id;
  const { verifier, challenge } = pkce();
  const browser = served.browser();
  await browser.open(authorizeUrl({ client_id: id, code_challenge: challenge, scope }));
  await browser.logIn();
  const back = calledBack(await browser.send({ action: 'approve', ...(access && { access }) }));
  const code = back.searchParams.get('code') ?? '';
  const tokens = await tokensOf(await exchange(served, { client_id: id, code, code_verifier: verifier }));
  return { ...tokens, clientId: id };
}

async function scopesOf(served: OAuthServer, token: string): Promise<readonly Scope[] | undefined> {
  return (await served.server.verify(token))?.scopes;
}

function setAccess(served: OAuthServer, id: string, access: AccessLevel, user = 'alex') {
  return createSetAccess(served.server.pages)(id, user, access);
}

async function onlyGrant(served: OAuthServer): Promise<string> {
  const [grant] = await served.server.pages.grants.of('alex');
  return grant?.id ?? '';
}

function checkedIn({ html }: Browser): string | undefined {
  return /value="(\w+)" checked/.exec(html)?.[1];
}

describe('the consent page', () => {
  it.each([
    [undefined, BOTH, BOTH],
    ['write', BOTH, BOTH],
    ['propose', BOTH, 'notes:read notes:propose'],
    ['read', BOTH, 'notes:read'],
    ['propose', 'notes:write', 'notes:read notes:propose'],
    ['write', 'notes:write', 'notes:write'],
    [undefined, 'notes:read notes:propose', 'notes:read notes:propose'],
    ['read', 'notes:propose', 'notes:read'],
    [
      'propose',
      'notes:read notes:write notes:propose offline_access',
      'notes:read notes:propose offline_access',
    ],
    [undefined, 'notes:read notes:write notes:propose', 'notes:read notes:write notes:propose'],
  ])('grants, for the choice %s of %s: %s', async (access, scope, granted) => {
    const served = openServer();
    const tokens = await allow(served, { scope, access });
    expect(tokens.scope).toBe(granted);
    const scopes = granted.split(' ').filter((name) => name !== 'offline_access');
    expect(await scopesOf(served, tokens.access_token)).toEqual(scopes);
    const again = await tokensOf(await refresh(served, tokens.clientId, tokens.refresh_token));
    expect(again.scope).toBe(granted);
    expect(await scopesOf(served, again.access_token)).toEqual(scopes);
  });

  it.each([
    ['notes:read', 'propose'],
    ['notes:read notes:propose', 'write'],
    [BOTH, 'everything'],
  ])('gives an app that asked for %s no %s', async (scope, access) => {
    const served = openServer();
    const { client_id } = await served.register();
    const browser = served.browser();
    await browser.open(authorizeUrl({ client_id, scope }));
    await browser.logIn();
    staysHere(await browser.send({ action: 'approve', access }));
    expect(await served.server.pages.grants.of('alex')).toEqual([]);
  });

  it('is shown again to who allowed less, with that preselected, and never widens by itself', async () => {
    const served = openServer();
    const { clientId } = await allow(served, { access: 'propose' });
    const browser = served.browser();
    await browser.open(authorizeUrl({ client_id: clientId, scope: BOTH }));
    expect((await browser.logIn()).status).toBe(200);
    expect(checkedIn(browser)).toBe('propose');
    const less = served.browser();
    await less.open(authorizeUrl({ client_id: clientId, scope: 'notes:read' }));
    expect((await less.logIn()).status, 'reading was allowed').toBe(303);
    const wider = await allow(served, { clientId, access: 'write' });
    expect(wider.scope).toBe(BOTH);
    const last = served.browser();
    await last.open(authorizeUrl({ client_id: clientId, scope: `${BOTH} notes:propose` }));
    expect((await last.logIn()).status, 'write includes propose').toBe(303);
  });

  it('preselects what is asked for where less was never chosen', async () => {
    const served = openServer();
    const { clientId } = await allow(served, { scope: 'notes:read' });
    const browser = served.browser();
    await browser.open(authorizeUrl({ client_id: clientId, scope: BOTH }));
    await browser.logIn();
    expect(checkedIn(browser)).toBe('write');
  });

  it('grants what it shows where nothing can be written, and asks once', async () => {
    const served = openServer({ served: { ...NOTES_ACCESS, canWrite: false, canDelete: false } });
    const { client_id } = await served.register();
    const browser = served.browser();
    await browser.open(authorizeUrl({ client_id, scope: BOTH }));
    await browser.logIn();
    expect(browser.html).not.toMatch(/delete|create|change|type="radio"/);
    calledBack(await browser.send({ action: 'approve' }));
    const again = served.browser();
    await again.open(authorizeUrl({ client_id, scope: BOTH }));
    expect((await again.logIn()).status).toBe(303);
  });
});

describe('words and levels fit what is served', () => {
  it.each([
    [NOTES_ACCESS, ['read', 'propose', 'write'], 'create, change, move and delete notes'],
    [{ ...NOTES_ACCESS, canDelete: false }, ['read', 'propose', 'write'], 'create and change notes'],
    [{ ...NOTES_ACCESS, canPropose: false }, ['read', 'write'], 'create, change, move and delete notes'],
    [{ ...NOTES_ACCESS, canWrite: false }, ['read'], 'read and search all your notes'],
    [
      { ...NOTES_ACCESS, canWrite: false, governs: true },
      ['read', 'write'],
      'use the tools of the other servers that are connected here, within the rules for them',
    ],
  ])('%o', (served, levels, words) => {
    expect(levelsFor(['notes:write'], served)).toEqual(levels);
    expect(describeAccess(levelsFor(['notes:write'], served).at(-1), served).at(-1)).toBe(words);
  });
});

describe.each(['opaque', 'jwt'] as const)('a change of what an app may do, with %s tokens', (kind) => {
  it('counts at once, up and down, for tokens that are out and for refreshed ones', async () => {
    const served = openServer({ tokens: { kind } });
    const { access_token, refresh_token, clientId } = await allow(served, {});
    const id = await onlyGrant(served);
    await setAccess(served, id, 'propose');
    expect(await scopesOf(served, access_token)).toEqual(['notes:read', 'notes:propose']);
    const next = await tokensOf(await refresh(served, clientId, refresh_token));
    expect(next.scope).toBe('notes:read notes:propose');
    const named = await tokensOf(await refresh(served, clientId, next.refresh_token, { scope: BOTH }));
    expect(named.scope, 'it asks for what it was granted first').toBe('notes:read notes:propose');
    await setAccess(served, id, 'write');
    for (const token of [access_token, next.access_token, named.access_token])
      expect(await scopesOf(served, token)).toEqual(['notes:read', 'notes:write']);
    await setAccess(served, id, 'read');
    for (const token of [access_token, next.access_token, named.access_token])
      expect(await scopesOf(served, token)).toEqual(['notes:read']);
    expect((await served.server.pages.grants.of('alex'))[0]?.scopes).toEqual(['notes:read']);
    expect(served.events('access changed')).toHaveLength(3);
  });

  it('widens no token for which the app asked for less itself', async () => {
    const served = openServer({ tokens: { kind } });
    const { refresh_token, clientId } = await allow(served, {});
    const less = await tokensOf(await refresh(served, clientId, refresh_token, { scope: 'notes:read' }));
    const id = await onlyGrant(served);
    await setAccess(served, id, 'propose');
    expect(await scopesOf(served, less.access_token)).toEqual(['notes:read']);
    await setAccess(served, id, 'write');
    expect(await scopesOf(served, less.access_token)).toEqual(['notes:read']);
  });

  it('survives as long as a token does that lives longer than the refresh token', async () => {
    const served = openServer({ tokens: { kind, accessSeconds: 90 * 86_400, refreshSeconds: 86_400 } });
    const { access_token } = await allow(served, {});
    await setAccess(served, await onlyGrant(served), 'read');
    served.advance(80 * 86_400);
    expect(await scopesOf(served, access_token)).toEqual(['notes:read']);
  });

  it('is for the person whose app it is, and preselected when the app asks again', async () => {
    const served = openServer({ tokens: { kind } });
    const { access_token, clientId } = await allow(served, {});
    const id = await onlyGrant(served);
    expect(await setAccess(served, id, 'read', 'bob')).toBeUndefined();
    expect(await createRevoke(served.server.pages)(id, 'bob')).toBeUndefined();
    expect(await scopesOf(served, access_token)).toEqual(['notes:read', 'notes:write']);
    await setAccess(served, id, 'propose');
    const browser = served.browser();
    await browser.open(authorizeUrl({ client_id: clientId, scope: BOTH }));
    expect((await browser.logIn()).status).toBe(200);
    expect(checkedIn(browser)).toBe('propose');
    await createRevoke(served.server.pages)(id, 'alex');
    expect(await setAccess(served, id, 'write')).toBeUndefined();
    expect(await scopesOf(served, access_token)).toBeUndefined();
  });
});

it('a refresh may lower write access to proposals, and never lifts it', async () => {
  const served = openServer();
  const first = await allow(served, {});
  const lowered = await tokensOf(
    await refresh(served, first.clientId, first.refresh_token, { scope: 'notes:propose' }),
  );
  expect(lowered.scope).toBe('notes:propose');
  const second = await allow(served, { access: 'propose' });
  const more = await refresh(served, second.clientId, second.refresh_token, { scope: BOTH });
  expect(await errorOf(more)).toBe('invalid_scope');
});

describe('the gate', () => {
  const effects = {
    read_note: 'read',
    write_note: 'write',
    delete_note: 'destroy',
    undo: 'destroy',
  } as const;
  const effectOf = (tool: string) => effects[tool as keyof typeof effects];
  const canPropose = (tool: string) => tool !== 'undo';
  const call = (name: string) => ({ method: 'tools/call', params: { name } });
  const missing = (scopes: readonly Scope[], name: string) =>
    missingScope({ scopes }, call(name), { effectOf, canPropose });

  it.each([
    [['notes:read'], { write_note: 'notes:write', undo: 'notes:write' }],
    [['notes:read', 'notes:propose'], { undo: 'notes:write' }],
    [['notes:propose'], { undo: 'notes:write' }],
    [['notes:read', 'notes:write'], {}],
    [['notes:write'], {}],
    [[], { read_note: 'notes:read', write_note: 'notes:write', undo: 'notes:write' }],
  ] as const)('with %j misses %j', (scopes, expected: Record<string, string>) => {
    for (const tool of ['read_note', 'write_note', 'undo'])
      expect([tool, missing(scopes, tool)]).toEqual([tool, expected[tool]]);
    expect(mayOnlyPropose({ scopes })).toBe(scopes.some((scope) => scope === 'notes:propose'));
  });

  it('lets nobody propose where an endpoint does not say that it can', () => {
    const principal = { id: 'user:alex', kind: 'user', scopes: ['notes:propose'] } as const;
    expect(missingScope(principal, call('write_note'), { effectOf })).toBe('notes:write');
  });
});

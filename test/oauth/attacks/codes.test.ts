/** Attacks on codes and on the proof that goes with them. Each row tries one and sees it fail. */
import { describe, expect, it } from 'vitest';
import {
  type AttackTable,
  authorizeUrl,
  CALLBACK,
  calledBack,
  connect,
  errorOf,
  exchange,
  ISSUER,
  isValid,
  type OAuthServer,
  openServer,
  parametersOf,
  pkce,
  refresh,
  tokensOf,
} from '../kit.ts';

async function codeFor(
  served: OAuthServer,
  clientId: string,
  challenge: string,
  redirect_uri = CALLBACK,
): Promise<string> {
  const url = authorizeUrl({ client_id: clientId, code_challenge: challenge, redirect_uri });
  return (await served.browser().approve(url)).searchParams.get('code') ?? '';
}

const ON_CODES: AttackTable = {
  'a code is used twice: refused, and what came of it falls': async () => {
    const served = openServer();
    const { clientId, code, verifier, access_token, refresh_token } = await connect(served);
    expect(await isValid(served, access_token)).toBe(true);
    const again = await exchange(served, { client_id: clientId, code, code_verifier: verifier });
    expect(await errorOf(again)).toBe('invalid_grant');
    expect(await isValid(served, access_token)).toBe(false);
    expect(await errorOf(await refresh(served, clientId, refresh_token))).toBe('invalid_grant');
    expect(served.events('code replayed')).toHaveLength(1);
  },
  'a spent code is posted by a stranger: nothing falls': async () => {
    const served = openServer();
    const { clientId, code, verifier, access_token, refresh_token } = await connect(served);
    const other = await served.register();
    for (const form of [
      { client_id: other.client_id, code, code_verifier: verifier },
      { client_id: clientId, code, code_verifier: pkce().verifier },
      { client_id: clientId, code, code_verifier: 'short' },
      { client_id: clientId, code, code_verifier: verifier, redirect_uri: 'https://evil.example/cb' },
    ] as Record<string, string>[])
      expect(await errorOf(await exchange(served, form))).toBe('invalid_grant');
    expect(served.events('code replayed')).toEqual([]);
    expect(await isValid(served, access_token)).toBe(true);
    expect((await refresh(served, clientId, refresh_token)).status).toBe(200);
  },
  'a fresh code is posted by another client: its owner can still redeem it': async () => {
    const served = openServer();
    const { client_id } = await served.register();
    const other = await served.register();
    const { verifier, challenge } = pkce();
    const code = await codeFor(served, client_id, challenge);
    const stolen = await exchange(served, { client_id: other.client_id, code, code_verifier: verifier });
    expect(await errorOf(stolen)).toBe('invalid_grant');
    await tokensOf(await exchange(served, { client_id, code, code_verifier: verifier }));
  },
  'a code of an older version is redeemed': async () => {
    const served = openServer();
    const { client_id } = await served.register();
    const { verifier, challenge } = pkce();
    const code = await codeFor(served, client_id, challenge);
    const [key = ''] = await served.state.list('code-grant:');
    const { grantId } = (await served.state.get<{ grantId: string }>(key)) ?? {};
    await served.state.put(key, grantId);
    await tokensOf(await exchange(served, { client_id, code, code_verifier: verifier }));
    expect(await errorOf(await exchange(served, { client_id, code, code_verifier: verifier }))).toBe(
      'invalid_grant',
    );
  },
  'a code is used twice, weeks later': async () => {
    const served = openServer();
    const { clientId, code, verifier, refresh_token } = await connect(served);
    served.advance(20 * 86_400);
    const renewed = await tokensOf(await refresh(served, clientId, refresh_token));
    await exchange(served, { client_id: clientId, code, code_verifier: verifier });
    expect(await isValid(served, renewed.access_token)).toBe(false);
  },
  'a code is used by ten at once: one gets tokens, and they do not last': async () => {
    const served = openServer();
    const { client_id } = await served.register();
    const { verifier, challenge } = pkce();
    const code = await codeFor(served, client_id, challenge);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => exchange(served, { client_id, code, code_verifier: verifier })),
    );
    const good = answers.filter(({ status }) => status === 200);
    expect(good).toHaveLength(1);
    expect(await isValid(served, (await tokensOf(good[0]!)).access_token)).toBe(false);
  },
  'a code is used after five minutes': async () => {
    const served = openServer();
    const { client_id } = await served.register();
    const { verifier, challenge } = pkce();
    const code = await codeFor(served, client_id, challenge);
    served.advance(300);
    expect(await errorOf(await exchange(served, { client_id, code, code_verifier: verifier }))).toBe(
      'invalid_grant',
    );
  },
  'a stolen code is used by another client': async () => {
    const served = openServer();
    const { client_id } = await served.register();
    const other = await served.register();
    const { verifier, challenge } = pkce();
    const code = await codeFor(served, client_id, challenge);
    const stolen = await exchange(served, { client_id: other.client_id, code, code_verifier: verifier });
    expect(await errorOf(stolen)).toBe('invalid_grant');
  },
  'a code is used with another redirect URI': async () => {
    const served = openServer();
    const redirect_uris = [CALLBACK, 'https://claude.ai/other'];
    const { client_id } = await served.register({ redirect_uris });
    const { verifier, challenge } = pkce();
    const code = await codeFor(served, client_id, challenge);
    const form = { client_id, code, code_verifier: verifier, redirect_uri: 'https://claude.ai/other' };
    expect(await errorOf(await exchange(served, form))).toBe('invalid_grant');
  },
  'a code is guessed': async () => {
    const served = openServer();
    const { client_id } = await served.register();
    for (const code of ['0'.repeat(64), '', '../code', 'x'.repeat(60_000)])
      expect(
        await errorOf(await exchange(served, { client_id, code, code_verifier: pkce().verifier })),
      ).toMatch(/invalid_grant|invalid_request/);
  },
};

const ON_PKCE: AttackTable = {
  'the challenge is left out, plain, of the wrong form, or without its method': async () => {
    const served = openServer();
    const { clientId: client_id } = await connect(served);
    const { verifier, challenge } = pkce();
    for (const part of [
      { code_challenge: undefined },
      { code_challenge: verifier, code_challenge_method: 'plain' },
      { code_challenge: challenge, code_challenge_method: undefined },
      { code_challenge: challenge, code_challenge_method: 's256' },
      { code_challenge: 'short' },
      { code_challenge: `${challenge}=` },
    ]) {
      const answer = await served.browser().open(authorizeUrl({ client_id, ...part }));
      expect(parametersOf(calledBack(answer))).toMatchObject({
        error: 'invalid_request',
        state: 'xyz',
        iss: ISSUER,
      });
    }
  },
  'the verifier is left out': async () => {
    const served = openServer();
    const { client_id } = await served.register();
    const code = await codeFor(served, client_id, pkce().challenge);
    expect(await errorOf(await exchange(served, { client_id, code }))).toBe('invalid_request');
  },
  'the verifier is wrong, or the challenge itself: and there is no second try': async () => {
    const served = openServer();
    const { client_id } = await served.register();
    for (const wrong of [(own: string) => own, () => pkce().verifier, () => 'short']) {
      const { verifier, challenge } = pkce();
      const code = await codeFor(served, client_id, challenge);
      const guess = { client_id, code, code_verifier: wrong(challenge) };
      expect(await errorOf(await exchange(served, guess))).toBe('invalid_grant');
      const right = { client_id, code, code_verifier: verifier };
      expect(await errorOf(await exchange(served, right))).toBe('invalid_grant');
    }
  },
};

describe('attacks on codes', () => {
  it.each(Object.entries(ON_CODES))('%s', async (_, attack) => attack());
});

describe('attacks on PKCE', () => {
  it.each(Object.entries(ON_PKCE))('%s', async (_, attack) => attack());
});

/** Attacks on access tokens. Each row tries one and sees it fail. */
import { createHmac } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import {
  type AttackTable,
  authorizeUrl,
  calledBack,
  claimsOf,
  connect,
  encoded,
  errorOf,
  ISSUER,
  isValid,
  openServer,
  parametersOf,
  refresh,
} from '../kit.ts';

const SIGNING_KEY = 'a signing key that is long enough to be taken, for any algorithm there is';

const ON_TOKENS: AttackTable = {
  'a token for another resource is asked for, at either endpoint': async () => {
    const served = openServer();
    const { clientId: client_id, refresh_token } = await connect(served);
    for (const resource of [
      'https://other.example',
      `${ISSUER}/other`,
      `${ISSUER}#x`,
      `${ISSUER}?x`,
      'notes',
      'http://notes.example.com',
    ]) {
      const answer = calledBack(await served.browser().open(authorizeUrl({ client_id, resource })));
      expect(parametersOf(answer)).toMatchObject({ error: 'invalid_target' });
      expect(await errorOf(await refresh(served, client_id, refresh_token, { resource }))).toBe(
        'invalid_target',
      );
    }
    const two = `${authorizeUrl({ client_id, resource: ISSUER })}&resource=https://other.example`;
    expect(parametersOf(calledBack(await served.browser().open(two)))).toMatchObject({
      error: 'invalid_target',
    });
  },
  'a token for another resource is used': async () => {
    for (const tokens of [{ kind: 'opaque' }, { kind: 'jwt' }] as const) {
      const served = openServer({ tokens, signingKey: SIGNING_KEY });
      const { access_token } = await connect(served);
      const other = {
        tokens,
        signingKey: SIGNING_KEY,
        state: served.state,
        resource: 'https://other.example',
      };
      expect(await isValid(openServer({ ...other, issuer: 'https://other.example' }), access_token)).toBe(
        false,
      );
      expect(await isValid(served, access_token)).toBe(true);
    }
  },
  'an expired token is used': async () => {
    for (const tokens of [{ kind: 'opaque' }, { kind: 'jwt' }] as const) {
      const served = openServer({ tokens });
      const { access_token } = await connect(served);
      expect(await isValid(served, access_token)).toBe(true);
      served.advance(86_400);
      expect(await isValid(served, access_token)).toBe(false);
    }
  },
  'a token is changed': async () => {
    const served = openServer({ tokens: { kind: 'jwt' } });
    const { access_token } = await connect(served, { query: { scope: 'notes:read' } });
    const [header = '', payload = '', signature = ''] = access_token.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
    const changed = encoded({ ...claims, scope: 'notes:read notes:write' });
    for (const token of [
      `${header}.${changed}.${signature}`,
      `${header}.${payload}.`,
      `${header}.${payload}`,
      `${access_token}x`,
      access_token.toUpperCase(),
      '',
      'x'.repeat(5_000),
    ])
      expect(await isValid(served, token)).toBe(false);
    const opaque = openServer();
    const { access_token: plain } = await connect(opaque);
    for (const token of [plain.toUpperCase(), plain.slice(1), `${plain} `, `access:${plain}`])
      expect(await isValid(opaque, token)).toBe(false);
  },
  'a token says alg none': async () => {
    for (const signingKey of [undefined, SIGNING_KEY]) {
      const served = openServer({ tokens: { kind: 'jwt' }, ...(signingKey !== undefined && { signingKey }) });
      const { access_token } = await connect(served);
      const [, payload] = access_token.split('.');
      for (const alg of ['none', 'None', 'NONE', ''])
        expect(await isValid(served, `${encoded({ alg, typ: 'at+jwt' })}.${payload}.`)).toBe(false);
    }
  },
  'the public key is used as a shared secret': async () => {
    const served = openServer({ tokens: { kind: 'jwt' } });
    const { access_token } = await connect(served);
    const [, payload] = access_token.split('.');
    const { keys } = (await (await served.call('/oauth/jwks')).json()) as { keys: Record<string, string>[] };
    const { kid, x = '' } = keys[0] ?? {};
    const header = encoded({ alg: 'HS256', typ: 'at+jwt', kid });
    for (const secret of [x, Buffer.from(x, 'base64url'), JSON.stringify(keys[0])]) {
      const signature = createHmac('sha256', secret).update(`${header}.${payload}`).digest('base64url');
      expect(await isValid(served, `${header}.${payload}.${signature}`)).toBe(false);
    }
  },
  'a token is signed with a key of one’s own, carried along': async () => {
    const served = openServer({ tokens: { kind: 'jwt' } });
    const { access_token } = await connect(served);
    const claims = claimsOf(access_token);
    const { privateKey, publicKey } = await generateKeyPair('EdDSA', { extractable: true });
    const jwk = await exportJWK(publicKey);
    const { kid } = JSON.parse(Buffer.from(access_token.split('.')[0] ?? '', 'base64url').toString()) as {
      kid: string;
    };
    for (const header of [{ jwk }, { kid }, { kid, jwk }, { jku: 'https://evil.example/jwks', kid: 'evil' }])
      expect(
        await isValid(
          served,
          await new SignJWT(claims)
            .setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt', ...header })
            .sign(privateKey),
        ),
      ).toBe(false);
    expect(served.fetched).toEqual([]);
  },
  'another kind of JWT with the same key is used': async () => {
    const served = openServer({ tokens: { kind: 'jwt' }, signingKey: SIGNING_KEY });
    const { access_token } = await connect(served);
    const claims = claimsOf(access_token);
    const key = new TextEncoder().encode(SIGNING_KEY);
    const signed = (payload: Record<string, unknown>, typ = 'at+jwt', alg = 'HS256') =>
      new SignJWT(payload).setProtectedHeader({ alg, typ }).sign(key);
    expect(await isValid(served, await signed(claims))).toBe(true);
    for (const alg of ['HS384', 'HS512'])
      expect(await isValid(served, await signed(claims, 'at+jwt', alg))).toBe(false);
    expect(await isValid(served, await signed(claims, 'JWT'))).toBe(false);
    for (const claim of ['iss', 'aud', 'sub', 'exp', 'jti', 'client_id', 'scope', 'mark']) {
      const { [claim]: _, ...rest } = claims;
      expect([claim, await isValid(served, await signed(rest))]).toEqual([claim, false]);
    }
    expect(await isValid(served, await signed({ ...claims, iss: 'https://evil.example' }))).toBe(false);
    expect(await isValid(served, await signed({ ...claims, aud: [ISSUER, 'https://evil.example'] }))).toBe(
      false,
    );
    expect(await isValid(served, await signed({ ...claims, sub: 'user:mallory' }))).toBe(false);
  },
};

describe('attacks on tokens', () => {
  it.each(Object.entries(ON_TOKENS))('%s', async (_, attack) => attack());
});

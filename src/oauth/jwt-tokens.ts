/**
 * Signed access tokens (JWT, RFC 9068). One key type and one algorithm; tokens that name another are refused unread.
 * Revoked tokens are listed until they would have expired.
 */
import { type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { LruMap } from '../shared/memoize.ts';
import { SCOPES } from '../shared/principal.ts';
import type { AccessFacts, AccessTokens, AccessTokensOptions } from './access-tokens.ts';
import type { Subject } from './grants.ts';
import type { SigningKeys } from './signing-keys.ts';
import { hashOf, newId } from './tickets.ts';

interface JwtTokensOptions extends AccessTokensOptions {
  readonly issuer: string;
  readonly isOurResource: (resource: string) => boolean;
  readonly keys: SigningKeys;
}

const TYPE = 'at+jwt';
const MAX_VERIFIED = 1_000;

export function createJwtTokens(options: JwtTokensOptions): AccessTokens {
  const { state, now, lifeSeconds, issuer, keys } = options;
  const { algorithm } = keys;
  /** By hash: a signature is checked once for each token, not for each call. */
  const verified = new LruMap<JWTPayload>(MAX_VERIFIED);

  const verify = async (token: string): Promise<JWTPayload | undefined> => {
    const hash = hashOf(token);
    const known = verified.get(hash);
    if (known) return known;
    const result = await jwtVerify(token, ({ kid }) => keys.verifying(kid), {
      algorithms: [algorithm],
      typ: TYPE,
      issuer,
      requiredClaims: ['sub', 'aud', 'exp', 'iat', 'jti', 'client_id', 'scope', 'mark'],
      currentDate: new Date(now()),
    }).catch(() => undefined);
    if (!result) return undefined;
    verified.set(hash, result.payload);
    return result.payload;
  };

  const factsOf = (payload: JWTPayload): AccessFacts | undefined => {
    const { sub, aud, exp = 0, jti = '', client_id: clientId, scope, mark } = payload;
    const subject = readSubject(sub);
    if (!subject || typeof aud !== 'string' || !options.isOurResource(aud) || exp <= now() / 1000)
      return undefined;
    const given = String(scope).split(' ');
    return {
      id: jti.split('.')[0] ?? '',
      subject,
      clientId: String(clientId),
      scopes: SCOPES.filter((known) => given.includes(known)),
      resource: aud,
      mark: String(mark),
      expiresAt: exp,
    };
  };

  return {
    lifeSeconds,
    async issue({ id, subject, clientId, scopes, resource, mark }) {
      const { kid, key } = await keys.signing();
      const seconds = Math.floor(now() / 1000);
      return new SignJWT({ client_id: clientId, scope: scopes.join(' '), mark })
        .setProtectedHeader({ alg: algorithm, typ: TYPE, kid })
        .setIssuer(issuer)
        .setSubject(`${subject.kind}:${subject.name}`)
        .setAudience(resource)
        .setIssuedAt(seconds)
        .setExpirationTime(seconds + lifeSeconds)
        .setJti(`${id}.${newId()}`)
        .sign(key);
    },
    async read(token) {
      const payload = await verify(token);
      if (!payload || (await state.get(`revoked:${payload.jti}`)) !== undefined) return undefined;
      return factsOf(payload);
    },
    async revoke(token) {
      const payload = await verify(token);
      if (!payload) return;
      const seconds = (payload.exp ?? 0) - Math.floor(now() / 1000);
      if (seconds > 0) await state.put(`revoked:${payload.jti}`, true, seconds);
    },
  };
}

function readSubject(sub: string | undefined): Subject | undefined {
  const [, kind, name] = /^(user|client):(.+)$/s.exec(sub ?? '') ?? [];
  return name === undefined ? undefined : { kind: kind === 'user' ? 'user' : 'client', name };
}

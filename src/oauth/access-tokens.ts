/** Access tokens, random or signed, and authorization codes. */
import { type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { isAppError } from '../shared/errors.ts';
import { LruMap } from '../shared/memoize.ts';
import { scopesIn } from '../shared/principal.ts';
import { changeValue } from '../state/change-value.ts';
import type { OAuthContext } from './context.ts';
import type { Grant, Subject } from './grants.ts';
import type { Resource } from './scopes.ts';
import type { SigningKeys } from './signing-keys.ts';
import { hashOf, newId, newSecret } from './tickets.ts';

/** What a token is issued for. */
interface BoundGrant extends Grant {
  /** Thumbprint of the key that the token is bound to (DPoP, RFC 9449); without it, whoever has the token may use it. */
  readonly jkt?: string;
}

/** Facts of a valid token. Whether its grant still stands is checked separately. */
interface AccessFacts extends BoundGrant {
  /** Seconds since 1970. */
  readonly expiresAt: number;
}

export interface AccessTokens {
  readonly lifeSeconds: number;
  issue(grant: BoundGrant): Promise<string>;
  /** Undefined for a token that is not ours, has expired, or was revoked more than a second ago. */
  read(token: string): Promise<AccessFacts | undefined>;
  revoke(token: string): Promise<void>;
}

/** Live tokens per holder; the oldest is evicted, so that a client that keeps asking cannot fill the disk. */
const MOST_OF_A_GRANT = 20;
const MOST_OF_A_CLIENT = 100;

/** Opaque tokens: random values whose facts are stored under their hash. */
export function createOpaqueTokens({ state, now }: OAuthContext, lifeSeconds: number): AccessTokens {
  const keyOf = (token: string) => `access:${hashOf(token)}`;

  /** Records a new token of the holder, and revokes the oldest beyond the limit. */
  const list = async (key: string, grant: Grant): Promise<void> => {
    const { name, most } = holderOf(grant);
    const tooMany = await changeValue<readonly string[], readonly string[]>(state, name, (before = []) => {
      const keys = [...before, key];
      const result = keys.splice(0, Math.max(0, keys.length - most));
      return { put: { value: keys, ttlSeconds: lifeSeconds }, result };
    });
    for (const oldest of tooMany) await state.delete(oldest);
  };

  return {
    lifeSeconds,
    async issue(grant) {
      const token = newSecret();
      const facts: AccessFacts = { ...grant, expiresAt: Math.floor(now() / 1000) + lifeSeconds };
      await state.put(keyOf(token), facts, lifeSeconds);
      await list(keyOf(token), grant);
      return token;
    },
    read: (token) => state.recent<AccessFacts>(keyOf(token)),
    revoke: (token) => state.delete(keyOf(token)),
  };
}

/** Every client-credentials token is a grant of its own, so those are counted per client. */
function holderOf({ id, subject }: Grant): { readonly name: string; readonly most: number } {
  return subject.kind === 'client'
    ? { name: `access-of:client ${hashOf(subject.name)}`, most: MOST_OF_A_CLIENT }
    : { name: `access-of:${id}`, most: MOST_OF_A_GRANT };
}

const JWT_TYPE = 'at+jwt';
const MAX_VERIFIED = 1_000;

/**
 * Signed tokens (JWT, RFC 9068). One key type and one algorithm; tokens that name another are refused unread. Revoked
 * tokens are listed until they would have expired.
 */
export function createJwtTokens(
  { state, now, issuer }: OAuthContext,
  lifeSeconds: number,
  { keys, resource }: { readonly keys: SigningKeys; readonly resource: Resource },
): AccessTokens {
  const { algorithm } = keys;
  /** By hash: a signature is checked once for each token, not for each call. */
  const verified = new LruMap<JWTPayload>(MAX_VERIFIED);

  const verify = async (token: string): Promise<JWTPayload | undefined> => {
    const hash = hashOf(token);
    const known = verified.get(hash);
    if (known) return known;
    const result = await jwtVerify(token, ({ kid }) => keys.verifying(kid), {
      algorithms: [algorithm],
      typ: JWT_TYPE,
      issuer,
      requiredClaims: ['sub', 'aud', 'exp', 'iat', 'jti', 'client_id', 'scope', 'mark'],
      currentDate: new Date(now()),
    }).catch((error: unknown) => {
      // Whether the token is good is not known: a client that was told that it is bad would throw it away.
      if (isAppError(error, 'upstream_failed')) throw error;
      return undefined;
    });
    if (!result) return undefined;
    verified.set(hash, result.payload);
    return result.payload;
  };

  const factsOf = (payload: JWTPayload): AccessFacts | undefined => {
    const { sub, aud, exp = 0, jti = '', client_id: clientId, scope, mark, narrowed, cnf } = payload;
    const subject = readSubject(sub);
    if (!subject || typeof aud !== 'string' || !resource.isSame(aud) || exp <= now() / 1000) return undefined;
    const given = String(scope).split(' ');
    return {
      id: jti.split('.')[0] ?? '',
      subject,
      clientId: String(clientId),
      scopes: scopesIn(given),
      resource: aud,
      mark: String(mark),
      isNarrowed: narrowed === true || undefined,
      jkt: (cnf as { readonly jkt?: string } | undefined)?.jkt,
      expiresAt: exp,
    };
  };

  return {
    lifeSeconds,
    async issue({ id, subject, clientId, scopes, resource, mark, isNarrowed, jkt }) {
      const { kid, key } = await keys.signing();
      const seconds = Math.floor(now() / 1000);
      const cnf = jkt === undefined ? undefined : { jkt };
      return new SignJWT({ client_id: clientId, scope: scopes.join(' '), mark, narrowed: isNarrowed, cnf })
        .setProtectedHeader({ alg: algorithm, typ: JWT_TYPE, kid })
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
      if (!payload || (await state.recent(`revoked:${payload.jti}`)) !== undefined) return undefined;
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

/** An authorization code (RFC 6749 §4.1.2): single use, short-lived, bound to the client that requested it. */
interface CodeFacts {
  readonly grant: Grant;
  readonly redirectUri: string;
  /** Of PKCE. */
  readonly challenge: string;
  /** Whether `offline_access` was requested. */
  readonly offline: boolean;
  /** The only key that tokens may be bound to, when the client named it (RFC 9449 §10). */
  readonly jkt?: string;
}

/** The client that may redeem a code; known also when the code was redeemed or has expired. */
interface CodeBinding extends Pick<CodeFacts, 'redirectUri' | 'challenge'> {
  readonly grantId: string;
  readonly clientId: string;
}

const CODE_SECONDS = 5 * 60;

export type Codes = ReturnType<typeof createCodes>;

export function createCodes({ state }: OAuthContext, rememberedSeconds: number) {
  return {
    async issue(facts: CodeFacts): Promise<string> {
      const { grant, redirectUri, challenge } = facts;
      const code = newSecret();
      const hash = hashOf(code);
      const binding: CodeBinding = { grantId: grant.id, clientId: grant.clientId, redirectUri, challenge };
      // The binding outlives the code, and is written first, so that the later of two concurrent redemptions finds it.
      await state.put(`code-grant:${hash}`, binding, rememberedSeconds);
      await state.put(`code:${hash}`, facts, CODE_SECONDS);
      return code;
    },
    /** The binding of a code, without redeeming it, for the checks that come first. */
    async find(code: string): Promise<CodeBinding | undefined> {
      const hash = hashOf(code);
      const found = await state.get<CodeBinding | string>(`code-grant:${hash}`);
      if (typeof found === 'object') return found;
      // Older versions stored only the grant id: such a code can be redeemed, but its replay proves nothing.
      const facts = await state.get<CodeFacts>(`code:${hash}`);
      return facts && { ...facts, grantId: facts.grant.id, clientId: facts.grant.clientId };
    },
    /** Undefined when the code was redeemed before or has expired. */
    take: (code: string) => state.take<CodeFacts>(`code:${hashOf(code)}`),
  };
}

/**
 * Proofs of possession (DPoP, RFC 9449): a JWT that a client signs for one request with a key of its own. A token that is
 * bound to the key is of no use to who steals the token alone. A proof is accepted once, within a minute, for its method,
 * address and token; where servers share the state, once on all of them. Nonces of the server are not asked for.
 */
import { createHash } from 'node:crypto';
import { calculateJwkThumbprint, EmbeddedJWK, errors, type JWTVerifyResult, jwtVerify } from 'jose';
import { AppError, isAppError } from '../shared/errors.ts';
import { TtlCache } from '../shared/memoize.ts';
import { PROOF_ALGORITHMS, type Presentation } from '../shared/presentation.ts';
import { claim } from '../state/change-value.ts';
import { OAuthError } from './answers.ts';
import type { OAuthContext } from './context.ts';
import { hashOf, isSame } from './tickets.ts';

const MAX_LENGTH = 4_096;
const MAX_ID_LENGTH = 256;
/** How far the time of a proof may be from the time of this server. */
const TOLERANCE_SECONDS = 60;
/** Proofs that one server alone remembers. */
const MAX_REMEMBERED = 100_000;
const THUMBPRINT = /^[A-Za-z0-9_-]{43}$/;

interface ProvenRequest {
  readonly method: string;
  /** Addresses that the request may be known by. */
  readonly urls: readonly string[];
  /** The access token that the proof has to be for; undefined at the token endpoint. */
  readonly token?: string;
}

export type Dpop = ReturnType<typeof createDpop>;

export function createDpop({ issuer, state, now, security }: OAuthContext) {
  const isFirstUse = createReplayCheck({ state, now });

  /** The thumbprint of the key that has signed the proof (RFC 7638). Throws `unauthorized`, with what is wrong. */
  const check = async (proof: string, { method, urls, token }: ProvenRequest): Promise<string> => {
    const { payload, protectedHeader } = await verified(proof, new Date(now()));
    const { htm, htu, iat, jti, ath } = payload;
    if (htm !== method) throw bad('htm is not the method of this request');
    const address = canonical(htu);
    if (address === undefined || !urls.some((url) => canonical(url) === address))
      throw bad('htu is not the address of this request');
    if (iat === undefined || Math.abs(now() / 1000 - iat) > TOLERANCE_SECONDS)
      throw bad('iat is not within a minute of now: is the clock right?');
    if (typeof jti !== 'string' || jti === '' || jti.length > MAX_ID_LENGTH)
      throw bad(`jti is missing, or longer than ${MAX_ID_LENGTH} characters`);
    if (token !== undefined && !isSame(String(ath), hashedToken(token)))
      throw bad('ath is not the hash of the access token');
    const jkt = await calculateJwkThumbprint(protectedHeader.jwk ?? {});
    if (await isFirstUse(hashOf(JSON.stringify([jkt, jti])))) return jkt;
    security('DPoP proof replayed', { key: jkt });
    throw bad('it was used before: every request needs one of its own');
  };

  return {
    /** The key that the tokens of a request are bound to; undefined without a proof. */
    async keyOf(request: Request): Promise<string | undefined> {
      const proof = request.headers.get('dpop');
      if (proof === null) return undefined;
      const urls = [`${issuer}/oauth/token`, `${issuer}/token`];
      return check(proof, { method: 'POST', urls }).catch((error: unknown) => {
        throw isAppError(error, 'unauthorized') ? new OAuthError('invalid_dpop_proof', error.title) : error;
      });
    },
    /** Throws `unauthorized` when a token that is bound to `jkt`, or to no key, may not be presented like this. */
    async assertPresented(token: string, jkt: string | undefined, presented: Presentation): Promise<void> {
      if (presented.scheme === 'accepted') return;
      if (presented.scheme === 'bearer') {
        if (jkt === undefined) return;
        throw new AppError('unauthorized', 'This token is bound to a key: send it as DPoP, with a proof');
      }
      if (jkt === undefined)
        throw new AppError('unauthorized', 'This token is bound to no key: send it as Bearer');
      const { proof, method, path } = presented;
      if (proof === undefined) throw bad('it is missing');
      const key = await check(proof, { method, urls: [`${issuer}${path}`], token });
      if (key !== jkt) throw bad('it is signed with another key than the one the token is bound to');
    },
  };
}

/** RFC 9449 §10: the key that the tokens of a code have to be bound to. */
export function readThumbprint(text: string | undefined): string | undefined {
  if (text === undefined || THUMBPRINT.test(text)) return text;
  throw new OAuthError('invalid_request', 'dpop_jkt is not a SHA-256 thumbprint in base64url');
}

async function verified(proof: string, currentDate: Date): Promise<JWTVerifyResult> {
  if (proof.length > MAX_LENGTH) throw bad(`it is longer than ${MAX_LENGTH} characters`);
  const expected = { typ: 'dpop+jwt', algorithms: PROOF_ALGORITHMS, currentDate };
  return jwtVerify(proof, EmbeddedJWK, expected).catch((error: unknown) => {
    throw error instanceof errors.JOSEError ? bad(`${error.message} (${error.code})`) : error;
  });
}

/** Without query and fragment (RFC 9449 §4.3), and without a slash at the end, which is ignored in requests too. */
function canonical(url: unknown): string | undefined {
  if (typeof url !== 'string' || !URL.canParse(url)) return undefined;
  const { origin, pathname } = new URL(url);
  return origin + pathname.replace(/\/$/, '');
}

function hashedToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/** True for the first caller with a key, as long as a proof with it could be accepted. */
function createReplayCheck({
  state,
  now,
}: Pick<OAuthContext, 'state' | 'now'>): (key: string) => Promise<boolean> {
  const keptSeconds = 2 * TOLERANCE_SECONDS + 1;
  if (state.isShared) return (key) => claim(state, `dpop:${key}`, keptSeconds);
  // One server alone remembers proofs in memory: a restart within the minute is not worth a write for every call.
  const used = new TtlCache<true>({ forMs: keptSeconds * 1000, most: MAX_REMEMBERED, now });
  return async (key) => {
    if (used.get(key)) return false;
    used.set(key, true);
    return true;
  };
}

function bad(why: string): AppError {
  return new AppError('unauthorized', `The DPoP proof is not valid: ${why}`);
}

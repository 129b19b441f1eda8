/** Signing keys for JWTs: the operator's, or generated ones, stored in the state and rotated. */
import {
  type CryptoKey,
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JSONWebKeySet,
  type JWK,
} from 'jose';
import { AppError } from '../shared/errors.ts';
import { changeValue } from '../state/change-value.ts';
import type { StateRead } from '../state/memory.ts';
import type { OAuthContext } from './context.ts';

type Key = CryptoKey | Uint8Array;

export interface SigningKeys {
  readonly algorithm: 'EdDSA' | 'HS256';
  signing(): Promise<{ readonly kid?: string; readonly key: Key }>;
  /** Throws for an unknown or retired key. */
  verifying(kid: string | undefined): Promise<Key>;
  /** The public JWKS. */
  published(): Promise<JSONWebKeySet>;
}

interface StoredKey {
  readonly kid: string;
  readonly jwk: JWK;
  /** Milliseconds since 1970. */
  readonly madeAt: number;
  /** When it takes over from the key before it. Absent in keys of older versions, which signed as soon as they were made. */
  readonly signsFrom?: number;
}

const MIN_SECRET_BYTES = 32;
const KEY = 'signing-keys';
const DAY_MS = 24 * 60 * 60_000;
const RENEWED_AFTER_MS = 30 * DAY_MS;
/** A key is published for so long before it signs: resource servers keep a JWKS for hours. */
const PUBLISHED_AHEAD_MS = DAY_MS;
/** The clocks of servers that share the keys may differ by this. */
const CLOCK_TOLERANCE_MS = 60_000;

/** HS256 with the operator's secret: changing it ends all tokens, and there is no public key to publish. */
export function sharedSigningKey(secret: string): SigningKeys {
  const key = new TextEncoder().encode(secret);
  if (key.length < MIN_SECRET_BYTES)
    throw new AppError('invalid_input', 'The key that signs tokens is too short', {
      hint: `It has ${key.length} bytes and needs ${MIN_SECRET_BYTES}. Make one with: openssl rand -hex 64`,
    });
  return {
    algorithm: 'HS256',
    signing: async () => ({ key }),
    verifying: async () => key,
    published: async () => ({ keys: [] }),
  };
}

/**
 * Keys that renew themselves. Servers that share the state share the keys: the first that finds a new one due makes it,
 * all publish it, and a day later all sign with it. The key before verifies until its last token has expired.
 */
export function ownSigningKeys({ state, now, security }: OAuthContext, tokenSeconds: number): SigningKeys {
  const imported = new Map<string, Promise<Key>>();

  /** Newest first. */
  const load = async (read: StateRead = 'get') => (await state[read]<StoredKey[]>(KEY)) ?? [];
  const isDue = ([newest]: readonly StoredKey[]) =>
    !newest || now() - startOf(newest) > RENEWED_AFTER_MS - PUBLISHED_AHEAD_MS;
  /** Without those whose tokens have all expired. */
  const verifyingKeys = (keys: readonly StoredKey[]) =>
    keys.filter((_, at) => {
      const successor = keys[at - 1];
      return !successor || now() < startOf(successor) + tokenSeconds * 1000 + CLOCK_TOLERANCE_MS;
    });

  const renewed = async (): Promise<readonly StoredKey[]> => {
    const { keys, made } = await changeValue<
      readonly StoredKey[],
      { readonly keys: readonly StoredKey[]; readonly made?: StoredKey }
    >(state, KEY, async (before = []) => {
      if (!isDue(before)) return { result: { keys: before } };
      const [newest] = before;
      const signsFrom = newest
        ? Math.max(now() + PUBLISHED_AHEAD_MS, startOf(newest) + RENEWED_AFTER_MS)
        : now();
      const made = await makeKey(now(), signsFrom);
      const keys = [made, ...verifyingKeys(before)];
      return { put: { value: keys }, result: { keys, made } };
    });
    if (made) security('signing key made', { kid: made.kid });
    return keys;
  };

  const keyOf = (kid: string, jwk: JWK): Promise<Key> => {
    const found = imported.get(kid) ?? importJWK(jwk, 'EdDSA');
    imported.set(kid, found);
    return found;
  };

  const upToDate = async () => {
    const found = await load();
    return isDue(found) ? renewed() : found;
  };

  return {
    algorithm: 'EdDSA',
    async signing() {
      const keys = await upToDate();
      // After the clock was set back, the oldest is the one that was signing then.
      const key = keys.find((one) => startOf(one) <= now()) ?? keys.at(-1);
      if (!key) throw new AppError('internal', 'There is no key to sign with');
      return { kid: key.kid, key: await keyOf(key.kid, key.jwk) };
    },
    async verifying(kid) {
      const find = async (read: StateRead) => verifyingKeys(await load(read)).find((key) => key.kid === kid);
      const found = (await find('recent')) ?? (await find('get'));
      if (!found) throw new AppError('unauthorized', 'Signed with a key that is not known here');
      return keyOf(`public ${found.kid}`, publicPart(found.jwk));
    },
    // The first one, too, is there before it signs: a resource server may keep an empty set for hours.
    async published() {
      const keys = verifyingKeys(await upToDate());
      return {
        keys: keys.map(({ kid, jwk }) => ({ ...publicPart(jwk), kid, alg: 'EdDSA', use: 'sig' })),
      };
    },
  };
}

function startOf({ signsFrom, madeAt }: StoredKey): number {
  return signsFrom ?? madeAt;
}

async function makeKey(madeAt: number, signsFrom: number): Promise<StoredKey> {
  const { privateKey } = await generateKeyPair('EdDSA', { extractable: true });
  const jwk = await exportJWK(privateKey);
  return { kid: await calculateJwkThumbprint(jwk), jwk, madeAt, signsFrom };
}

function publicPart({ kty, crv, x }: JWK): JWK {
  return { kty, crv: crv || undefined, x: x || undefined };
}

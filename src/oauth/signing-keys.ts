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
import { KeyedMutex } from '../shared/async/keyed-mutex.ts';
import { AppError } from '../shared/errors.ts';
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
}

const MIN_SECRET_BYTES = 32;
const KEY = 'signing-keys';
const RENEWED_AFTER_MS = 30 * 24 * 60 * 60_000;

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

/** A retired key verifies for the lifetime of a token. */
export function ownSigningKeys({ state, now, security }: OAuthContext, tokenSeconds: number): SigningKeys {
  const oneByOne = new KeyedMutex();
  const imported = new Map<string, Promise<Key>>();

  /** Newest first. */
  const load = async () => (await state.get<StoredKey[]>(KEY)) ?? [];
  const isDue = (newest: StoredKey | undefined) => !newest || now() - newest.madeAt > RENEWED_AFTER_MS;

  const renewed = () =>
    oneByOne.run(KEY, async () => {
      const keys = await load();
      if (!isDue(keys[0])) return keys;
      const made = await makeKey(now());
      const stillShown = keys.filter(({ madeAt }) => now() - madeAt < RENEWED_AFTER_MS + tokenSeconds * 1000);
      const all = [made, ...stillShown];
      await state.put(KEY, all);
      security('signing key made', { kid: made.kid });
      return all;
    });

  const keyOf = (kid: string, jwk: JWK): Promise<Key> => {
    const found = imported.get(kid) ?? importJWK(jwk, 'EdDSA');
    imported.set(kid, found);
    return found;
  };

  return {
    algorithm: 'EdDSA',
    async signing() {
      const keys = await load();
      const [newest] = isDue(keys[0]) ? await renewed() : keys;
      if (!newest) throw new AppError('internal', 'There is no key to sign with');
      return { kid: newest.kid, key: await keyOf(newest.kid, newest.jwk) };
    },
    async verifying(kid) {
      const found = (await load()).find((key) => key.kid === kid);
      if (!found) throw new AppError('unauthorized', 'Signed with a key that is not known here');
      return keyOf(`public ${found.kid}`, publicPart(found.jwk));
    },
    async published() {
      const keys = await load();
      return {
        keys: keys.map(({ kid, jwk }) => ({ ...publicPart(jwk), kid, alg: 'EdDSA', use: 'sig' })),
      };
    },
  };
}

async function makeKey(madeAt: number): Promise<StoredKey> {
  const { privateKey } = await generateKeyPair('EdDSA', { extractable: true });
  const jwk = await exportJWK(privateKey);
  return { kid: await calculateJwkThumbprint(jwk), jwk, madeAt };
}

function publicPart({ kty, crv, x }: JWK): JWK {
  return { kty, crv: crv || undefined, x: x || undefined };
}

/**
 * Second factors of people with a password: one-time codes of an app, passkeys, and recovery codes. Every attempt is one
 * conditional write that counts it, so that a code is accepted once and guesses are slowed, on however many servers. The
 * secrets of apps are encrypted; of recovery codes there are only hashes, and passkeys hold no secret.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, randomInt } from 'node:crypto';
import { onceDone } from '../../shared/memoize.ts';
import { changeValue, sharedValue, type ValueChange } from '../../state/change-value.ts';
import type { OAuthContext } from '../context.ts';
import { hashOf, isSame, newSecret } from '../tickets.ts';
import type { Passkey } from './library.ts';
import { matchingStep, newTotpSecret } from './totp.ts';

/** As stored. */
interface StoredFactors {
  readonly totp?: { readonly sealed: string; readonly lastStep: number };
  readonly passkeys?: readonly Passkey[];
  /** Hashes. */
  readonly recovery?: readonly string[];
  readonly failures?: { readonly count: number; readonly at: number };
}

/** For pages. */
export interface FactorSummary {
  readonly hasTotp: boolean;
  readonly passkeys: readonly Passkey[];
  readonly recoveryLeft: number;
}

/** What a person gives as the second factor. */
export type SecondFactor =
  | { readonly kind: 'code'; readonly code: string }
  /** The answer of a browser to a challenge. */
  | { readonly kind: 'passkey'; readonly challenge: string; readonly response: unknown };

export type FactorOutcome = 'accepted' | 'refused' | 'slowed';

/** Begins the keys of second factors in the state. */
export const FACTOR_KEYS = 'factors:';
const PENDING_KEYS = 'factor-pending:';
const PENDING_SECONDS = 10 * 60;
const FREE_ATTEMPTS = 5;
const FIRST_WAIT_MS = 15_000;
const MAX_WAIT_MS = 15 * 60_000;
const MAX_PASSKEYS = 20;
const RECOVERY_CODES = 10;
const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';

export type Factors = ReturnType<typeof createFactors>;

export function createFactors(
  { state, now, security, issuer }: OAuthContext,
  { signingKey }: { readonly signingKey?: string },
) {
  const { hostname, origin } = new URL(issuer);
  const site = { id: hostname, origin };
  const keyOf = (user: string) => FACTOR_KEYS + user;
  /** Without a key of the operator, one is kept as the keys that sign tokens are. */
  const secret = () =>
    signingKey === undefined ? sharedValue(state, 'factor-key', newSecret) : Promise.resolve(signingKey);
  const sealer = createSealer(secret);
  const read = async (user: string) => (await state.get<StoredFactors>(keyOf(user))) ?? {};
  const change = <Result>(
    user: string,
    decide: (stored: StoredFactors) => Promise<ValueChange<StoredFactors, Result>>,
  ) => changeValue<StoredFactors, Result>(state, keyOf(user), (stored = {}) => decide(stored));

  /** What the factors are after an accepted attempt; undefined for one that is refused. */
  const acceptCode = async (user: string, stored: StoredFactors, given: string) => {
    const code = given.replace(/[\s-]/g, '').toLowerCase();
    const { totp, recovery = [] } = stored;
    if (totp && /^\d{6}$/.test(code)) {
      const opened = await sealer.open(totp.sealed, user);
      const step = opened === undefined ? undefined : matchingStep(opened, code, now(), totp.lastStep);
      return step === undefined ? undefined : { ...stored, totp: { ...totp, lastStep: step } };
    }
    const hash = hashOf(`recovery ${code}`);
    const left = recovery.filter((one) => !isSame(one, hash));
    return left.length < recovery.length ? { ...stored, recovery: left } : undefined;
  };
  const acceptPasskey = async (stored: StoredFactors, { challenge, response }: PasskeyAnswer) => {
    const { passkeys = [] } = stored;
    const { verifyAssertion } = await import('./library.ts');
    const used = await verifyAssertion({ site, challenge, response }, passkeys);
    return used && { ...stored, passkeys: passkeys.map((one) => (one.id === used.id ? used : one)) };
  };

  return {
    site,
    async summary(user: string): Promise<FactorSummary> {
      const { totp, passkeys = [], recovery = [] } = await read(user);
      return { hasTotp: totp !== undefined, passkeys, recoveryLeft: recovery.length };
    },
    /** Whether a password alone does not let the person in. */
    async isNeeded(user: string): Promise<boolean> {
      const { totp, passkeys = [] } = await read(user);
      return totp !== undefined || passkeys.length > 0;
    },
    async check(user: string, given: SecondFactor): Promise<FactorOutcome> {
      const outcome = await change<FactorOutcome>(user, async (stored) => {
        const { count = 0, at = 0 } = stored.failures ?? {};
        if (now() - at < waitAfter(count)) return { result: 'slowed' };
        const accepted =
          given.kind === 'code'
            ? await acceptCode(user, stored, given.code)
            : await acceptPasskey(stored, given);
        const { failures: _, ...rest } = accepted ?? stored;
        return accepted
          ? { put: { value: rest }, result: 'accepted' }
          : { put: { value: { ...rest, failures: { count: count + 1, at: now() } } }, result: 'refused' };
      });
      security(outcome === 'accepted' ? 'second factor accepted' : 'second factor refused', {
        user,
        kind: given.kind,
        ...(outcome === 'slowed' && { slowed: true }),
      });
      return outcome;
    },
    /** A secret for an app, which counts when its first code is given. */
    async beginTotp(user: string): Promise<string> {
      const made = newTotpSecret();
      await state.put(PENDING_KEYS + user, await sealer.seal(made, user), PENDING_SECONDS);
      return made;
    },
    /** The secret that waits for its first code. */
    async pendingTotp(user: string): Promise<string | undefined> {
      const sealed = await state.get<string>(PENDING_KEYS + user);
      return sealed === undefined ? undefined : sealer.open(sealed, user);
    },
    async confirmTotp(user: string, code: string): Promise<boolean> {
      const sealed = await state.get<string>(PENDING_KEYS + user);
      const pending = sealed === undefined ? undefined : await sealer.open(sealed, user);
      const step = pending && matchingStep(pending, code.replace(/\s/g, ''), now(), 0);
      if (sealed === undefined || !step) return false;
      await change<void>(user, async ({ failures: _, ...stored }) => ({
        put: { value: { ...stored, totp: { sealed, lastStep: step } } },
        result: undefined,
      }));
      await state.delete(PENDING_KEYS + user);
      security('second factor added', { user, kind: 'app' });
      return true;
    },
    /** False for an answer that proves nothing. */
    async addPasskey(user: string, { challenge, response }: PasskeyAnswer, label: string): Promise<boolean> {
      const { verifyRegistration } = await import('./library.ts');
      const about = { label: label.trim().slice(0, 60) || 'Passkey', addedAt: now() };
      const passkey = await verifyRegistration({ site, challenge, response }, about);
      if (!passkey) return false;
      const isAdded = await change<boolean>(user, async (stored) => {
        const { passkeys = [] } = stored;
        if (passkeys.length >= MAX_PASSKEYS || passkeys.some(({ id }) => id === passkey.id))
          return { result: false };
        return { put: { value: { ...stored, passkeys: [...passkeys, passkey] } }, result: true };
      });
      if (isAdded) security('second factor added', { user, kind: 'passkey' });
      return isAdded;
    },
    async remove(user: string, what: 'app' | { readonly passkey: string }): Promise<void> {
      await change<void>(user, async ({ totp, ...stored }) => {
        const { passkeys = [] } = stored;
        if (what === 'app') return { put: { value: stored }, result: undefined };
        const left = passkeys.filter(({ id }) => id !== what.passkey);
        return { put: { value: { ...stored, ...(totp && { totp }), passkeys: left } }, result: undefined };
      });
      security('second factor removed', { user, kind: what === 'app' ? 'app' : 'passkey' });
    },
    /** The recovery codes of before count no more. */
    async newRecoveryCodes(user: string): Promise<readonly string[]> {
      const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
      const recovery = codes.map((code) => hashOf(`recovery ${code.replaceAll('-', '')}`));
      await change<void>(user, async (stored) => ({
        put: { value: { ...stored, recovery } },
        result: undefined,
      }));
      security('recovery codes made', { user });
      return codes;
    },
  };
}

type PasskeyAnswer = Pick<Extract<SecondFactor, { kind: 'passkey' }>, 'challenge' | 'response'>;

/** The time between attempts doubles; nobody without the password can cause it. */
function waitAfter(failures: number): number {
  if (failures < FREE_ATTEMPTS) return 0;
  return Math.min(FIRST_WAIT_MS * 2 ** (failures - FREE_ATTEMPTS), MAX_WAIT_MS);
}

/** 80 bits: too many to try, so that a plain hash is enough. */
function newRecoveryCode(): string {
  const group = () => Array.from({ length: 4 }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  return Array.from({ length: 4 }, group).join('-');
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts for one person: what is sealed for another cannot be opened. */
function createSealer(secret: () => Promise<string>) {
  const keyOf = onceDone(async () =>
    Buffer.from(hkdfSync('sha256', await secret(), '', 'quire second factors', 32)),
  );
  return {
    async seal(text: string, user: string): Promise<string> {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, await keyOf(), nonce).setAAD(Buffer.from(user));
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString('base64url');
    },
    /** Undefined when it was sealed with another key, or for another person. */
    async open(sealed: string, user: string): Promise<string | undefined> {
      const bytes = Buffer.from(sealed, 'base64url');
      const decipher = createDecipheriv(CIPHER, await keyOf(), bytes.subarray(0, NONCE_BYTES))
        .setAAD(Buffer.from(user))
        .setAuthTag(bytes.subarray(-TAG_BYTES));
      try {
        return (
          decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)).toString() + decipher.final().toString()
        );
      } catch {
        return undefined;
      }
    },
  };
}

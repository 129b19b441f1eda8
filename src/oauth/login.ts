/**
 * Whether somebody may come in. Each attempt makes the next one slower, for the account and for the address; at
 * some point neither is listened to for a while. From outside every refusal is the same: the same words after the
 * same work, whether the name exists or not, the password is wrong or too long. Names that do not exist are
 * locked like those that do.
 */
import { subscriberOf } from '../shared/ip-ranges.ts';
import { createCounter } from './counter.ts';
import { createPasswordCheck, type Users } from './passwords.ts';
import { isSame } from './secrets.ts';
import type { SecurityLog } from './security-log.ts';
import { createTurnstile } from './turnstile.ts';

export interface Credentials {
  /** Undefined where there is only an owner. */
  readonly name: string | undefined;
  readonly password: string;
}

export type LoginOutcome =
  | { readonly kind: 'in'; readonly user: string }
  | { readonly kind: 'refused' }
  /** Too many people at the door; the attempt was not looked at. */
  | { readonly kind: 'busy' };

export interface LoginOptions {
  readonly users?: Users;
  readonly ownerToken?: string;
  readonly security: SecurityLog;
  readonly now: () => number;
  readonly delay: (ms: number) => Promise<void>;
}

/** The one who may come in where there are no user names. */
export const OWNER = 'owner';

const LOCKED_MS = 15 * 60_000;
/** More than an address is allowed, so that nobody can lock somebody else out from one place. */
const MAX_PER_ACCOUNT = 20;
const MAX_PER_ADDRESS = 10;
const FREE_ATTEMPTS = 2;
const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 8_000;
const MAX_KEYS = 10_000;
/** One comparison keeps a processor busy for a good part of a second. */
const AT_ONCE = 2;
const MAX_WAITING = 20;

export function createLogin(
  options: LoginOptions,
): (credentials: Credentials, address: string) => Promise<LoginOutcome> {
  const { security, now, delay } = options;
  const isRight = checkOf(options);
  const accounts = createCounter({ spanMs: LOCKED_MS, maxKeys: MAX_KEYS, now, limit: MAX_PER_ACCOUNT });
  const addresses = createCounter({ spanMs: LOCKED_MS, maxKeys: MAX_KEYS, now, limit: MAX_PER_ADDRESS });
  const turnstile = createTurnstile(AT_ONCE, MAX_WAITING);

  return async ({ name, password }, address) => {
    const account = options.ownerToken === undefined ? (name ?? '').slice(0, 200) : OWNER;
    const from = subscriberOf(address);
    // Counted before the check: attempts made at the same time see each other.
    const byAccount = accounts.add(account);
    const byAddress = addresses.add(from);
    // A name nobody has may be a password in the wrong field.
    const who = { user: isKnown(options, account) ? account : 'unknown', address };
    await delay(delayOf(Math.max(byAccount, byAddress)));
    if (byAccount > MAX_PER_ACCOUNT || byAddress > MAX_PER_ADDRESS) {
      security('login locked', { ...who, by: byAddress > MAX_PER_ADDRESS ? 'address' : 'account' });
      return { kind: 'refused' };
    }
    const checked = await turnstile.pass(() => isRight(account, password));
    if (!checked) {
      accounts.undo(account);
      addresses.undo(from);
      return { kind: 'busy' };
    }
    if (!checked.result) {
      security('login failed', { ...who, attempt: Math.max(byAccount, byAddress) });
      return { kind: 'refused' };
    }
    accounts.forget(account);
    // Not forgotten: somebody with an account could try others' passwords in between.
    addresses.undo(from);
    security('login succeeded', who);
    return { kind: 'in', user: account };
  };
}

function checkOf({ users, ownerToken }: LoginOptions): (name: string, password: string) => Promise<boolean> {
  if (ownerToken !== undefined) return async (_name, password) => isSame(password, ownerToken);
  return createPasswordCheck(users ?? new Map());
}

function isKnown({ users, ownerToken }: LoginOptions, name: string): boolean {
  return ownerToken !== undefined || users?.has(name) === true;
}

function delayOf(attempt: number): number {
  if (attempt <= FREE_ATTEMPTS) return 0;
  return Math.min(FIRST_DELAY_MS * 2 ** (attempt - FREE_ATTEMPTS - 1), MAX_DELAY_MS);
}

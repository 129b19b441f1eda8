/**
 * Password checks with throttling. Each failed attempt delays the next, for the network it came from and, less so,
 * for the account; no account is ever locked, so no one can lock out another. Attempts from a browser or network
 * that has logged in before are counted separately. All refusals look alike from outside: the same text after the
 * same work, whether the name exists or not and whatever is wrong with the password.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { createSemaphore, SemaphoreFull } from '../shared/async/semaphore.ts';
import { networksOf, subscriberOf } from '../shared/ip-ranges.ts';
import { changeValue } from '../state/change-value.ts';
import type { OAuthContext } from './context.ts';
import { type ComparePassword, createPasswordCheck } from './passwords.ts';
import {
  attemptRecords,
  backoffOf,
  byPrefix,
  createAttemptWindows,
  createThrottle,
  type ThrottledAttempt,
} from './throttle.ts';
import { hashOf, isSame } from './tickets.ts';
import { composedName, type Directory } from './users.ts';

interface SeenPlace {
  readonly place: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export const REMEMBERED_SECONDS = 180 * 24 * 60 * 60;
const MAX_PLACES = 40;
const DAY_MS = 24 * 60 * 60_000;

/** Known places per account: browsers by cookie, and networks. Stored as hashes, a few for each account. */
function createLoginPlaces({ state, now }: OAuthContext) {
  const keyOf = (account: string) => `login-places:${hashOf(account)}`;
  const placesOf = async (account: string) => (await state.get<SeenPlace[]>(keyOf(account))) ?? [];
  return {
    /** The key of a place that has logged in to this account before; the browser counts before the network. */
    async find(account: string, place: LoginPlace): Promise<string | undefined> {
      const seen = await placesOf(account);
      return namesOf(account, place).find((name) => seen.some((one) => one.place === name));
    },
    remember: (account: string, place: LoginPlace) =>
      changeValue<readonly SeenPlace[], void>(state, keyOf(account), (seen = []) => {
        const names = namesOf(account, place);
        const isFresh = (name: string) => seen.some((one) => one.place === name && now() - one.at < DAY_MS);
        if (names.every(isFresh)) return { result: undefined };
        const others = seen.filter((one) => !names.includes(one.place));
        const all = [...names.map((name) => ({ place: name, at: now() })), ...others].slice(0, MAX_PLACES);
        return { put: { value: all, ttlSeconds: REMEMBERED_SECONDS }, result: undefined };
      }),
  };
}

function namesOf(account: string, { address, device }: LoginPlace): string[] {
  return [
    ...(device === undefined ? [] : [hashOf(JSON.stringify(['device', account, device]))]),
    hashOf(JSON.stringify(['network', account, subscriberOf(address)])),
  ];
}

interface Credentials {
  /** Undefined where there is only an owner. */
  readonly name: string | undefined;
  readonly password: string;
}

/** Origin of a login attempt. */
export interface LoginPlace {
  readonly address: string;
  /** Value of the device cookie, which a browser gets at its first login. */
  readonly device: string | undefined;
}

export type LoginOutcome =
  | { readonly kind: 'in'; readonly user: string }
  | { readonly kind: 'refused' }
  /** Too many attempts from this place; the password was not checked. */
  | { readonly kind: 'slowed' }
  /** Too many logins are waiting; the password was not checked. */
  | { readonly kind: 'busy' };

export type LogIn = (credentials: Credentials, place: LoginPlace) => Promise<LoginOutcome>;

export interface LoginOptions {
  /** The login secret of a single owner without a user name, instead of users. */
  readonly ownerToken?: string;
  /** Compares passwords off the main thread. Default: on it. */
  readonly comparePassword?: ComparePassword;
  readonly delay?: (ms: number) => Promise<void>;
}

/** The account name where logins have no user names. */
export const OWNER = 'owner';

const FORGOTTEN_MS = 15 * 60_000;
const GAP_MS = 10_000;
const MAX_WAIT_MS = 2 * GAP_MS;
/** Free attempts by prefix length; an attacker with a large network has many small ones. */
const FREE_BY_BITS = { 32: 10, 64: 10, 56: 20, 48: 40 } as const;
/** Most failures of one network that count against an account. */
const MAX_OF_ONE_NETWORK = 5;
/** One bcrypt comparison takes a good part of a second of processor time. */
const MAX_WAITING = 20;
const MAX_ASLEEP = 200;

export function createLogin(context: OAuthContext, directory: Directory, options: LoginOptions): LogIn {
  const { security } = context;
  const { ownerToken, delay = (ms) => pause(ms) } = options;
  const isRight = checkOf(directory, options);
  const places = createLoginPlaces(context);
  const throttles = createThrottles(context);
  const accountDelay = createAccountDelays(context);
  // One comparison of each kind at a time: a crowd of strangers does not delay people who have logged in before.
  const comparing = () => createSemaphore(1, { maxWaiting: MAX_WAITING });
  const semaphores = { known: comparing(), unknown: comparing() };
  let asleep = 0;

  const sleep = async (ms: number) => {
    if (ms === 0) return delay(0);
    asleep++;
    await delay(ms).finally(() => asleep--);
  };

  return async ({ name, password }, place) => {
    const account = ownerToken === undefined ? composedName((name ?? '').slice(0, 200)) : OWNER;
    // An unknown name may be a password typed into the wrong field, so it is not logged.
    const isAccount = ownerToken !== undefined || (await directory.find(account)) !== undefined;
    const who = { user: isAccount ? account : 'unknown', address: place.address };
    const known = await places.find(account, place);
    // Counted before the check: attempts made at the same time see each other.
    const attempt =
      known === undefined
        ? await throttles.ofStranger(place.address)
        : await throttles.ofKnown(account, known);
    if (!attempt) {
      security('login slowed', who);
      return { kind: 'slowed' };
    }
    if (known === undefined && asleep >= MAX_ASLEEP) {
      await attempt.undo();
      return { kind: 'busy' };
    }
    const byAccount = known === undefined ? await accountDelay(account, place.address) : 0;
    await sleep(Math.max(attempt.waitMs, byAccount));
    const inTurn = semaphores[known === undefined ? 'unknown' : 'known'];
    const isIn = await inTurn(() => isRight(account, password)).catch((error: unknown) => {
      if (error instanceof SemaphoreFull) return undefined;
      throw error;
    });
    if (isIn === undefined) {
      await attempt.undo();
      return { kind: 'busy' };
    }
    if (!isIn) {
      security('login failed', { ...who, attempt: attempt.count });
      return { kind: 'refused' };
    }
    // Only this attempt is forgiven: an attacker with an account could try others' passwords in between.
    await attempt.undo();
    await places.remember(account, place);
    security('login succeeded', who);
    return { kind: 'in', user: account };
  };
}

function createThrottles(context: OAuthContext) {
  const throttle = (free: number, name: number | string) =>
    createThrottle({
      free,
      gapMs: GAP_MS,
      maxWaitMs: MAX_WAIT_MS,
      forgottenMs: FORGOTTEN_MS,
      records: attemptRecords(context, `login ${name}`),
      now: context.now,
    });
  const byBits = byPrefix(FREE_BY_BITS, throttle);
  const known = throttle(FREE_BY_BITS[32], 'known');
  return {
    async ofStranger(address: string): Promise<ThrottledAttempt | undefined> {
      const attempts: ThrottledAttempt[] = [];
      // The largest first: one that is stopped there leaves nothing in the tables of the smaller ones.
      for (const { bits, network } of networksOf(address).toReversed()) {
        const attempt = await byBits[bits](network);
        if (!attempt) {
          for (const taken of attempts) await taken.undo();
          return undefined;
        }
        attempts.push(attempt);
      }
      return {
        waitMs: Math.max(...attempts.map(({ waitMs }) => waitMs)),
        count: Math.max(...attempts.map(({ count }) => count)),
        undo: async () => {
          for (const attempt of attempts) await attempt.undo();
        },
      };
    },
    ofKnown: (account: string, place: string) => known(JSON.stringify([account, place])),
  };
}

/** Delays of strangers caused by other strangers' attempts at the same account. */
function createAccountDelays(context: OAuthContext): (account: string, address: string) => Promise<number> {
  const windows = (name: string) =>
    createAttemptWindows(attemptRecords(context, name), FORGOTTEN_MS, context.now);
  const accounts = windows('login account');
  const networks = windows('login account of a network');
  return async (account, address) => {
    const network = networksOf(address).at(-1)?.network ?? subscriberOf(address);
    const { count } = await networks.add(JSON.stringify([account, network]), MAX_OF_ONE_NETWORK);
    if (count >= MAX_OF_ONE_NETWORK) return backoffOf(await accounts.count(account));
    return backoffOf((await accounts.add(account)).count + 1);
  };
}

type CheckPassword = (name: string, password: string) => Promise<boolean>;

function checkOf(directory: Directory, { ownerToken, comparePassword }: LoginOptions): CheckPassword {
  if (ownerToken !== undefined) return async (_name, password) => isSame(password, ownerToken);
  const hashOf = async (name: string) => {
    const account = await directory.find(name);
    return account?.isDisabled === false ? account.hash : undefined;
  };
  return createPasswordCheck({ hashOf, cost: directory.cost }, comparePassword);
}

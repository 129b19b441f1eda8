/**
 * Whether somebody may come in. Each attempt makes the next one slower, for the address it comes from and, less so,
 * for the account; nobody is ever locked out, so nobody can lock out somebody else. Where somebody has come in
 * before (the same browser, or the same address) their attempts are counted by themselves, whatever others do. From
 * outside every refusal is the same: the same words after the same work, whether the name exists or not, the
 * password is wrong or too long. Names that do not exist are slowed like those that do.
 */
import { KeyedMutex } from '../shared/async/keyed-mutex.ts';
import { createSemaphore, SemaphoreFull } from '../shared/async/semaphore.ts';
import { networksOf, subscriberOf } from '../shared/ip-ranges.ts';
import { createWindowCounter } from '../shared/rate-limit.ts';
import type { StateStore } from '../state/memory.ts';
import { type ComparePassword, createPasswordCheck, type Users } from './passwords.ts';
import type { SecurityLog } from './security-log.ts';
import { backoffOf, createThrottle, type Throttle, type ThrottledAttempt } from './throttle.ts';
import { hashOf, isSame } from './tickets.ts';

/** From where each person has come in: browsers by their cookie, and networks. Kept as hashes, a few for each. */

interface LoginPlaces {
  /** What names the place, when somebody has come in with this account from there; the browser before the network. */
  find(account: string, place: LoginPlace): Promise<string | undefined>;
  remember(account: string, place: LoginPlace): Promise<void>;
}

interface SeenPlace {
  readonly place: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export const REMEMBERED_SECONDS = 180 * 24 * 60 * 60;
const MAX_PLACES = 40;
const DAY_MS = 24 * 60 * 60_000;

export function createLoginPlaces(state: StateStore, now: () => number): LoginPlaces {
  const oneByOne = new KeyedMutex();
  const keyOf = (account: string) => `login-places:${hashOf(account)}`;
  const placesOf = async (account: string) => (await state.get<SeenPlace[]>(keyOf(account))) ?? [];
  return {
    async find(account, place) {
      const seen = await placesOf(account);
      return namesOf(account, place).find((name) => seen.some((one) => one.place === name));
    },
    remember: (account, place) =>
      oneByOne.run(account, async () => {
        const names = namesOf(account, place);
        const seen = await placesOf(account);
        const isFresh = (name: string) => seen.some((one) => one.place === name && now() - one.at < DAY_MS);
        if (names.every(isFresh)) return;
        const others = seen.filter((one) => !names.includes(one.place));
        const all = [...names.map((name) => ({ place: name, at: now() })), ...others].slice(0, MAX_PLACES);
        await state.put(keyOf(account), all, REMEMBERED_SECONDS);
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

/** Where an attempt comes from. */
export interface LoginPlace {
  readonly address: string;
  /** What the cookie says that a browser gets when somebody has come in with it. */
  readonly device: string | undefined;
}

type LoginOutcome =
  | { readonly kind: 'in'; readonly user: string }
  | { readonly kind: 'refused' }
  /** Too many attempts from there; this one was not looked at. */
  | { readonly kind: 'slowed' }
  /** Too many people at the door; the attempt was not looked at. */
  | { readonly kind: 'busy' };

export type LogIn = (credentials: Credentials, place: LoginPlace) => Promise<LoginOutcome>;

interface LoginOptions {
  readonly users?: Users;
  readonly ownerToken?: string;
  readonly comparePassword?: ComparePassword;
  readonly state: StateStore;
  readonly security: SecurityLog;
  readonly now: () => number;
  readonly delay: (ms: number) => Promise<void>;
}

/** The one who may come in where there are no user names. */
export const OWNER = 'owner';

const FORGOTTEN_MS = 15 * 60_000;
const GAP_MS = 10_000;
const MAX_WAIT_MS = 2 * GAP_MS;
const MAX_KEYS = 10_000;
/** By how many bits of the address are looked at: whoever has a large network has many small ones. */
const FREE_BY_BITS = { 32: 10, 64: 10, 56: 20, 48: 40 } as const;
/** How much one network can slow an account down for others. */
const MAX_OF_ONE_NETWORK = 5;
/** One comparison keeps a processor busy for a good part of a second. */
const MAX_WAITING = 20;
const MAX_ASLEEP = 200;

export function createLogin(options: LoginOptions): LogIn {
  const { security, now, delay } = options;
  const isRight = checkOf(options);
  const places = createLoginPlaces(options.state, now);
  const throttles = createThrottles(now);
  const accounts = createAccountDelays(now);
  // One comparison of each kind at a time: a crowd of strangers does not hold up who has been here before.
  const comparing = () => createSemaphore(1, { maxWaiting: MAX_WAITING });
  const semaphores = { known: comparing(), unknown: comparing() };
  let asleep = 0;

  const sleep = async (ms: number) => {
    if (ms === 0) return delay(0);
    asleep++;
    await delay(ms).finally(() => asleep--);
  };

  return async ({ name, password }, place) => {
    const account = options.ownerToken === undefined ? (name ?? '').slice(0, 200) : OWNER;
    // A name nobody has may be a password in the wrong field.
    const who = { user: isKnown(options, account) ? account : 'unknown', address: place.address };
    const known = await places.find(account, place);
    // Counted before the check: attempts made at the same time see each other.
    const attempt =
      known === undefined ? throttles.ofStranger(place.address) : throttles.ofKnown(account, known);
    if (!attempt) {
      security('login slowed', who);
      return { kind: 'slowed' };
    }
    if (known === undefined && asleep >= MAX_ASLEEP) {
      attempt.undo();
      return { kind: 'busy' };
    }
    const byAccount = known === undefined ? accounts.add(account, place.address) : 0;
    await sleep(Math.max(attempt.waitMs, byAccount));
    const inTurn = semaphores[known === undefined ? 'unknown' : 'known'];
    const isIn = await inTurn(() => isRight(account, password)).catch((error: unknown) => {
      if (error instanceof SemaphoreFull) return undefined;
      throw error;
    });
    if (isIn === undefined) {
      attempt.undo();
      return { kind: 'busy' };
    }
    if (!isIn) {
      security('login failed', { ...who, attempt: attempt.count });
      return { kind: 'refused' };
    }
    // Only this attempt is forgiven: somebody with an account could try others' passwords in between.
    attempt.undo();
    await places.remember(account, place);
    security('login succeeded', who);
    return { kind: 'in', user: account };
  };
}

interface Throttles {
  ofStranger(address: string): ThrottledAttempt | undefined;
  ofKnown(account: string, place: string): ThrottledAttempt | undefined;
}

function createThrottles(now: () => number): Throttles {
  const throttle = (free: number) =>
    createThrottle({
      free,
      gapMs: GAP_MS,
      maxWaitMs: MAX_WAIT_MS,
      forgottenMs: FORGOTTEN_MS,
      maxKeys: MAX_KEYS,
      now,
    });
  // Apart, so that the many small networks of one large one push out no others.
  const byBits: Readonly<Record<keyof typeof FREE_BY_BITS, Throttle>> = {
    32: throttle(FREE_BY_BITS[32]),
    64: throttle(FREE_BY_BITS[64]),
    56: throttle(FREE_BY_BITS[56]),
    48: throttle(FREE_BY_BITS[48]),
  };
  const known = throttle(FREE_BY_BITS[32]);
  return {
    ofStranger(address) {
      const attempts: ThrottledAttempt[] = [];
      // The largest first: one that is stopped there leaves nothing in the tables of the smaller ones.
      for (const { bits, network } of networksOf(address).toReversed()) {
        const attempt = byBits[bits].take(network);
        if (!attempt) {
          for (const taken of attempts) taken.undo();
          return undefined;
        }
        attempts.push(attempt);
      }
      return {
        waitMs: Math.max(...attempts.map(({ waitMs }) => waitMs)),
        count: Math.max(...attempts.map(({ count }) => count)),
        undo: () => {
          for (const attempt of attempts) attempt.undo();
        },
      };
    },
    ofKnown: (account, place) => known.take(JSON.stringify([account, place])),
  };
}

/** How long strangers wait because of other strangers who tried the same account. */
function createAccountDelays(now: () => number): { add(account: string, address: string): number } {
  const limits = { spanMs: FORGOTTEN_MS, maxKeys: MAX_KEYS, now };
  const accounts = createWindowCounter(limits);
  const networks = createWindowCounter(limits);
  return {
    add(account, address) {
      const network = networksOf(address).at(-1)?.network ?? subscriberOf(address);
      const isOneToCount = networks.add(JSON.stringify([account, network])) <= MAX_OF_ONE_NETWORK;
      return backoffOf(isOneToCount ? accounts.add(account) : accounts.count(account));
    },
  };
}

function checkOf(options: LoginOptions): (name: string, password: string) => Promise<boolean> {
  const { users, ownerToken, comparePassword } = options;
  if (ownerToken !== undefined) return async (_name, password) => isSame(password, ownerToken);
  return createPasswordCheck(users ?? new Map(), comparePassword);
}

function isKnown({ users, ownerToken }: LoginOptions, name: string): boolean {
  return ownerToken !== undefined || users?.has(name) === true;
}

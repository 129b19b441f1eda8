/** Users and their passwords, as bcrypt hashes. */
import { Worker } from 'node:worker_threads';
import { compare, getRounds, hash, truncates } from 'bcryptjs';
import { AppError } from '../shared/errors.ts';

/** bcrypt hashes by user name. */
export type Users = ReadonlyMap<string, string>;

export interface HashedUsers {
  /** Undefined for who may not log in. */
  hashOf(name: string): Promise<string | undefined>;
  /** Of the dearest hash. */
  cost(): Promise<number>;
}

/** Compares a password with a bcrypt hash. Takes a good part of a second of processor time. */
export type ComparePassword = (password: string, hash: string) => Promise<boolean>;

export const DEFAULT_COST = 12;
/** A higher cost would occupy the processor for many seconds per login. */
const MAX_COST = 16;
const HASH = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;
const NAME = /^[^\s:,$\p{C}](?:[^:,$\p{C}]{0,62}[^\s:,$\p{C}])?$/u;

const NAME_HINT = 'Up to 64 characters, without colon, comma, dollar or space at its ends.';
const HASH_HINT =
  'Make one with the hash-password command. A shell takes the $ signs out unless the value stands in single quotes; in a compose file write $$ for each $.';

const MIN_PASSWORD = 8;

export async function hashPassword(password: string): Promise<string> {
  if (password === '') throw new AppError('invalid_input', 'The password is empty');
  if ([...password].length < MIN_PASSWORD)
    throw new AppError('invalid_input', 'The password is too short', {
      hint: `Anybody who can reach the server can try passwords: use ${MIN_PASSWORD} characters or more.`,
    });
  if (truncates(password))
    throw new AppError('invalid_input', 'The password is too long', {
      hint: 'bcrypt takes 72 bytes at most; what comes after would not count.',
    });
  return hash(password, DEFAULT_COST);
}

export function assertUserName(name: string): void {
  if (!NAME.test(name)) throw problem('A user name cannot be used', undefined, NAME_HINT);
}

/** Errors never quote a hash. */
export function assertUser(name: string, hashed: string): void {
  assertUserName(name);
  const cost = HASH.exec(hashed)?.[1];
  if (cost === undefined) throw problem('The password hash of a user is not a bcrypt hash', name, HASH_HINT);
  if (Number(cost) < 4 || Number(cost) > MAX_COST)
    throw problem(
      'The password hash of a user has a cost that cannot be used',
      name,
      `Use 10 to ${MAX_COST}.`,
    );
}

function problem(title: string, subject: string | undefined, hint: string): AppError {
  return new AppError('invalid_input', title, { subject, hint });
}

/**
 * Verifies a password in constant time over all names: an unknown name is compared with a dummy hash, and cheaper
 * hashes are topped up to the cost of the dearest.
 */
export function createPasswordCheck(
  users: HashedUsers,
  compareWith: ComparePassword = compare as ComparePassword,
): (name: string, password: string) => Promise<boolean> {
  return async (name, password) => {
    const [known, dearest] = await Promise.all([users.hashOf(name), users.cost()]);
    const cost = known === undefined ? dearest : getRounds(known);
    const matches = await compareWith(password, known ?? dummyHash(dearest));
    // The work doubles with each cost step, so c, c, c+1, … up to dearest-1 add up to the work of the dearest.
    for (let step = cost; step < dearest; step++) await compareWith(password, dummyHash(step));
    return matches && known !== undefined && !truncates(password);
  };
}

function dummyHash(cost: number): string {
  return `$2b$${String(cost).padStart(2, '0')}$${'.'.repeat(53)}`;
}

/** Messages to and from the worker. */
export interface Comparison {
  readonly id: number;
  readonly password: string;
  readonly hash: string;
}
export type ComparisonOutcome =
  | { readonly id: number; readonly matches: boolean }
  | { readonly id: number; readonly problem: string };

interface PasswordJob {
  readonly resolve: (matches: boolean) => void;
  readonly reject: (error: AppError) => void;
}

/**
 * Compares passwords in a worker, started on first use; `file` is its bundle. Callers bound the queue. When the worker
 * exits, its pending comparisons fail and the next one starts a new worker.
 */
export function openPasswordWorker(file: string) {
  let running: { readonly thread: Worker; readonly waiting: Map<number, PasswordJob> } | undefined;
  let lastId = 0;

  const start = () => {
    const thread = new Worker(file, { execArgv: [], env: {} });
    const waiting = new Map<number, PasswordJob>();
    const started = { thread, waiting };
    const end = (problem: string) => {
      if (running === started) running = undefined;
      for (const { reject } of waiting.values()) reject(failed(problem));
      waiting.clear();
    };
    thread.on('message', (outcome: ComparisonOutcome) => {
      const asked = waiting.get(outcome.id);
      waiting.delete(outcome.id);
      if ('matches' in outcome) asked?.resolve(outcome.matches);
      else asked?.reject(failed(outcome.problem));
    });
    thread.on('error', (error) => end(error.message));
    thread.on('exit', () => end('its thread has ended'));
    // The worker must not keep the process alive; a pending login has an open connection that does.
    thread.unref();
    return started;
  };

  return {
    compare: (password: string, hash: string) =>
      new Promise<boolean>((resolve, reject) => {
        running ??= start();
        const id = ++lastId;
        running.waiting.set(id, { resolve, reject });
        running.thread.postMessage({ id, password, hash } satisfies Comparison);
      }),
    close: async () => void (await running?.thread.terminate()),
  };
}

function failed(problem: string): AppError {
  return new AppError('internal', 'A password could not be checked', {
    subject: problem,
    hint: 'Try again; the log of the server has the details.',
  });
}

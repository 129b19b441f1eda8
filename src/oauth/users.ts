/**
 * The people who may log in. Those of the configuration are changed there alone; others are kept in the state and change
 * while the server runs. A record has a mark that is part of every grant and session of its person, so that disabling a
 * person or changing a password ends them all at once, and for good.
 */
import { getRounds } from 'bcryptjs';
import { KeyedMutex } from '../shared/async/keyed-mutex.ts';
import { AppError } from '../shared/errors.ts';
import { ROLES, type Role } from '../shared/principal.ts';
import type { OAuthContext } from './context.ts';
import { assertUser, DEFAULT_COST, type Users } from './passwords.ts';
import { newId } from './tickets.ts';

/** Where an account is kept: in the configuration, or here. */
export type AccountSource = 'configuration' | 'state';

export interface Account {
  readonly name: string;
  readonly source: AccountSource;
  readonly role: Role;
  readonly isDisabled: boolean;
  /** The bcrypt hash of the password. */
  readonly hash: string;
  /** Changes with everything that ends the person's grants and sessions. */
  readonly mark: string;
  /** Milliseconds since 1970; of accounts in the state. */
  readonly addedAt?: number;
}

/** An account as stored. */
interface StoredUser extends Pick<Account, 'role' | 'hash' | 'mark'> {
  readonly isDisabled?: boolean;
  readonly addedAt: number;
}

export interface DirectoryOptions {
  /** Those of the configuration. */
  readonly users?: Users;
  /** Roles of users of the configuration. Default: writer. */
  readonly roles?: ReadonlyMap<string, Role>;
}

/** Begins the keys of users in the state. */
export const USER_KEYS = 'user:';
const PREFIX = USER_KEYS;
/** The highest cost of a stored hash, for the time that a login takes; see `createPasswordCheck`. */
const COST_KEY = 'user-cost';

export type Directory = ReturnType<typeof createDirectory>;

export function createDirectory(
  { state, now, security }: Pick<OAuthContext, 'state' | 'now' | 'security'>,
  { users = new Map(), roles }: DirectoryOptions,
) {
  const oneByOne = new KeyedMutex();
  for (const [name, hash] of users) assertUser(name, hash);
  const ownCost = Math.max(0, ...[...users.values()].map(getRounds));

  const configured = (name: string): Account | undefined => {
    const hash = users.get(name);
    if (hash === undefined) return undefined;
    const role = roles?.get(name) ?? 'writer';
    return { name, source: 'configuration', role, isDisabled: false, hash, mark: hash };
  };
  const stored = async (name: string): Promise<Account | undefined> => {
    const found = await state.get<StoredUser>(PREFIX + name);
    return found && { isDisabled: false, ...found, name, source: 'state' };
  };
  const find = async (name: string) => configured(name) ?? stored(name);

  const put = async (name: string, user: StoredUser) => {
    const cost = getRounds(user.hash);
    if (cost > ((await state.get<number>(COST_KEY)) ?? 0)) await state.put(COST_KEY, cost);
    await state.put(PREFIX + name, user);
  };
  const change = (name: string, changed: (user: StoredUser) => StoredUser) =>
    oneByOne.run(name, async () => {
      if (users.has(name)) throw ofConfiguration(name);
      const user = await state.get<StoredUser>(PREFIX + name);
      if (!user) throw unknownUser(name);
      await put(name, changed(user));
    });

  return {
    find,
    /** Whether nobody could log in. */
    isEmpty: async () => users.size === 0 && (await state.list(PREFIX)).length === 0,
    /** By name, those of the configuration first. */
    async list(): Promise<Account[]> {
      const names = (await state.list(PREFIX)).map((key) => key.slice(PREFIX.length));
      const others = await Promise.all(names.filter((name) => !users.has(name)).map(stored));
      return [...[...users.keys()].map(configured), ...others].filter((account) => account !== undefined);
    },
    /** The cost of the dearest comparison, which every login takes. */
    cost: async () => Math.max(ownCost, (await state.get<number>(COST_KEY)) ?? 0) || DEFAULT_COST,
    add: ({ name, hash, role }: Pick<Account, 'name' | 'hash' | 'role'>, by: string) =>
      oneByOne.run(name, async () => {
        assertUser(name, hash);
        if (await find(name))
          throw new AppError('already_exists', 'There is a user of this name', {
            subject: name,
            hint: 'Choose another name, or give that user another password: quire users reset.',
          });
        await put(name, { hash, role, mark: newId(), addedAt: now() });
        security('user added', { user: name, role, by });
      }),
    /** All grants and sessions of the person end, and do not come back when the account does. */
    async disable(name: string, by: string): Promise<void> {
      await change(name, (user) => ({ ...user, isDisabled: true, mark: newId() }));
      security('user disabled', { user: name, by });
    },
    async enable(name: string, by: string): Promise<void> {
      await change(name, ({ isDisabled: _, ...user }) => user);
      security('user enabled', { user: name, by });
    },
    async setPassword(name: string, hash: string, by: string): Promise<void> {
      assertUser(name, hash);
      await change(name, (user) => ({ ...user, hash, mark: newId() }));
      security('password changed', { user: name, by });
    },
    /** Counts at once, also for apps that are connected. */
    async setRole(name: string, role: Role, by: string): Promise<void> {
      await change(name, (user) => ({ ...user, role }));
      security('role changed', { user: name, role, by });
    },
  };
}

/** What an operator asks for, from a terminal or in the console. */
export type UserRequest =
  | { readonly action: 'list' }
  | { readonly action: 'add'; readonly name: string; readonly hash: string; readonly role: Role }
  | { readonly action: 'disable' | 'enable'; readonly name: string }
  | { readonly action: 'reset'; readonly name: string; readonly hash: string }
  | { readonly action: 'role'; readonly name: string; readonly role: Role };

/** Without what a password is checked with. */
export type ListedUser = Omit<Account, 'hash' | 'mark'>;

/** The users as they are then. */
export async function carryOut(
  directory: Directory,
  request: UserRequest,
  by: string,
): Promise<readonly ListedUser[]> {
  switch (request.action) {
    case 'list':
      break;
    case 'add':
      await directory.add(request, by);
      break;
    case 'disable':
    case 'enable':
      await directory[request.action](request.name, by);
      break;
    case 'reset':
      await directory.setPassword(request.name, request.hash, by);
      break;
    case 'role':
      await directory.setRole(request.name, request.role, by);
      break;
  }
  return (await directory.list()).map(({ hash: _, mark: __, ...listed }) => listed);
}

export function roleIn(text: unknown): Role {
  const role = ROLES.find((known) => known === text);
  if (role !== undefined) return role;
  throw new AppError('invalid_input', 'There is no such role', {
    subject: String(text).slice(0, 100),
    hint: `Choose ${ROLES.slice(0, -1).join(', ')} or ${ROLES.at(-1)}.`,
  });
}

function ofConfiguration(name: string): AppError {
  return new AppError('read_only', 'This user is in the configuration', {
    subject: name,
    hint: 'Change it there (auth.users, auth.roles) and start the server again. Nothing was changed.',
  });
}

function unknownUser(name: string): AppError {
  return new AppError('not_found', 'There is no such user', {
    subject: name.slice(0, 100),
    hint: 'quire users list shows those that there are.',
  });
}

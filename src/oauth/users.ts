/**
 * The people who may log in. Those of the configuration are changed there alone; others are kept in the state and change
 * while the server runs. A record has a mark that is part of every grant and session of its person, so that disabling a
 * person or changing a password ends them all at once, and for good.
 */
import { getRounds } from 'bcryptjs';
import { AppError } from '../shared/errors.ts';
import { ROLES, type Role } from '../shared/principal.ts';
import { changeValue, sharedValue } from '../state/change-value.ts';
import type { StateRead } from '../state/memory.ts';
import type { OAuthContext } from './context.ts';
import { FACTOR_KEYS } from './factors/factors.ts';
import { assertUser, DEFAULT_COST, type Users } from './passwords.ts';
import { hashOf, newId } from './tickets.ts';

/** Where an account comes from: the configuration, the state, or an identity provider. */
export type AccountSource = 'configuration' | 'state' | 'provider';

export interface Account {
  readonly name: string;
  readonly source: AccountSource;
  readonly role: Role;
  readonly isDisabled: boolean;
  /** The bcrypt hash of the password; undefined where there is none. */
  readonly hash?: string;
  /** Changes with everything that ends the person's grants and sessions. */
  readonly mark: string;
  /** Milliseconds since 1970; of accounts in the state. */
  readonly addedAt?: number;
  /** Has to sign in at the provider again before anything of theirs counts. */
  readonly isOver?: true;
}

/** A person whom an identity provider vouches for. */
export interface RecognizedPerson {
  readonly issuer: string;
  /** Stable and unique there. */
  readonly subject: string;
  readonly label: string;
  readonly role: Role;
}

/** An account as stored. */
interface StoredUser extends Pick<Account, 'role' | 'hash' | 'mark'> {
  readonly isDisabled?: boolean;
  readonly addedAt: number;
  /** When the identity provider last vouched for the person. */
  readonly seenAt?: number;
  /** Its issuer; absent in records of older versions. */
  readonly issuer?: string;
}

export interface DirectoryOptions {
  /** The users of the configuration. */
  readonly users?: Users;
  /** Roles of users of the configuration. Default: writer. */
  readonly roles?: ReadonlyMap<string, Role>;
  /** Issuer of the identity provider whose word counts. */
  readonly provider?: string;
  /** How long it counts. */
  readonly providerDays?: number;
}

/** Begins the keys of users in the state. */
export const USER_KEYS = 'user:';
const PREFIX = USER_KEYS;
/** Begins the keys under which the names of people of a provider are. */
const PROVIDER_KEYS = 'oidc-account:';
/** Characters of a hash in the name of such a person. */
const [SHORT_ID, LONG_ID] = [8, 32];
const DAY_MS = 24 * 60 * 60_000;
/** Longer ago than a provider's word can count. */
const NEVER = Number.MIN_SAFE_INTEGER;
/** The highest cost of a stored hash, for the time that a login takes; see `createPasswordCheck`. */
const COST_KEY = 'user-cost';

export type Directory = ReturnType<typeof createDirectory>;

export function createDirectory(
  { state, now, security }: Pick<OAuthContext, 'state' | 'now' | 'security'>,
  { users: given = new Map(), roles: givenRoles, provider, providerDays = 30 }: DirectoryOptions,
) {
  for (const [name, hash] of given) assertUser(name, hash);
  const users = composed(given);
  const roles = givenRoles && composed(givenRoles);
  const ownCost = Math.max(0, ...[...users.values()].map(getRounds));

  const configured = (name: string): Account | undefined => {
    const hash = users.get(name);
    if (hash === undefined) return undefined;
    const role = roles?.get(name) ?? 'writer';
    return { name, source: 'configuration', role, isDisabled: false, hash, mark: hash };
  };
  const accountOf = (name: string, { seenAt, issuer = provider, ...user }: StoredUser): Account => {
    if (seenAt === undefined) return { isDisabled: false, ...user, name, source: 'state' };
    const isVouchedFor = provider !== undefined && issuer === provider;
    const isOver = !isVouchedFor || now() - seenAt > providerDays * DAY_MS || undefined;
    return { isDisabled: false, ...user, name, source: 'provider', ...(isOver && { isOver }) };
  };
  const stored = async (name: string, read: StateRead = 'get') => {
    const user = await state[read]<StoredUser>(PREFIX + name);
    return user && accountOf(name, user);
  };
  const find = async (name: string, read?: StateRead) => configured(name) ?? stored(name, read);

  const countCost = (hash: string) =>
    changeValue<number, void>(state, COST_KEY, (before = 0) => {
      const cost = getRounds(hash);
      return { ...(cost > before && { put: { value: cost } }), result: undefined };
    });
  const change = async (name: string, changed: (user: StoredUser) => StoredUser): Promise<void> => {
    if (users.has(name)) throw ofConfiguration(name);
    await changeValue<StoredUser, void>(state, PREFIX + name, (user) => {
      if (!user) throw unknownUser(name);
      return { put: { value: changed(user) }, result: undefined };
    });
  };

  return {
    find,
    /** Whether nobody could log in. */
    isEmpty: async () => users.size === 0 && (await state.list(PREFIX)).length === 0,
    /** By name, those of the configuration first. */
    async list(): Promise<Account[]> {
      const names = (await state.list(PREFIX)).map((key) => key.slice(PREFIX.length));
      const others = await Promise.all(names.filter((name) => !users.has(name)).map((name) => stored(name)));
      return [...[...users.keys()].map(configured), ...others].filter((account) => account !== undefined);
    },
    /** The cost of the dearest comparison, which every login takes. */
    cost: async () => Math.max(ownCost, (await state.get<number>(COST_KEY)) ?? 0) || DEFAULT_COST,
    /** The provider gives the person no role any more. Resolves to the name of the account, if there is one. */
    async dismiss({
      issuer,
      subject,
    }: Pick<RecognizedPerson, 'issuer' | 'subject'>): Promise<string | undefined> {
      const name = await state.get<string>(PROVIDER_KEYS + personId(issuer, subject));
      if (name !== undefined) await change(name, (user) => ({ ...user, seenAt: NEVER }));
      return name;
    },
    /** The account of a person, made at their first login. Its name is readable, and no one else's. */
    async recognize({ issuer, subject, label, role }: RecognizedPerson): Promise<Account> {
      const id = personId(issuer, subject);
      const nameWith = (characters: number) => `oidc:${plainName(label)}-${id.slice(0, characters)}`;
      // Who chooses a subject and a label can hit a short hash: a name that is taken is given to nobody else.
      const made = async () => nameWith((await stored(nameWith(SHORT_ID))) ? LONG_ID : SHORT_ID);
      const name = await sharedValue(state, PROVIDER_KEYS + id, made);
      return changeValue<StoredUser, Account>(state, PREFIX + name, (before) => {
        const value = { mark: newId(), addedAt: now(), ...before, role, issuer, seenAt: now() };
        return { put: { value }, result: accountOf(name, value) };
      });
    },
    async add(
      { name, hash, role }: Required<Pick<Account, 'name' | 'hash' | 'role'>>,
      by: string,
    ): Promise<void> {
      assertUser(name, hash);
      if (users.has(name)) throw nameTaken(name);
      await changeValue<StoredUser, void>(state, PREFIX + name, (before) => {
        if (before) throw nameTaken(name);
        return { put: { value: { hash, role, mark: newId(), addedAt: now() } }, result: undefined };
      });
      await countCost(hash);
      security('user added', { user: name, role, by });
    },
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
      await change(name, (user) => {
        if (user.seenAt !== undefined) throw ofProvider(name);
        return { ...user, hash, mark: newId() };
      });
      await countCost(hash);
      security('password changed', { user: name, by });
    },
    /** For a person who has lost them, also one of the configuration. */
    async removeFactors(name: string, by: string): Promise<void> {
      if (!(await find(name))) throw unknownUser(name);
      await state.delete(FACTOR_KEYS + name);
      security('second factor removed', { user: name, kind: 'all', by });
    },
    /** Counts at once, also for apps that are connected. */
    async setRole(name: string, role: Role, by: string): Promise<void> {
      await change(name, (user) => {
        if (user.seenAt !== undefined) throw ofProvider(name);
        return { ...user, role };
      });
      security('role changed', { user: name, role, by });
    },
  };
}

function personId(issuer: string, subject: string): string {
  return hashOf(JSON.stringify([issuer, subject]));
}

/** What an operator asks for, from a terminal or in the console. */
export type UserRequest =
  | { readonly action: 'list' }
  | { readonly action: 'add'; readonly name: string; readonly hash: string; readonly role: Role }
  | { readonly action: 'disable' | 'enable' | 'factors'; readonly name: string }
  | { readonly action: 'reset'; readonly name: string; readonly hash: string }
  | { readonly action: 'role'; readonly name: string; readonly role: Role };

/** Without what a password is checked with. */
export type ListedUser = Omit<Account, 'hash' | 'mark'>;

/** The users as they are then. */
export async function carryOut(
  directory: Directory,
  asked: UserRequest,
  by: string,
): Promise<readonly ListedUser[]> {
  const request = 'name' in asked ? { ...asked, name: composedName(asked.name) } : asked;
  switch (request.action) {
    case 'list':
      break;
    case 'add':
      await directory.add(request, by);
      break;
    case 'factors':
      await directory.removeFactors(request.name, by);
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

function nameTaken(name: string): AppError {
  return new AppError('already_exists', 'There is a user of this name', {
    subject: name,
    hint: 'Choose another name. quire users reset gives that user another password.',
  });
}

function ofProvider(name: string): AppError {
  return new AppError('read_only', 'This person signs in with an identity provider', {
    subject: name,
    hint: 'Passwords and groups are changed there; disabling works here. Nothing was changed.',
  });
}

/** In the form that keyboards type, so that two names that look alike are one. */
export function composedName(name: string): string {
  return name.normalize('NFC');
}

function composed<Value>(byName: ReadonlyMap<string, Value>): ReadonlyMap<string, Value> {
  return new Map([...byName].map(([name, value]) => [composedName(name), value]));
}

/** Without what separates the parts of a name; whole characters of any script. */
function plainName(label: string): string {
  const plain = label
    .normalize('NFC')
    .trim()
    .replace(/[^\p{L}\p{M}\p{N}._@-]+/gu, '-')
    .replace(/^\p{M}+/u, '');
  return [...plain].slice(0, 40).join('') || 'person';
}

function unknownUser(name: string): AppError {
  return new AppError('not_found', 'There is no such user', {
    subject: name.slice(0, 100),
    hint: 'quire users list shows those that there are.',
  });
}

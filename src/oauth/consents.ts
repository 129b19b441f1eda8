/** What a person has allowed a client before, for the place its answers go to. */
import { SCOPES, type Scope } from '../shared/principal.ts';
import type { StateStore } from '../state/memory.ts';
import type { Subjects } from './grants.ts';
import { hashOf, isSame, newSecret } from './tickets.ts';

interface ConsentFacts {
  readonly user: string;
  readonly clientId: string;
  /** Where answers go: another place is another question. */
  readonly destination: string;
  readonly scopes: readonly Scope[];
}

export interface Consents {
  covers(facts: ConsentFacts): Promise<boolean>;
  remember(facts: ConsentFacts): Promise<void>;
  forget(facts: Omit<ConsentFacts, 'scopes'>): Promise<void>;
}

const REMEMBERED_SECONDS = 365 * 24 * 60 * 60;

export function createConsents(state: StateStore): Consents {
  const keyOf = ({ user, clientId, destination }: Omit<ConsentFacts, 'scopes'>) =>
    `consent:${hashOf(JSON.stringify([user, clientId, destination]))}`;
  const allowed = async (facts: ConsentFacts) => (await state.get<ConsentFacts>(keyOf(facts)))?.scopes ?? [];
  return {
    async covers(facts) {
      const before = await allowed(facts);
      return facts.scopes.every((scope) => before.includes(scope));
    },
    async remember(facts) {
      const before = await allowed(facts);
      const scopes = SCOPES.filter((scope) => facts.scopes.includes(scope) || before.includes(scope));
      await state.put(keyOf(facts), { ...facts, scopes }, REMEMBERED_SECONDS);
    },
    forget: (facts) => state.delete(keyOf(facts)),
  };
}

/**
 * A login that is remembered for a few minutes, so that asking for more access does not ask for the password
 * again. Bound to the browser, given a new name at each use, and never enough by itself: whoever comes in on it
 * is still asked whether to allow the client.
 */

export interface Session {
  readonly id: string;
  readonly user: string;
  readonly secondsLeft: number;
}

export interface Sessions {
  begin(user: string, browser: string): Promise<Session>;
  /** Who is signed in, without changing anything. */
  userOf(id: string, browser: string): Promise<string | undefined>;
  /** The same login under a new id; the one given is over. */
  renew(id: string, browser: string): Promise<Session | undefined>;
  end(id: string): Promise<void>;
}

interface StoredConsent {
  readonly user: string;
  readonly mark: string;
  readonly browser: string;
  /** Milliseconds since 1970. */
  readonly until: number;
}

const LIFE_SECONDS = 15 * 60;

export function createSessions(state: StateStore, subjects: Subjects, now: () => number): Sessions {
  const keyOf = (id: string) => `session:${hashOf(id)}`;
  const keep = async (stored: StoredConsent): Promise<Session> => {
    const id = newSecret();
    const secondsLeft = Math.ceil((stored.until - now()) / 1000);
    await state.put(keyOf(id), stored, secondsLeft);
    return { id, user: stored.user, secondsLeft };
  };
  const subjectOf = (name: string) => ({ kind: 'user' as const, name });
  const isGood = ({ user, mark, browser: owner }: StoredConsent, browser: string) =>
    subjects.hasMark(subjectOf(user), mark) && isSame(owner, hashOf(browser));

  return {
    async begin(user, browser) {
      const until = now() + LIFE_SECONDS * 1000;
      const mark = subjects.markOf(subjectOf(user)) ?? '';
      return keep({ user, mark, browser: hashOf(browser), until });
    },
    async userOf(id, browser) {
      const stored = await state.get<StoredConsent>(keyOf(id));
      return stored && isGood(stored, browser) ? stored.user : undefined;
    },
    async renew(id, browser) {
      const stored = await state.take<StoredConsent>(keyOf(id));
      return stored && isGood(stored, browser) ? keep(stored) : undefined;
    },
    end: (id) => state.delete(keyOf(id)),
  };
}

/** The cookies of the login pages. Scripts cannot read them, other sites cannot send them along with a form. */
export interface Cookies {
  /** Tells one browser from another; proves nothing else. */
  readonly browser: Cookie;
  /** A login of a few minutes ago. */
  readonly session: Cookie;
  /** That somebody has come in with this browser before. Opens nothing: the password is asked for all the same. */
  readonly device: Cookie;
}

interface Cookie {
  read(request: Request): string | undefined;
  /** The header that sets it. */
  set(value: string, seconds: number): string;
  clear(): string;
}

export const BROWSER_SECONDS = 60 * 60;

const VALUE = /^[0-9a-f]{64}$/;

export function createCookies(isSecure: boolean): Cookies {
  return {
    browser: createCookie('quire-browser', isSecure),
    session: createCookie('quire-session', isSecure),
    device: createCookie('quire-device', isSecure),
  };
}

function createCookie(plainName: string, isSecure: boolean): Cookie {
  // With this prefix no other host, and nobody on the way, can plant one.
  const name = isSecure ? `__Host-${plainName}` : plainName;
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  return {
    read(request) {
      const values = (request.headers.get('cookie') ?? '')
        .split(';')
        .map((pair) => pair.trim())
        .filter((pair) => pair.startsWith(`${name}=`))
        .map((pair) => pair.slice(name.length + 1));
      // Two of one name: one of them is not ours, and there is no telling which.
      const [value] = values;
      return values.length === 1 && value !== undefined && VALUE.test(value) ? value : undefined;
    },
    set: (value, seconds) => `${name}=${value}; Max-Age=${seconds}; ${attributes}`,
    clear: () => `${name}=; Max-Age=0; ${attributes}`,
  };
}

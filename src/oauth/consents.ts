/**
 * Stored consents, login sessions and cookies. A consent is bound to the user, the client and the destination of its
 * answers.
 */
import { covers, mostAccessOf, type Scope, scopesIn } from '../shared/principal.ts';
import type { OAuthContext } from './context.ts';
import type { Subjects } from './grants.ts';
import { hashOf, isSame, newSecret } from './tickets.ts';

interface ConsentFacts {
  readonly user: string;
  readonly clientId: string;
  /** Where answers go; another destination needs another consent. */
  readonly destination: string;
  readonly scopes: readonly Scope[];
}

/** A consent as stored. */
interface Consent extends ConsentFacts {
  /** Whether the person allowed less than was asked for. */
  readonly isLess?: boolean;
}

const REMEMBERED_SECONDS = 365 * 24 * 60 * 60;

export type Consents = ReturnType<typeof createConsents>;

export function createConsents({ state }: OAuthContext) {
  const keyOf = ({ user, clientId, destination }: Omit<ConsentFacts, 'scopes'>) =>
    `consent:${hashOf(JSON.stringify([user, clientId, destination]))}`;
  const find = (facts: Omit<ConsentFacts, 'scopes'>) => state.get<Consent>(keyOf(facts));
  return {
    async covers(facts: ConsentFacts): Promise<boolean> {
      const before = (await find(facts))?.scopes ?? [];
      return facts.scopes.every((scope) => covers(before, scope));
    },
    /** What the person chose although more was asked for. */
    async chosenLess(facts: Omit<ConsentFacts, 'scopes'>): Promise<readonly Scope[] | undefined> {
      const before = await find(facts);
      return before?.isLess ? before.scopes : undefined;
    },
    /** Adds to what was allowed before, unless the person has just allowed less than was asked for. */
    async remember(facts: ConsentFacts, isLess = false): Promise<void> {
      const before = isLess ? undefined : await find(facts);
      const given = [...facts.scopes, ...(before?.scopes ?? [])];
      const consent: Consent = {
        ...facts,
        scopes: scopesIn(given),
        isLess: isLess || (before?.isLess === true && mostAccessOf(before.scopes) === mostAccessOf(given)),
      };
      await state.put(keyOf(facts), consent, REMEMBERED_SECONDS);
    },
    forget: (facts: Omit<ConsentFacts, 'scopes'>) => state.delete(keyOf(facts)),
  };
}

/**
 * A login remembered for a few minutes, so that a request for more scopes does not need the password again. Bound to
 * the browser, renewed under a new id at each use, and never sufficient alone: the consent page is still shown.
 */
export interface Session {
  readonly id: string;
  readonly user: string;
  readonly secondsLeft: number;
}

interface StoredSession {
  readonly user: string;
  readonly mark: string;
  readonly browser: string;
  /** Milliseconds since 1970. */
  readonly until: number;
}

interface SessionOptions {
  /** Sessions of different purposes are never exchanged. */
  readonly prefix?: string;
  readonly lifeSeconds?: number;
}

const LIFE_SECONDS = 15 * 60;

export type Sessions = ReturnType<typeof createSessions>;

export function createSessions(
  { state, now }: Pick<OAuthContext, 'state' | 'now'>,
  subjects: Pick<Subjects, 'markOf' | 'hasMark'>,
  { prefix = 'session', lifeSeconds = LIFE_SECONDS }: SessionOptions = {},
) {
  const keyOf = (id: string) => `${prefix}:${hashOf(id)}`;
  const keep = async (stored: StoredSession): Promise<Session> => {
    const id = newSecret();
    const secondsLeft = Math.ceil((stored.until - now()) / 1000);
    await state.put(keyOf(id), stored, secondsLeft);
    return { id, user: stored.user, secondsLeft };
  };
  const subjectOf = (name: string) => ({ kind: 'user' as const, name });
  const isGood = async ({ user, mark, browser: owner }: StoredSession, browser: string) =>
    isSame(owner, hashOf(browser)) && (await subjects.hasMark(subjectOf(user), mark));

  return {
    async begin(user: string, browser: string): Promise<Session> {
      const until = now() + lifeSeconds * 1000;
      const mark = (await subjects.markOf(subjectOf(user))) ?? '';
      return keep({ user, mark, browser: hashOf(browser), until });
    },
    /** The signed-in user, without renewing the session. */
    async userOf(id: string, browser: string): Promise<string | undefined> {
      const stored = await state.get<StoredSession>(keyOf(id));
      return stored && (await isGood(stored, browser)) ? stored.user : undefined;
    },
    /** The session under a new id; the old id ends. */
    async renew(id: string, browser: string): Promise<Session | undefined> {
      const stored = await state.take<StoredSession>(keyOf(id));
      return stored && (await isGood(stored, browser)) ? keep(stored) : undefined;
    },
    end: (id: string) => state.delete(keyOf(id)),
  };
}

export const BROWSER_SECONDS = 60 * 60;

const VALUE = /^[0-9a-f]{64}$/;

export type Cookies = ReturnType<typeof createCookies>;

/** Cookies of the login pages: HttpOnly and SameSite. */
export function createCookies(isSecure: boolean) {
  return {
    /** Identifies the browser; proves nothing else. */
    browser: createCookie('quire-browser', isSecure),
    /** The login session. */
    session: createCookie('quire-session', isSecure),
    /** Marks a browser that has logged in before. Grants nothing: the password is still needed. */
    device: createCookie('quire-device', isSecure),
  };
}

export function createCookie(plainName: string, isSecure: boolean) {
  // With the __Host- prefix neither another host nor an attacker on the network can set the cookie.
  const name = isSecure ? `__Host-${plainName}` : plainName;
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  return {
    read(request: Request): string | undefined {
      const values = (request.headers.get('cookie') ?? '')
        .split(';')
        .map((pair) => pair.trim())
        .filter((pair) => pair.startsWith(`${name}=`))
        .map((pair) => pair.slice(name.length + 1));
      // Of two cookies with one name one is foreign, and which one is unknown.
      const [value] = values;
      return values.length === 1 && value !== undefined && VALUE.test(value) ? value : undefined;
    },
    /** The Set-Cookie header value. */
    set: (value: string, seconds: number) => `${name}=${value}; Max-Age=${seconds}; ${attributes}`,
    clear: () => `${name}=; Max-Age=0; ${attributes}`,
  };
}

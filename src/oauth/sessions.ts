/**
 * A login that is remembered for a few minutes, so that asking for more access does not ask for the password
 * again. Bound to the browser, given a new name at each use, and never enough by itself: whoever comes in on it
 * is still asked whether to allow the client.
 */
import type { StateStore } from '../state/state-store.ts';
import type { Subjects } from './grant.ts';
import { hashOf, isSame, newSecret } from './secrets.ts';

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

interface Stored {
  readonly user: string;
  readonly mark: string;
  readonly browser: string;
  /** Milliseconds since 1970. */
  readonly until: number;
}

const LIFE_SECONDS = 15 * 60;

export function createSessions(state: StateStore, subjects: Subjects, now: () => number): Sessions {
  const keyOf = (id: string) => `session:${hashOf(id)}`;
  const keep = async (stored: Stored): Promise<Session> => {
    const id = newSecret();
    const secondsLeft = Math.ceil((stored.until - now()) / 1000);
    await state.put(keyOf(id), stored, secondsLeft);
    return { id, user: stored.user, secondsLeft };
  };
  const subjectOf = (name: string) => ({ kind: 'user' as const, name });
  const isGood = ({ user, mark, browser: owner }: Stored, browser: string) =>
    subjects.hasMark(subjectOf(user), mark) && isSame(owner, hashOf(browser));

  return {
    async begin(user, browser) {
      const until = now() + LIFE_SECONDS * 1000;
      const mark = subjects.markOf(subjectOf(user)) ?? '';
      return keep({ user, mark, browser: hashOf(browser), until });
    },
    async userOf(id, browser) {
      const stored = await state.get<Stored>(keyOf(id));
      return stored && isGood(stored, browser) ? stored.user : undefined;
    },
    async renew(id, browser) {
      const stored = await state.take<Stored>(keyOf(id));
      return stored && isGood(stored, browser) ? keep(stored) : undefined;
    },
    end: (id) => state.delete(keyOf(id)),
  };
}

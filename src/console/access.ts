/**
 * Who may see the console: a session in a cookie, begun with a login or with a one-time key. The value that protects the
 * forms is derived from the session, so that nothing is stored for a page that is only looked at.
 */
import { type Cookies, createCookie, type Sessions } from '../oauth/consents.ts';
import { derivedSecret, isSame } from '../oauth/tickets.ts';
import type { Viewer } from './page.ts';

export const SESSION_SECONDS = 12 * 60 * 60;

export interface ConsoleSession {
  readonly id: string;
  readonly viewer: Viewer;
  readonly csrf: string;
}

interface AccessParts {
  readonly sessions: Sessions;
  readonly standingOf: (user: string) => Promise<Omit<Viewer, 'user'>>;
  readonly isSecure: boolean;
  /** Cookies are shared by all ports of a host: each server has a cookie of its own. */
  readonly port: string;
}

export type ConsoleAccess = ReturnType<typeof createAccess>;

export function createAccess({ sessions, standingOf, isSecure, port }: AccessParts) {
  const cookie: Cookies['session'] = createCookie(`quire-console${port === '' ? '' : `-${port}`}`, isSecure);
  return {
    async begin(user: string): Promise<string> {
      const { id, secondsLeft } = await sessions.begin(user, '');
      return cookie.set(id, secondsLeft);
    },
    async sessionOf(request: Request): Promise<ConsoleSession | undefined> {
      const id = cookie.read(request);
      const user = id === undefined ? undefined : await sessions.userOf(id, '');
      if (id === undefined || user === undefined) return undefined;
      return { id, viewer: { user, ...(await standingOf(user)) }, csrf: derivedSecret(id, 'csrf') };
    },
    async end({ id }: Pick<ConsoleSession, 'id'>): Promise<string> {
      await sessions.end(id);
      return cookie.clear();
    },
  };
}

/**
 * Whether a form comes from a page of this server, in the session it was made for. Other ports of the same machine are
 * other sites, though their pages are sent with the same cookies.
 */
export function isOwnForm(request: Request, session: ConsoleSession, fields: URLSearchParams): boolean {
  return isFromHere(request) && isSame(fields.get('csrf') ?? '', session.csrf);
}

export function isFromHere({ headers, url }: Request): boolean {
  const site = headers.get('sec-fetch-site');
  if (site !== null && site !== 'same-origin' && site !== 'none') return false;
  const origin = headers.get('origin');
  if (origin === null) return true;
  return [new URL(url).origin, `http://${headers.get('host')}`].includes(origin);
}

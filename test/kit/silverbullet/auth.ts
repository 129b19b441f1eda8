/** Authentication, and the login page's answers. */
import { type Answer, appShell, failure, json, plain } from './dialect.ts';
import type { FakeRequest, Space } from './space.ts';

const JWT = 'aaaa.bbbb.cccc';
const WEEK_S = 604_800;

/** The answer to a request that is not authenticated. */
export function refusal(space: Space, { headers }: FakeRequest): Answer | undefined {
  if (!space.user) return undefined;
  const bearer = headers.authorization;
  const cookie = cookieOf(headers.cookie, cookieName(headers.host));
  if (space.dialect === 'go') {
    if (cookie !== undefined) return cookie === JWT ? undefined : unauthorized(space);
    if (bearer?.startsWith('Bearer '))
      return bearer === `Bearer ${space.token}` ? undefined : failure('go', 401, 'Unauthorized');
    return unauthorized(space);
  }
  return bearer === `Bearer ${space.token}` || cookie === JWT ? undefined : unauthorized(space);
}

function unauthorized({ dialect, prefix }: Space): Answer {
  const location = `${prefix}/.auth`;
  if (dialect === 'go') return { status: 401, headers: { location } };
  return {
    status: 401,
    headers: { 'content-type': 'text/plain; charset=utf-8', location },
    body: 'Unauthorized',
  };
}

export function login({ dialect, user, prefix }: Space, { method, headers, body }: FakeRequest): Answer {
  if (!user)
    return dialect === 'go'
      ? failure('go', 403, 'Authentication not enabled')
      : plain('Authentication not enabled', 403);
  if (method !== 'POST') return appShell(dialect);
  const form = new URLSearchParams(body.toString());
  if (form.get('username') !== user.name || form.get('password') !== user.password) {
    const error = 'Invalid username and/or password';
    return json(dialect, dialect === 'go' ? { error, status: 'error' } : { status: 'error', error });
  }
  const redirect = `${prefix}/`;
  const answer = json(dialect, dialect === 'go' ? { redirect, status: 'ok' } : { status: 'ok', redirect });
  const tail =
    dialect === 'go'
      ? `Path=/; Expires=${new Date(Date.now() + WEEK_S * 1000).toUTCString()}; HttpOnly; SameSite=Lax`
      : `Path=/; SameSite=Lax; Max-Age=${WEEK_S}; HttpOnly`;
  const cookies = [`${cookieName(headers.host)}=${JWT}; ${tail}`, `refreshLogin=true; ${tail}`];
  return { ...answer, headers: { ...answer.headers, 'set-cookie': cookies } };
}

function cookieName(host = ''): string {
  return `auth_${host.replace(/\W/g, '_')}`;
}

function cookieOf(header: string | undefined, name: string): string | undefined {
  const found = header?.split('; ').find((pair) => pair.startsWith(`${name}=`));
  return found?.slice(name.length + 1);
}

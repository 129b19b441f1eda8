/** Who may call a server over HTTP, and by which address. */
import type { AuthConfig, ServeConfig } from '../../config/http-schema.ts';
import { hasUnknownProxy } from '../../http/client-address.ts';
import { assertUser } from '../../oauth/passwords.ts';
import { USER_KEYS } from '../../oauth/users.ts';
import { type CheckResult, resultsFor } from '../../shared/checks.ts';
import { isLoopbackHost } from '../../shared/ip-ranges.ts';
import { peekFileState } from '../../state/file.ts';
import { isLocal, nobody } from '../auth.ts';

type Address = Pick<ServeConfig, 'host' | 'port' | 'publicUrl' | 'trustedProxies'>;

const { ok, warn, failWith } = resultsFor('Login');

export function loginChecks(auth: AuthConfig, at: Address): CheckResult[] {
  return [modeCheck(auth, at), ...userChecks(auth), ...adminChecks(auth), ...addressChecks(auth, at)];
}

function modeCheck({ mode, tokens, users, ownerToken }: AuthConfig, at: Address): CheckResult {
  switch (mode) {
    case 'none':
      return ok(
        'mode',
        isLocal(at)
          ? 'No login is needed, and only this machine can call.'
          : 'No login is asked for (auth.mode none).',
      );
    case 'bearer':
      return ok('mode', `Callers need a token: ${tokens.length} of them.`);
    case 'jwt':
      return ok('mode', 'Callers need a token signed by the key that is given.');
    case 'oauth': {
      const names = Object.keys(users);
      return ok(
        'mode',
        `Callers log in (OAuth): ${ownerToken === undefined ? names.join(', ') || 'the users of the state' : 'the owner'}.`,
      );
    }
  }
}

/** Users may be in the state alone, which a rehearsal does not look at. */
export async function someoneChecks(
  { mode, users, ownerToken, oidc }: AuthConfig,
  stateFolder: string | undefined,
): Promise<CheckResult[]> {
  if (mode !== 'oauth' || ownerToken !== undefined || oidc || Object.keys(users).length > 0) return [];
  // What is wrong with the state itself is found by its own checks.
  const stored =
    stateFolder === undefined ? [] : await peekFileState(stateFolder, USER_KEYS).catch(() => [USER_KEYS]);
  return stored.length > 0 ? [] : [failWith('users', nobody(), '')];
}

/** All of them, where a start stops at the first. */
function userChecks({ mode, users }: AuthConfig): CheckResult[] {
  if (mode !== 'oauth') return [];
  return Object.entries(users).flatMap(([name, hash]) => {
    try {
      assertUser(name, hash);
      return [];
    } catch (error) {
      return failWith('users', error, 'Make a hash with quire hash-password.');
    }
  });
}

function adminChecks({ mode, admins, users, ownerToken }: AuthConfig): CheckResult[] {
  if (mode !== 'oauth' || ownerToken !== undefined) return [];
  const strangers = admins.filter((name) => !Object.hasOwn(users, name));
  if (strangers.length > 0)
    return [
      warn(
        'admins',
        `No such user: ${strangers.join(', ')} (auth.admins).`,
        'Write the name as in auth.users, or add the user.',
      ),
    ];
  return [];
}

function addressChecks(auth: AuthConfig, at: Address): CheckResult[] {
  const { host, port, publicUrl } = at;
  if (publicUrl === undefined)
    return [
      ok(
        'address',
        `${isLocal(at) ? 'Only clients on this machine reach it' : `Clients reach it at ${host}`}, at ${port === 0 ? 'any free port' : `port ${port}`}.`,
      ),
    ];
  const url = new URL(publicUrl);
  if (url.protocol === 'https:')
    return [
      ok(
        'tls',
        `${publicUrl}: TLS is ended by the proxy in front, which passes requests on to http://${host}:${port}.`,
      ),
      hasUnknownProxy(at)
        ? warn(
            'proxies',
            'No proxy is trusted: all callers count as the address of the proxy in front, and share limits by address and slowed logins.',
            'Give --trusted-proxies (serve.trustedProxies) with the address of the proxy, such as loopback or private.',
          )
        : ok('proxies', `Trusted proxies: ${at.trustedProxies.join(', ')}.`),
    ];
  const isHere = isLoopbackHost(url.hostname);
  if (isHere && Number(url.port || 80) !== port && port !== 0)
    return [
      warn(
        'address',
        `The public address is ${publicUrl}, and the server listens at port ${port}.`,
        'Set serve.port and serve.publicUrl to the same port, unless something passes requests on.',
      ),
    ];
  if (isHere || auth.mode === 'none') return [ok('address', `Clients reach it at ${publicUrl}.`)];
  return [
    warn(
      'tls',
      `${publicUrl} has no TLS: tokens and notes cross the network unencrypted.`,
      'Put a reverse proxy with a certificate in front, and give its https address.',
    ),
  ];
}

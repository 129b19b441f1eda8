/** The settings of the login with an OpenID provider: what is refused at the start, and what is opened at the first login. */
import type { AuthConfig } from '../config/http-schema.ts';
import { OIDC_PATHS, type OidcOptions } from '../oauth/oidc/login.ts';
import { AppError } from '../shared/errors.ts';
import { isLoopbackHost } from '../shared/ip-ranges.ts';
import { safeFetch } from '../shared/safe-fetch.ts';

export function assertOidc({ oidc, ownerToken }: AuthConfig): void {
  if (!oidc) return;
  if (ownerToken !== undefined)
    throw refused(
      'An owner token and an identity provider are both given',
      'With a provider there are people, not an owner: leave auth.ownerToken out.',
    );
  if (Object.keys(oidc.roles).length === 0 && oidc.otherRole === undefined)
    throw refused(
      'No one of the identity provider would be let in',
      'Give auth.oidc.roles, with the role of each group, or auth.oidc.otherRole for everybody.',
    );
  const { protocol, hostname } = new URL(oidc.issuer);
  if (protocol !== 'https:' && !(oidc.insecureLoopback && isLoopbackHost(hostname)))
    throw refused('The identity provider needs https', 'Give its https address as auth.oidc.issuer.');
}

function refused(title: string, hint: string): AppError {
  return new AppError('invalid_input', title, { hint });
}

const PROVIDER_BYTES = 512 * 1024;
const PROVIDER_MS = 10_000;

export function oidcOptions(oidc: NonNullable<AuthConfig['oidc']>, origin: string): OidcOptions {
  const { issuer, name = new URL(issuer).host, roles, otherRole, insecureLoopback } = oidc;
  const open = async () => {
    const { createProvider } = await import('../oauth/oidc/provider.ts');
    return createProvider({
      ...oidc,
      redirectUri: `${origin}${OIDC_PATHS.callback}`,
      signedOutUri: `${origin}/account`,
      send: (url, { method, ...request }) =>
        safeFetch(url, {
          ...request,
          method: method === 'POST' ? 'POST' : 'GET',
          allow: 'private',
          schemes: insecureLoopback ? ['http', 'https'] : ['https'],
          maxBytes: PROVIDER_BYTES,
          timeoutMs: PROVIDER_MS,
        }),
    });
  };
  return { issuer, name, roles: new Map(Object.entries(roles)), otherRole, open };
}

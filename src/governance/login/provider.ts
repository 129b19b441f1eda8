/** What the SDK's OAuth flow needs of us: who we are, where tokens are kept, and what a page to visit means. */
import type { OAuthClientProvider, OAuthDiscoveryState } from '@modelcontextprotocol/client';
import type { UpstreamServer } from '../../config/control-plane.ts';
import { type Environment, resolveReferences } from '../../config/references.ts';
import { AppError } from '../../shared/errors.ts';
import type { LoginPlace, LoginStore } from './login-store.ts';

export interface OAuthSettings {
  readonly grant: 'authorization_code' | 'client_credentials';
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly issuer?: string;
  readonly scopes: readonly string[];
  readonly redirectPort?: number;
}

/** Throws for a secret whose variable is not set. */
export function oauthSettingsOf({ name, oauth }: UpstreamServer, environment: Environment): OAuthSettings {
  const { clientSecret = '', ...settings } = oauth ?? { grant: 'authorization_code' as const, scopes: [] };
  const { values, missing } = resolveReferences({ clientSecret }, environment);
  if (missing.length > 0)
    throw new AppError('invalid_input', 'The server needs variables that are not set', {
      subject: `${name}: ${missing.join(', ')}`,
      hint: `Set ${missing.join(', ')} in the environment, or leave it out of oauth.client_secret.`,
    });
  return { ...settings, ...(values.clientSecret && { clientSecret: values.clientSecret }) };
}

export interface ProviderParts {
  readonly place: LoginPlace;
  readonly store: LoginStore;
  readonly settings: OAuthSettings;
  /** Where the authorization server sends people back to. */
  readonly redirectUrl: string;
  readonly state?: string;
  /** Somebody has to visit this. */
  readonly onPage: (page: URL) => void | Promise<void>;
}

export function createProvider(parts: ProviderParts): OAuthClientProvider {
  const { place, store, settings, redirectUrl, state, onPage } = parts;
  const isOwn = settings.grant === 'client_credentials';
  const known = knownClient(settings);
  let verifier = '';
  let discovery: OAuthDiscoveryState | undefined;
  return {
    redirectUrl: isOwn ? undefined : redirectUrl,
    clientMetadata: {
      client_name: 'Quire',
      redirect_uris: isOwn ? [] : [redirectUrl],
      grant_types: isOwn ? ['client_credentials'] : ['authorization_code', 'refresh_token'],
      response_types: isOwn ? [] : ['code'],
      token_endpoint_auth_method: settings.clientSecret === undefined ? 'none' : 'client_secret_basic',
      ...(settings.scopes.length > 0 && { scope: settings.scopes.join(' ') }),
    },
    ...(state !== undefined && { state: () => state }),
    clientInformation: async () => known ?? (await store.of(place))?.client,
    // A client that is configured is for its own authorization server, and is never put in another's place.
    ...(!known && { saveClientInformation: (client) => store.change(place, { client }) }),
    tokens: async () => (await store.of(place))?.tokens,
    saveTokens: (tokens) => store.change(place, { tokens, ...withRevocation(discovery) }),
    redirectToAuthorization: onPage,
    saveCodeVerifier: (saved) => {
      verifier = saved;
    },
    codeVerifier: () => verifier,
    saveDiscoveryState: (found) => {
      discovery = found;
    },
    discoveryState: () => discovery,
    async invalidateCredentials(what) {
      const before = await store.of(place);
      if (!before || what === 'verifier' || what === 'discovery') return;
      const { tokens: _, ...withoutTokens } = before;
      await store.forget(place.name);
      if (what === 'tokens') await store.change(place, withoutTokens);
    },
    ...(isOwn && { prepareTokenRequest: ownTokenRequest }),
  };
}

function knownClient({ clientId, clientSecret, issuer }: OAuthSettings) {
  if (clientId === undefined) return undefined;
  return {
    client_id: clientId,
    ...(clientSecret !== undefined && { client_secret: clientSecret }),
    ...(issuer !== undefined && { issuer }),
  };
}

function ownTokenRequest(scope: string | undefined): URLSearchParams {
  return new URLSearchParams({ grant_type: 'client_credentials', ...(scope && { scope }) });
}

function withRevocation(discovery: OAuthDiscoveryState | undefined): { revocation?: string } {
  const metadata = discovery?.authorizationServerMetadata ?? {};
  const endpoint = 'revocation_endpoint' in metadata ? metadata.revocation_endpoint : undefined;
  return typeof endpoint === 'string' ? { revocation: endpoint } : {};
}

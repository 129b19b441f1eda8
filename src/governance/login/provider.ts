/** The SDK's OAuth client provider: client metadata, token storage, and the page to visit. */
import type {
  FetchLike,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import * as z from 'zod';
import type { ControlPlane, UpstreamServer } from '../../config/control-plane.ts';
import { type Environment, resolveReferences } from '../../config/plane-file.ts';
import { AppError } from '../../shared/errors.ts';
import { guardedFetch } from '../../upstream/guarded-fetch.ts';
import { variablesMissing } from '../refusals.ts';
import { forgetIn, openServerFile, type RecordsByServer, recordFor } from '../server-file.ts';

export interface LoginRecord {
  /** Address that the tokens are for; they are sent to no other, whatever the configuration says later. */
  readonly url: string;
  readonly client?: StoredOAuthClientInformation;
  readonly tokens?: StoredOAuthTokens;
  /** The revocation endpoint. */
  readonly revocation?: string;
  readonly at: number;
}

export interface LoginStore {
  /** Undefined without a login, or when it was for another address. */
  of(server: LoginPlace): Promise<LoginRecord | undefined>;
  change(server: LoginPlace, change: Partial<LoginRecord>): Promise<void>;
  /** Returns the removed record. */
  forget(name: string): Promise<LoginRecord | undefined>;
}

export interface LoginPlace {
  readonly name: string;
  readonly url: string;
}

export const LOGINS_FILE = 'logins.json';
const MAX_STORE_BYTES = 4 * 1024 * 1024;

const record = z.looseObject({
  url: z.string(),
  at: z.number(),
  client: z.looseObject({ client_id: z.string() }).optional(),
  tokens: z.looseObject({ access_token: z.string() }).optional(),
});

export function openLoginStore(folder: string, now: () => number): LoginStore {
  const file = openServerFile<LoginRecord>({ folder }, LOGINS_FILE, { record, maxBytes: MAX_STORE_BYTES });
  return {
    of: async (place) => loginAt(await file.read(), place),
    change: (place, change) =>
      file.update((logins) => {
        const before = loginAt(logins, place) ?? { url: place.url };
        return { value: { ...logins, [place.name]: { ...before, ...change, at: now() } }, result: undefined };
      }),
    forget: (name) => forgetIn(file, name),
  };
}

function loginAt(logins: RecordsByServer<LoginRecord>, { name, url }: LoginPlace): LoginRecord | undefined {
  const found = recordFor(logins, name);
  return found?.url === url ? found : undefined;
}

interface OAuthSettings {
  readonly grant: 'authorization_code' | 'client_credentials';
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly issuer?: string;
  readonly scopes: readonly string[];
  readonly redirectPort?: number;
}

/** Throws for a secret whose variable is not set. */
function oauthSettingsOf({ name, oauth }: UpstreamServer, environment: Environment): OAuthSettings {
  const { clientSecret = '', ...settings } = oauth ?? { grant: 'authorization_code' as const, scopes: [] };
  const { values, missing } = resolveReferences({ clientSecret }, environment);
  if (missing.length > 0) throw variablesMissing(name, missing, 'oauth.client_secret');
  return { ...settings, clientSecret: values.clientSecret || undefined };
}

interface ProviderParts extends Omit<LoginTarget, 'send'> {
  readonly redirectUrl: string;
  readonly state?: string;
  /** Called with the authorization page. */
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
      scope: settings.scopes.length > 0 ? settings.scopes.join(' ') : undefined,
    },
    state: state !== undefined ? () => state : undefined,
    clientInformation: async () => known ?? (await store.of(place))?.client,
    // A configured client belongs to one authorization server, and is never replaced by a registered one.
    saveClientInformation: !known ? (client) => store.change(place, { client }) : undefined,
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
    prepareTokenRequest: isOwn ? ownTokenRequest : undefined,
  };
}

function knownClient({ clientId, clientSecret, issuer }: OAuthSettings) {
  if (clientId === undefined) return undefined;
  return { client_id: clientId, client_secret: clientSecret, issuer };
}

function ownTokenRequest(scope: string | undefined): URLSearchParams {
  return new URLSearchParams({ grant_type: 'client_credentials', ...(scope && { scope }) });
}

function withRevocation(discovery: OAuthDiscoveryState | undefined): { revocation?: string } {
  const metadata = discovery?.authorizationServerMetadata ?? {};
  const endpoint = 'revocation_endpoint' in metadata ? metadata.revocation_endpoint : undefined;
  return typeof endpoint === 'string' ? { revocation: endpoint } : {};
}

export interface LoginTarget {
  readonly place: LoginPlace;
  readonly store: LoginStore;
  readonly settings: OAuthSettings;
  /** Sends without the configured headers, which are not for the authorization server. */
  readonly send: FetchLike;
}

const MAX_BYTES = 1024 * 1024;

/** A target whose settings are a function, because that throws for a variable that is not set. */
export interface LazyLoginTarget extends Omit<LoginTarget, 'settings'> {
  readonly settings: () => OAuthSettings;
}

interface LoginContext {
  readonly config: ControlPlane;
  readonly environment: Environment;
  readonly now: () => number;
}

export function loginTargetsFor({ config, environment, now }: LoginContext) {
  const store = openLoginStore(config.stateDir, now);
  return (server: UpstreamServer): LazyLoginTarget => {
    const { name, url, allowPrivate } = server;
    if (url === undefined || !URL.canParse(url))
      throw new AppError('unsupported', 'Only servers over HTTP have a login', { subject: name });
    const send = guardedFetch({
      serverUrl: new URL(url),
      allowPrivate,
      answerTimeoutMs: config.limits.connectTimeoutMs,
      maxMessageBytes: MAX_BYTES,
    });
    return { place: { name, url }, store, send, settings: () => oauthSettingsOf(server, environment) };
  };
}

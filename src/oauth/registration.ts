/** Dynamic client registration (RFC 7591). Open to all; stored registrations are bounded in number and time. */
import { randomUUID } from 'node:crypto';
import type { Handler } from '../shared/exchange.ts';
import { networksOf } from '../shared/ip-ranges.ts';
import { json, OAuthError } from './answers.ts';
import { type AuthMethod, type ClientMetadata, readClientMetadata } from './client-metadata.ts';
import type { Clients, Registration } from './clients.ts';
import type { OAuthContext } from './context.ts';
import { readJson } from './parameters.ts';
import { createNetworkCounter } from './throttle.ts';
import { hashOf, newSecret } from './tickets.ts';

const MAX_PER_HOUR = { 32: 20, 64: 20, 56: 40, 48: 80 } as const;
const HOUR_MS = 60 * 60_000;
/** Bound on unapproved registrations; beyond it the oldest of the network with most registrations is evicted. */
const MAX_UNAPPROVED = 1_000;

/** `canFetch`: whether `jwks_uri` can be supported. */
export function createRegistration(
  { state, security, now }: OAuthContext,
  clients: Clients,
  canFetch: boolean,
): Handler {
  const recent = createNetworkCounter(MAX_PER_HOUR, HOUR_MS, { state, now, name: 'registration' });

  const makeRoom = async () => {
    const unapproved = await clients.unapproved(MAX_UNAPPROVED);
    const tooMany = unapproved.length - MAX_UNAPPROVED + 1;
    for (const { id } of leastMissed(unapproved).slice(0, Math.max(0, tooMany)))
      await clients.forgetUnapproved(id);
  };

  return async (request, { address }) => {
    const waitMs = await recent(address);
    if (waitMs !== undefined) {
      security('client registration refused', { address, why: 'too many from this address' });
      const seconds = Math.ceil(waitMs / 1000);
      throw new OAuthError('temporarily_unavailable', `Too many registrations: try again in ${seconds} s`, {
        status: 429,
        headers: { 'Retry-After': String(seconds) },
      });
    }
    const metadata = readClientMetadata(await readJson(request));
    if (metadata.keys && 'jwksUri' in metadata.keys && !canFetch)
      throw new OAuthError(
        'invalid_client_metadata',
        'jwks_uri cannot be fetched from here: send jwks instead',
      );
    await makeRoom();
    const secret = metadata.authMethods.some((method) => SHARED.includes(method)) ? newSecret() : undefined;
    const registration = {
      ...metadata,
      // Some clients pick either of the two shared-secret methods, whatever was registered.
      ...(secret !== undefined && { authMethods: SHARED, secretHash: hashOf(secret) }),
      id: randomUUID(),
      registeredAt: now(),
      from: networksOf(address).at(-1)?.network ?? address,
    };
    await clients.register(registration);
    security('client registered', { clientId: registration.id, client: registration.name, address });
    return json(answerTo(metadata, registration.id, secret, now()), { status: 201 });
  };
}

/** Registrations to evict: the oldest of the network that has most, so that a flood evicts its own. */
function leastMissed(oldestLast: readonly Registration[]): Registration[] {
  const counts = new Map<string, number>();
  for (const { from = '' } of oldestLast) counts.set(from, (counts.get(from) ?? 0) + 1);
  const most = Math.max(...counts.values());
  return oldestLast.toReversed().filter(({ from = '' }) => counts.get(from) === most);
}

const SHARED: readonly AuthMethod[] = ['client_secret_post', 'client_secret_basic'];

function answerTo(metadata: ClientMetadata, id: string, secret: string | undefined, now: number): object {
  const { keys } = metadata;
  return {
    client_id: id,
    client_id_issued_at: Math.floor(now / 1000),
    ...(secret !== undefined && { client_secret: secret, client_secret_expires_at: 0 }),
    client_name: metadata.name,
    redirect_uris: metadata.redirectUris,
    grant_types: metadata.grantTypes,
    response_types: ['code'],
    token_endpoint_auth_method: metadata.authMethods[0],
    ...(metadata.bindsTokens && { dpop_bound_access_tokens: true }),
    ...(keys && ('jwks' in keys ? { jwks: keys.jwks } : { jwks_uri: keys.jwksUri })),
  };
}

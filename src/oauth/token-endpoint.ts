/** The token endpoint: exchanges codes, refresh tokens and client secrets for access tokens (RFC 6749 §4 to §6). */
import type { Handler } from '../shared/exchange.ts';
import { covers, type Scope } from '../shared/principal.ts';
import type { AccessTokens, Codes } from './access-tokens.ts';
import { json, OAuthError } from './answers.ts';
import type { AuthenticateClient } from './client-authentication.ts';
import type { Client, GrantType } from './client-metadata.ts';
import type { OAuthContext } from './context.ts';
import { limitScopes } from './cut-scopes.ts';
import type { Dpop } from './dpop.ts';
import type { Grant, Grants, Revocations, Subjects } from './grants.ts';
import { type Parameters, readForm } from './parameters.ts';
import { destinationOf } from './redirect-uri.ts';
import type { RefreshTokens } from './refresh-tokens.ts';
import { narrowScopes, OFFLINE_ACCESS, provesChallenge, type Resource, readScopes } from './scopes.ts';
import { newId } from './tickets.ts';

interface TokenEndpointOptions extends OAuthContext {
  readonly authenticateClient: AuthenticateClient;
  readonly resource: Resource;
  readonly codes: Codes;
  readonly accessTokens: AccessTokens;
  /** Undefined where none are issued. */
  readonly refreshTokens?: RefreshTokens;
  readonly revocations: Revocations;
  readonly grants: Grants;
  readonly subjects: Subjects;
  readonly dpop: Dpop;
}

interface Answer {
  readonly grant: Grant;
  readonly scopes: readonly Scope[];
  /** Whether the client asked for less than the grant. */
  readonly isNarrowed?: true;
  readonly refreshToken?: string;
  readonly offline?: boolean;
}

/** An authenticated request. */
interface TokenRequest {
  readonly client: Client;
  readonly form: Parameters;
  /** Thumbprint of the key that the client has proven to have. */
  readonly jkt: string | undefined;
}

type Exchange = (request: TokenRequest, options: TokenEndpointOptions) => Promise<Answer>;

const EXCHANGES: Readonly<Record<GrantType, Exchange>> = {
  authorization_code: redeemCode,
  refresh_token: refresh,
  client_credentials: grantToClient,
};

export function createTokenEndpoint(options: TokenEndpointOptions): Handler {
  const { accessTokens, resource } = options;
  return async (request, { address }) => {
    const form = await readForm(request);
    const type = form.require('grant_type');
    if (!isGrantType(type))
      throw new OAuthError(
        'unsupported_grant_type',
        `grant_type must be one of ${Object.keys(EXCHANGES).join(', ')}`,
      );
    const client = await options.authenticateClient(request, form, address);
    if (!client.grantTypes.includes(type))
      throw new OAuthError('unauthorized_client', `This client may not use ${type}`);
    resource.assertAskedFor(form.resources);
    const jkt = await options.dpop.keyOf(request);
    if (jkt === undefined && client.bindsTokens)
      throw new OAuthError(
        'invalid_dpop_proof',
        'The tokens of this client are bound: a DPoP proof is missing',
      );
    const exchanged = await EXCHANGES[type]({ client, form, jkt }, options);
    const { grant, scopes, isNarrowed, refreshToken, offline } = exchanged;
    const token = await accessTokens.issue({ ...grant, scopes, isNarrowed, jkt });
    const isOffline = offline === true && refreshToken !== undefined;
    return json({
      access_token: token,
      token_type: jkt === undefined ? 'Bearer' : 'DPoP',
      expires_in: accessTokens.lifeSeconds,
      ...(refreshToken !== undefined && { refresh_token: refreshToken }),
      scope: [...scopes, ...(isOffline ? [OFFLINE_ACCESS] : [])].join(' '),
    });
  };
}

function isGrantType(type: string): type is GrantType {
  return Object.hasOwn(EXCHANGES, type);
}

async function redeemCode(
  { client, form, jkt }: TokenRequest,
  options: TokenEndpointOptions,
): Promise<Answer> {
  const { codes, refreshTokens, revocations, security } = options;
  const code = form.require('code');
  const verifier = form.require('code_verifier');
  const found = await codes.find(code);
  if (!found) throw invalidCode();
  if (found.clientId !== client.id) throw invalidGrant('The code was given to another client');
  const { redirectUri } = found;
  if ((form.get('redirect_uri') ?? redirectUri) !== redirectUri)
    throw invalidGrant('redirect_uri is not the one the code was asked for with');
  // An attacker who intercepted the code cannot prove the challenge, and must not be able to revoke the grant.
  const isProven = provesChallenge(verifier, found.challenge);
  const taken = await codes.take(code);
  if (!isProven) throw invalidGrant('code_verifier does not match the code_challenge');
  if (!taken) {
    await revocations.revoke(found.grantId);
    security('code replayed', { clientId: client.id, grant: found.grantId });
    throw invalidCode();
  }
  const { grant, offline } = taken;
  if (taken.jkt !== undefined && taken.jkt !== jkt)
    throw new OAuthError(
      'invalid_dpop_proof',
      'The code is bound to another key than the one of the DPoP proof',
    );
  await assertCounts(grant, options);
  const mayRefresh = client.grantTypes.includes('refresh_token') && refreshTokens;
  const { host } = destinationOf(redirectUri);
  await options.grants.begin(grant, client, host, grantSeconds(options, mayRefresh));
  const refreshToken = mayRefresh
    ? await refreshTokens.issue({ grant, offline, jkt: boundKey(client, jkt) })
    : undefined;
  security('token issued', { ...aboutGrant(grant), grantType: 'authorization_code' });
  return { grant, scopes: grant.scopes, offline, refreshToken };
}

async function refresh({ client, form, jkt }: TokenRequest, options: TokenEndpointOptions): Promise<Answer> {
  const { refreshTokens, security } = options;
  const token = form.require('refresh_token');
  const found = await refreshTokens?.find(token);
  if (!refreshTokens || !found) throw invalidRefreshToken();
  if (found.grant.clientId !== client.id) throw invalidGrant('The refresh token was given to another client');
  await assertCounts(found.grant, options);
  if (found.jkt !== undefined && found.jkt !== jkt) {
    if (found.isBoundSince) throw await revokeStolen(found.grant, options);
    throw new OAuthError(
      'invalid_dpop_proof',
      'The refresh token is bound to a key: a DPoP proof signed with it is missing',
    );
  }
  const { scopes, isNarrowed } = await refreshedScopes(found.grant, form, options);
  const rotation = await refreshTokens.rotate(token, boundKey(client, jkt));
  if (rotation.kind === 'reused') throw await revokeStolen(found.grant, options);
  if (rotation.kind !== 'rotated') throw invalidRefreshToken();
  const { facts, next, isRepeat } = rotation;
  await options.grants.renew(facts.grant.id, grantSeconds(options, refreshTokens));
  security(isRepeat ? 'refresh repeated' : 'token refreshed', aboutGrant(facts.grant));
  return { grant: facts.grant, scopes, isNarrowed, refreshToken: next, offline: facts.offline };
}

/** The refusal of a token that two have: which of them is the thief is not known. */
async function revokeStolen(
  grant: Grant,
  { revocations, security }: TokenEndpointOptions,
): Promise<OAuthError> {
  await revocations.revoke(grant.id);
  security('refresh token reused', aboutGrant(grant));
  return invalidRefreshToken();
}

function invalidRefreshToken(): OAuthError {
  return invalidGrant('The refresh token is not valid (any more)');
}

/** Refresh tokens of public clients are bound; those of others are, by their secret or key (RFC 9449 §5). */
function boundKey({ authMethods }: Client, jkt: string | undefined): string | undefined {
  return authMethods.includes('none') ? jkt : undefined;
}

/** A client may ask for what it was granted at first, and gets no more than the person allows now. */
async function refreshedScopes(
  grant: Grant,
  form: Parameters,
  { grants, resource }: TokenEndpointOptions,
): Promise<Pick<Answer, 'scopes' | 'isNarrowed'>> {
  const now = await grants.scopesOf(grant);
  const most = grant.scopes.every((scope) => covers(now, scope)) ? now : grant.scopes;
  const asked = narrowScopes(form.get('scope'), most, resource);
  const isNarrowed = now.every((scope) => covers(asked, scope)) ? undefined : true;
  return { scopes: limitScopes(asked, now), isNarrowed };
}

/** A grant is kept as long as any of its tokens may be valid. */
function grantSeconds(
  { accessTokens }: TokenEndpointOptions,
  refreshTokens: RefreshTokens | undefined | false,
): number {
  return Math.max(accessTokens.lifeSeconds, refreshTokens ? refreshTokens.lifeSeconds : 0);
}

async function grantToClient({ client, form }: TokenRequest, options: TokenEndpointOptions): Promise<Answer> {
  const { subjects, resource, security } = options;
  const subject = { kind: 'client' as const, name: client.id };
  const mark = await subjects.markOf(subject);
  if (mark === undefined)
    throw new OAuthError(
      'unauthorized_client',
      'Only a client set up by the operator of this server may do this',
    );
  const { scopes } = readScopes(form.get('scope'), resource);
  const grant = { id: newId(), subject, clientId: client.id, scopes, resource: resource.id, mark };
  security('token issued', { ...aboutGrant(grant), grantType: 'client_credentials' });
  return { grant, scopes };
}

/** Checks that the subject still exists with the same credentials and that the grant was not revoked. */
async function assertCounts(grant: Grant, { subjects, revocations }: TokenEndpointOptions): Promise<void> {
  const isTakenBack =
    (await revocations.isRevoked(grant.id)) || !(await subjects.hasMark(grant.subject, grant.mark));
  if (isTakenBack) throw invalidGrant('The access was taken back');
}

function aboutGrant({ id, subject, clientId, scopes }: Grant): Record<string, unknown> {
  return { [subject.kind]: subject.name, clientId, scopes, grant: id };
}

function invalidCode(): OAuthError {
  return invalidGrant('The code is not valid: it was used, is too old, or never existed');
}

function invalidGrant(message: string): OAuthError {
  return new OAuthError('invalid_grant', message);
}

/** The revocation endpoint (RFC 7009). Unknown tokens count as revoked. */
export function createRevocationEndpoint(options: TokenEndpointOptions): Handler {
  const { accessTokens, refreshTokens, revocations, security } = options;
  return async (request, { address }) => {
    const form = await readForm(request);
    const client = await options.authenticateClient(request, form, address);
    const token = form.require('token');
    const refresh = await refreshTokens?.find(token);
    const grant = refresh?.grant ?? (await accessTokens.read(token));
    if (grant) {
      if (grant.clientId !== client.id) throw invalidGrant('The token was given to another client');
      // Revoking a refresh token revokes its whole grant.
      await (refresh ? revocations.revoke(grant.id) : accessTokens.revoke(token));
      const kind = refresh ? 'refresh_token' : 'access_token';
      security('token revoked', { clientId: client.id, grant: grant.id, kind });
    }
    return new Response(null, { status: 200, headers: { 'Cache-Control': 'no-store' } });
  };
}

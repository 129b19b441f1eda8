/**
 * Token introspection (RFC 7662), for resource servers that accept our tokens and cannot read them. Clients of the
 * operator may ask about every token, others about their own; a token that may not be asked about looks like one that
 * does not exist.
 */
import type { Handler } from '../shared/exchange.ts';
import type { Principal } from '../shared/principal.ts';
import type { AccessTokens } from './access-tokens.ts';
import { json, OAuthError } from './answers.ts';
import type { AuthenticateClient } from './client-authentication.ts';
import type { Client } from './client-metadata.ts';
import type { OAuthContext } from './context.ts';
import { capScopes } from './cut-scopes.ts';
import type { Grants, Revocations, Subjects } from './grants.ts';
import { readForm } from './parameters.ts';
import type { RefreshTokens } from './refresh-tokens.ts';

interface IntrospectionOptions extends OAuthContext {
  readonly authenticateClient: AuthenticateClient;
  readonly accessTokens: AccessTokens;
  readonly refreshTokens?: RefreshTokens;
  readonly revocations: Revocations;
  readonly subjects: Subjects;
  readonly grants: Pick<Grants, 'scopesOf'>;
  /** The principal of an access token that counts, however it is presented. */
  readonly verify: (token: string) => Promise<Principal | undefined>;
}

interface TokenDescription {
  readonly client_id: string;
  readonly [claim: string]: unknown;
}

export function createIntrospectionEndpoint(options: IntrospectionOptions): Handler {
  return async (request, { address }) => {
    const form = await readForm(request);
    const client = await options.authenticateClient(request, form, address);
    if (client.authMethods.includes('none'))
      throw new OAuthError('invalid_client', 'Only a client with a secret or a key may ask about tokens');
    const token = form.require('token');
    const found = (await describeAccess(token, options)) ?? (await describeRefresh(token, options));
    const isShown = found && mayAsk(client, found);
    return json(isShown ? { active: true, iss: options.issuer, ...found } : { active: false });
  };
}

function mayAsk({ id, kind }: Client, { client_id }: TokenDescription): boolean {
  return kind === 'configured' || id === client_id;
}

async function describeAccess(
  token: string,
  { verify, accessTokens }: IntrospectionOptions,
): Promise<TokenDescription | undefined> {
  const principal = await verify(token);
  const facts = principal && (await accessTokens.read(token));
  if (!facts) return undefined;
  const { subject, clientId, resource, expiresAt, jkt } = facts;
  return {
    client_id: clientId,
    sub: principal.id,
    ...(subject.kind === 'user' && { username: subject.name }),
    scope: principal.scopes.join(' '),
    aud: resource,
    token_type: jkt === undefined ? 'Bearer' : 'DPoP',
    exp: expiresAt,
    iat: expiresAt - accessTokens.lifeSeconds,
    ...(jkt !== undefined && { cnf: { jkt } }),
  };
}

async function describeRefresh(
  token: string,
  { refreshTokens, revocations, subjects, grants }: IntrospectionOptions,
): Promise<TokenDescription | undefined> {
  const found = await refreshTokens?.find(token);
  if (!found?.isExchangeable) return undefined;
  const { id, subject, clientId, resource, mark } = found.grant;
  const most = await subjects.accessOf(subject, mark);
  if (most === undefined || (await revocations.isRevoked(id))) return undefined;
  const scopes = capScopes(await grants.scopesOf(found.grant), most);
  return {
    client_id: clientId,
    sub: `${subject.kind}:${subject.name}`,
    ...(subject.kind === 'user' && { username: subject.name }),
    scope: scopes.join(' '),
    aud: resource,
    ...(found.jkt !== undefined && { cnf: { jkt: found.jkt } }),
  };
}

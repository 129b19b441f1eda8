/** What clients read first: who protects the notes (RFC 9728), and how that server works (RFC 8414). */
import { SCOPES } from '../shared/principal.ts';
import { ASSERTION_ALGORITHMS } from './client-assertion.ts';
import { OFFLINE_ACCESS } from './scopes.ts';

export interface MetadataFacts {
  readonly issuer: string;
  readonly hasRegistration: boolean;
  readonly hasRefresh: boolean;
  readonly hasDocuments: boolean;
  /** Whether there are public keys to check tokens with. */
  readonly hasKeys: boolean;
}

/** RFC 9728 §3: the resource is the one whose address the document was found under. */
export function protectedResourceMetadata(issuer: string, resource: string): object {
  return {
    resource,
    authorization_servers: [issuer],
    bearer_methods_supported: ['header'],
    scopes_supported: SCOPES,
  };
}

export function authorizationServerMetadata(facts: MetadataFacts): object {
  const { issuer } = facts;
  const authMethods = ['none', 'client_secret_post', 'client_secret_basic', 'private_key_jwt'];
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    ...(facts.hasRegistration && { registration_endpoint: `${issuer}/oauth/register` }),
    revocation_endpoint: `${issuer}/oauth/revoke`,
    ...(facts.hasKeys && { jwks_uri: `${issuer}/oauth/jwks` }),
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: [
      'authorization_code',
      'client_credentials',
      ...(facts.hasRefresh ? ['refresh_token'] : []),
    ],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: authMethods,
    token_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
    revocation_endpoint_auth_methods_supported: authMethods,
    revocation_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
    scopes_supported: [...SCOPES, ...(facts.hasRefresh ? [OFFLINE_ACCESS] : [])],
    authorization_response_iss_parameter_supported: true,
    ...(facts.hasDocuments && { client_id_metadata_document_supported: true }),
  };
}

/** For clients that look here only. They insist on these fields; no identity token is ever given out. */
export function openidConfiguration(facts: MetadataFacts): object {
  return {
    ...authorizationServerMetadata(facts),
    jwks_uri: `${facts.issuer}/oauth/jwks`,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['EdDSA'],
  };
}

/** Who asks for access on a person's behalf. */
export type GrantType = 'authorization_code' | 'refresh_token' | 'client_credentials';

export type AuthMethod = 'none' | 'client_secret_post' | 'client_secret_basic' | 'private_key_jwt';

export interface Client {
  readonly id: string;
  /** Fit to be shown, but chosen by the client. */
  readonly name: string;
  /** How it is known: set up by the operator, registered by itself, or described by a document at its own address. */
  readonly kind: 'configured' | 'registered' | 'document';
  readonly grantTypes: readonly GrantType[];
  /** Any of these will do. */
  readonly authMethods: readonly AuthMethod[];
  readonly secretHash?: string;
  readonly keys?: ClientKeys;
  /** Whether the operator or a person has let it in before. */
  readonly isTrusted: boolean;
  acceptsRedirect(uri: string): boolean;
}

/** Public keys for `private_key_jwt`. */
export type ClientKeys = { readonly jwks: JsonWebKeys } | { readonly jwksUri: string };

export interface JsonWebKeys {
  readonly keys: readonly Readonly<Record<string, unknown>>[];
}

/** A client set up by whoever runs the server. */
export interface PreconfiguredClient {
  readonly id: string;
  readonly secret: string;
  /** Shown to people. Default: the id. */
  readonly name?: string;
  /** Default: where Claude is sent back to, and addresses on the person's own device. */
  readonly redirectUris?: readonly string[];
  /** May get a token with its secret alone, without a person who agrees. Off unless said. */
  readonly clientCredentials?: boolean;
}

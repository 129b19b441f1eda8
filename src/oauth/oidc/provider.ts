/**
 * An OpenID provider that people sign in at: discovery, the authorization code flow with PKCE, and the signature and
 * claims of the identity token. Loaded only where one is configured.
 */
import * as client from 'openid-client';
import { AppError } from '../../shared/errors.ts';

export interface ProviderSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret?: string;
  readonly scopes: readonly string[];
  /** The claim that lists the groups of a person. */
  readonly groupsClaim: string;
  /** Where people come back to. */
  readonly redirectUri: string;
  /** Where people come back to when they have signed out there. */
  readonly signedOutUri: string;
  /** The provider may be at a plain http address of this machine. */
  readonly insecureLoopback?: boolean;
  /** Bounded, and for addresses that the operator may mean. */
  readonly send: (url: string, request: ProviderRequest) => Promise<Response>;
}

interface ProviderRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** The values that bind an answer to its question. */
export interface SignInSecrets {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** A person as the provider knows them. */
export interface Identity {
  readonly subject: string;
  /** For people to read; not stable. */
  readonly label: string;
  readonly groups: readonly string[];
}

/** What went wrong, for the page that says so; `setup`: the provider does not know this server as it is configured. */
export type ProviderProblem = 'down' | 'denied' | 'clock' | 'setup' | 'invalid';

export interface IdentityProvider {
  signInAddress(secrets: SignInSecrets, again: boolean): Promise<URL>;
  /** `answer` is the address that the person came back to. */
  identify(answer: URL, secrets: SignInSecrets): Promise<Identity>;
  /** Undefined where the provider has none. */
  signOutAddress(): Promise<URL | undefined>;
}

/** Seconds by which the two clocks may differ. */
const CLOCK_TOLERANCE = 30;
const TIMEOUT_S = 10;
/** Endpoints may move. */
const METADATA_MS = 60 * 60_000;
/** The signatures of identity tokens; never `none` or a shared secret. */
const SIGNATURES = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'EdDSA',
  'Ed25519',
];

export class ProviderError extends Error {
  readonly problem: ProviderProblem;

  constructor(problem: ProviderProblem, cause: unknown) {
    super(`the identity provider: ${problem}`, { cause });
    this.name = 'ProviderError';
    this.problem = problem;
  }
}

export function createProvider(settings: ProviderSettings): IdentityProvider {
  const { issuer, clientId, clientSecret, redirectUri, groupsClaim } = settings;
  const secret = clientSecret === undefined ? undefined : createSecretAuth(clientSecret);
  let known: { readonly at: number; readonly configuration: Promise<client.Configuration> } | undefined;

  const discover = async () => {
    const configuration = await client.discovery(
      new URL(issuer),
      clientId,
      { [client.clockTolerance]: CLOCK_TOLERANCE },
      secret?.authenticate ?? client.None(),
      {
        timeout: TIMEOUT_S,
        execute: settings.insecureLoopback ? [client.allowInsecureRequests] : [],
        [client.customFetch]: sendingOver(settings),
      },
    );
    // The token comes over a connection to the provider, and is believed only with the provider's signature too.
    client.enableNonRepudiationChecks(configuration);
    return configuration;
  };
  /** What is known may be out of date: endpoints move, and keys are replaced. */
  const forget = () => {
    known = undefined;
  };
  /** Found out at the first login, and again after a failure: the provider may start later than this server. */
  const configured = () => {
    if (known && Date.now() - known.at > METADATA_MS) forget();
    known ??= {
      at: Date.now(),
      configuration: discover().catch((error: unknown) => {
        forget();
        throw problemOf(error, 'down');
      }),
    };
    return known.configuration;
  };

  return {
    async signInAddress({ state, nonce, verifier }, again) {
      const configuration = await configured();
      return client.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: settings.scopes.join(' '),
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
        ...(again && { prompt: 'login' }),
      });
    },
    async identify(answer, { state, nonce, verifier }) {
      const configuration = await configured();
      const redeem = () =>
        client.authorizationCodeGrant(configuration, answer, {
          pkceCodeVerifier: verifier,
          expectedState: state,
          expectedNonce: nonce,
          idTokenExpected: true,
        });
      const tokens = await redeem()
        .catch((error: unknown) => {
          if (secret && isClientUnknown(error) && secret.changeMethod(configuration)) return redeem();
          throw error;
        })
        .catch((error: unknown) => {
          forget();
          throw problemOf(error, 'invalid');
        });
      assertSigned(tokens.id_token);
      const claims = tokens.claims();
      if (!claims) throw new ProviderError('invalid', 'no identity token');
      // Some providers keep groups out of the token, which has a limited size.
      const further =
        claims[groupsClaim] === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined
          ? await client
              .fetchUserInfo(configuration, tokens.access_token, claims.sub)
              .catch((error: unknown) => {
                throw problemOf(error, 'invalid');
              })
          : {};
      return identityOf({ ...further, ...claims }, groupsClaim);
    },
    async signOutAddress() {
      const configuration = await configured();
      if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined;
      return client.buildEndSessionUrl(configuration, { post_logout_redirect_uri: settings.signedOutUri });
    },
  };
}

/** A provider may announce algorithms that prove nothing. */
function assertSigned(token: string | undefined): void {
  const [header = ''] = (token ?? '').split('.');
  const { alg } = JSON.parse(Buffer.from(header, 'base64url').toString() || '{}') as { alg?: unknown };
  if (!SIGNATURES.includes(String(alg))) throw new ProviderError('invalid', `signed with ${String(alg)}`);
}

function identityOf(claims: Readonly<Record<string, unknown>>, groupsClaim: string): Identity {
  const text = (name: string) => {
    const value = claims[name];
    return typeof value === 'string' && value.trim() !== '' ? value : undefined;
  };
  // To the letter: subjects that differ in a blank are two people.
  const subject = text('sub');
  if (subject === undefined || subject.length > 255) throw new ProviderError('invalid', 'no subject');
  const label = text('preferred_username') ?? text('email') ?? text('name') ?? subject;
  // All of them, as the answer is bounded: which one gives the role is not known here.
  const groups = [claims[groupsClaim] ?? []].flat().filter((group) => typeof group === 'string');
  return { subject, label, groups };
}

type SecretMethod = 'client_secret_basic' | 'client_secret_post';

/**
 * The secret in the way that the provider names, and where it names both, the one that OpenID Connect begins with. Many
 * take only the one that a client was registered for, so the other one is tried when the first is refused.
 */
function createSecretAuth(secret: string) {
  const ways = {
    client_secret_basic: client.ClientSecretBasic(secret),
    client_secret_post: client.ClientSecretPost(secret),
  };
  let method: SecretMethod | undefined;
  const usual = (named: readonly string[] = ['client_secret_basic']): SecretMethod =>
    named.includes('client_secret_basic') ? 'client_secret_basic' : 'client_secret_post';
  const authenticate: client.ClientAuth = (server, ...request) =>
    ways[method ?? usual(server.token_endpoint_auth_methods_supported)](server, ...request);
  return {
    authenticate,
    /** False where the provider takes no other way. */
    changeMethod(configuration: client.Configuration): boolean {
      const named = configuration.serverMetadata().token_endpoint_auth_methods_supported;
      const other =
        (method ?? usual(named)) === 'client_secret_basic' ? 'client_secret_post' : 'client_secret_basic';
      if (!named?.includes(other)) return false;
      method = other;
      return true;
    },
  };
}

function sendingOver({ send }: ProviderSettings): client.CustomFetch {
  return async (url, { method, headers, body }) => {
    const sent =
      body instanceof URLSearchParams ? body.toString() : typeof body === 'string' ? body : undefined;
    if (body !== undefined && body !== null && sent === undefined)
      throw new AppError('internal', 'A request to the identity provider has a body of an unknown kind');
    return send(url, { method, headers, body: sent });
  };
}

const CLOCK_CODES = ['OAUTH_JWT_TIMESTAMP_CHECK_FAILED'];
/** What it says of itself is not what it is configured as. */
const FALSE_CODES = ['OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED'];
/** RFC 6749, sections 4.1.2.1 and 5.2: the request is not what the provider has registered. */
const SETUP_ERRORS = ['invalid_client', 'unauthorized_client', 'invalid_scope', 'unsupported_response_type'];
const AWAY_ERRORS = ['server_error', 'temporarily_unavailable'];

function problemOf(error: unknown, usual: ProviderProblem): ProviderError {
  if (error instanceof ProviderError) return error;
  const said = errorSaidIn(error);
  if (said === 'access_denied') return new ProviderError('denied', error);
  if (isClientUnknown(error) || SETUP_ERRORS.includes(String(said))) return new ProviderError('setup', error);
  const codes = causesOf(error).map((cause) => (cause as { code?: unknown }).code);
  if (codes.some((code) => CLOCK_CODES.includes(String(code)))) return new ProviderError('clock', error);
  if (codes.some((code) => FALSE_CODES.includes(String(code)))) return new ProviderError('invalid', error);
  const isAway =
    AWAY_ERRORS.includes(String(said)) ||
    causesOf(error).some(
      (cause) =>
        cause instanceof AppError ||
        (cause as { name?: unknown }).name === 'TimeoutError' ||
        (cause.cause instanceof Response && cause.cause.status >= 500),
    );
  return new ProviderError(isAway ? 'down' : usual, error);
}

/** The error code of an answer at the redirect address or the token endpoint. */
function errorSaidIn(error: unknown): string | undefined {
  const isAnswer =
    error instanceof client.AuthorizationResponseError || error instanceof client.ResponseBodyError;
  return isAnswer ? error.error : undefined;
}

function isClientUnknown(error: unknown): boolean {
  return error instanceof client.WWWAuthenticateChallengeError || errorSaidIn(error) === 'invalid_client';
}

function causesOf(error: unknown): Error[] {
  const causes: Error[] = [];
  for (let at = error; at instanceof Error && causes.length < 10; at = at.cause) causes.push(at);
  return causes;
}

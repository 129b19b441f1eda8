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

/** What went wrong, for the page that says so. */
export type ProviderProblem = 'down' | 'denied' | 'clock' | 'invalid';

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
const MAX_GROUPS = 500;
const MAX_LABEL = 60;
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
  let known: Promise<client.Configuration> | undefined;

  const discover = async () => {
    const configuration = await client.discovery(
      new URL(issuer),
      clientId,
      { client_secret: clientSecret, [client.clockTolerance]: CLOCK_TOLERANCE },
      clientSecret === undefined ? client.None() : undefined,
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
  /** Found out at the first login, and again after a failure: the provider may start later than this server. */
  const configured = () => {
    known ??= discover().catch((error: unknown) => {
      known = undefined;
      throw problemOf(error, 'down');
    });
    return known;
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
      const tokens = await client
        .authorizationCodeGrant(configuration, answer, {
          pkceCodeVerifier: verifier,
          expectedState: state,
          expectedNonce: nonce,
          idTokenExpected: true,
        })
        .catch((error: unknown) => {
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
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
  };
  const subject = text('sub');
  if (subject === undefined || subject.length > 255) throw new ProviderError('invalid', 'no subject');
  const label = text('preferred_username') ?? text('email') ?? text('name') ?? subject;
  const groups = [claims[groupsClaim] ?? []].flat().filter((group) => typeof group === 'string');
  return { subject, label: label.slice(0, MAX_LABEL), groups: groups.slice(0, MAX_GROUPS) };
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

function problemOf(error: unknown, usual: ProviderProblem): ProviderError {
  if (error instanceof ProviderError) return error;
  if (error instanceof client.AuthorizationResponseError)
    return new ProviderError(error.error === 'access_denied' ? 'denied' : 'invalid', error);
  const codes = causesOf(error).map((cause) => (cause as { code?: unknown }).code);
  if (codes.some((code) => CLOCK_CODES.includes(String(code)))) return new ProviderError('clock', error);
  if (codes.some((code) => FALSE_CODES.includes(String(code)))) return new ProviderError('invalid', error);
  const isAway = causesOf(error).some(
    (cause) => cause instanceof AppError || (cause as { name?: unknown }).name === 'TimeoutError',
  );
  return new ProviderError(isAway ? 'down' : usual, error);
}

function causesOf(error: unknown): object[] {
  const causes: object[] = [];
  for (let at = error; at instanceof Error && causes.length < 10; at = at.cause) causes.push(at);
  return causes;
}

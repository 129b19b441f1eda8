/**
 * The login with an identity provider, beside names and passwords. An answer of the provider is accepted once, in the
 * browser in which the login began; the secrets that bind the two are derived from that browser's cookie, so that none is
 * stored.
 */
import type { Handler } from '../../shared/exchange.ts';
import { ROLES, type Role } from '../../shared/principal.ts';
import { onPages, page, redirect } from '../answers.ts';
import { BROWSER_SECONDS, type Cookies, type Sessions } from '../consents.ts';
import type { OAuthContext } from '../context.ts';
import { errorPage } from '../pages/account-page.ts';
import { derivedSecret, hashOf, isSame, newSecret, type Tickets } from '../tickets.ts';
import type { Directory } from '../users.ts';
import type { Identity, IdentityProvider, ProviderProblem, SignInSecrets } from './provider.ts';

export interface OidcOptions {
  readonly issuer: string;
  /** What people call the provider. */
  readonly name: string;
  /** The role of each group; the highest counts. */
  readonly roles: ReadonlyMap<string, Role>;
  /** Of people without such a group. Default: they are not let in. */
  readonly otherRole?: Role;
  /** Opened when somebody first signs in there. */
  readonly open: () => Promise<IdentityProvider>;
}

export const OIDC_PATHS = {
  start: '/oauth/oidc/start',
  callback: '/oauth/oidc/callback',
  signOut: '/oauth/oidc/sign-out',
} as const;

interface OidcParts extends OAuthContext {
  readonly directory: Directory;
  readonly tickets: Tickets;
  readonly cookies: Cookies;
  readonly sessions: Sessions;
}

/** A login that has begun, as stored under the hash of its state. */
interface BegunLogin {
  /** What the login is for; see the tickets of each page. */
  readonly query: string;
  readonly browser: string;
}

const LIFE_SECONDS = 10 * 60;
/** Begin the queries of tickets of the account page and the console. */
const [ACCOUNT, CONSOLE] = ['account', 'console '];

export type OidcLogin = ReturnType<typeof createOidcLogin>;

export function createOidcLogin(parts: OidcParts, options: OidcOptions) {
  const { issuer, state, tickets, cookies, sessions, directory, security, log } = parts;
  const problem = (kind: LoginProblem) => problemPage(kind, options.name, issuer);
  const keyOf = (value: string) => `oidc-login:${hashOf(value)}`;
  let opened: Promise<IdentityProvider> | undefined;
  const provider = () => {
    opened ??= options.open();
    return opened;
  };

  const failed = (what: string, error: unknown): ProviderProblem => {
    const kind = problemIn(error);
    log('warn', what, { error: reasonOf(error) });
    return kind;
  };

  const start: Handler = async (request, { address }) => {
    const browser = cookies.browser.read(request);
    const ticket = await tickets.open(new URL(request.url).searchParams.get('ticket') ?? '', browser);
    // A link may be followed twice; what it begins is accepted once.
    if (ticket.kind === 'foreign' || browser === undefined) return problem('elsewhere');
    const { query } = ticket.facts;
    const value = newSecret();
    const asksAgain = new URLSearchParams(query).get('prompt')?.split(' ').includes('login') === true;
    const found = await (await provider())
      .signInAddress(secretsOf(browser, value), asksAgain)
      .catch((error: unknown) => failed('the identity provider cannot be asked', error));
    if (typeof found === 'string') {
      security('login failed', { user: 'unknown', address, provider: options.name, why: found });
      return problem(found);
    }
    await state.put(keyOf(value), { query, browser: hashOf(browser) } satisfies BegunLogin, LIFE_SECONDS);
    return redirect(found.href, [cookies.browser.set(browser, BROWSER_SECONDS)]);
  };

  const identify = async (request: Request, browser: string, value: string) => {
    const answer = new URL(`${issuer}${OIDC_PATHS.callback}${new URL(request.url).search}`);
    return (await provider())
      .identify(answer, secretsOf(browser, value))
      .catch((error: unknown) => failed('the answer of the identity provider was refused', error));
  };

  const callback: Handler = async (request, { address }) => {
    const browser = cookies.browser.read(request);
    const value = new URL(request.url).searchParams.get('state') ?? '';
    const begun = value === '' ? undefined : await state.take<BegunLogin>(keyOf(value));
    if (!begun || browser === undefined || !isSame(begun.browser, hashOf(browser)))
      return problem('elsewhere');
    const refuse = (kind: LoginProblem, user = 'unknown') => {
      security('login failed', { user, address, provider: options.name, why: kind });
      return problem(kind);
    };
    const identity = await identify(request, browser, value);
    if (typeof identity === 'string') return refuse(identity);
    const role = roleOf(identity, options);
    const person = { ...identity, issuer: options.issuer };
    if (role === undefined) return refuse('no group', await directory.dismiss(person));
    const account = await directory.recognize({ ...person, role });
    if (account.isDisabled) return refuse('disabled', account.name);
    security('login succeeded', { user: account.name, address, provider: options.name });
    const session = await sessions.begin(account.name, browser);
    const set = [cookies.session.set(session.id, session.secondsLeft)];
    return redirect(await wayOn(begun.query, account.name, browser), set);
  };

  /** Where the person wanted to go when the login began. */
  const wayOn = async (query: string, user: string, browser: string): Promise<string> => {
    if (query === ACCOUNT) return `${issuer}/account`;
    if (query.startsWith(CONSOLE))
      return `${issuer}/console/enter?ticket=${encodeURIComponent(await tickets.issue({ query, user }, browser))}`;
    // The person has just signed in, and would be asked to for ever.
    const asked = new URLSearchParams(query);
    const prompt = (asked.get('prompt') ?? '').split(' ').filter((word) => word !== 'login' && word !== '');
    if (prompt.length > 0) asked.set('prompt', prompt.join(' '));
    else asked.delete('prompt');
    return `${issuer}/oauth/authorize?${asked}`;
  };

  const signOut: Handler = async () => {
    const address = await (await provider()).signOutAddress().catch(() => undefined);
    return redirect(address?.href ?? `${issuer}/account`);
  };

  const onPage = (handle: Handler) => onPages(handle, log, () => problem('elsewhere'));
  return {
    /** For a login page with this ticket. */
    linkFor: (ticket: string) => ({
      name: options.name,
      href: `${issuer}${OIDC_PATHS.start}?ticket=${encodeURIComponent(ticket)}`,
    }),
    signOutLink: { name: options.name, href: `${issuer}${OIDC_PATHS.signOut}` },
    routes: {
      [OIDC_PATHS.start]: onPage(start),
      [OIDC_PATHS.callback]: onPage(callback),
      [OIDC_PATHS.signOut]: onPage(signOut),
    },
  };
}

/** The cookie is known to this browser alone, the value to whoever sees the address. */
function secretsOf(browser: string, state: string): SignInSecrets {
  return {
    state,
    nonce: derivedSecret(browser, `nonce ${state}`),
    verifier: derivedSecret(browser, `verifier ${state}`),
  };
}

function roleOf({ groups }: Identity, { roles, otherRole }: OidcOptions): Role | undefined {
  const given = groups.flatMap((group) => roles.get(group) ?? []);
  return ROLES.findLast((role) => given.includes(role)) ?? otherRole;
}

/** `provider.ts` is loaded late, so its error is known by its shape. */
function problemIn(error: unknown): ProviderProblem {
  if (error instanceof Error && error.name === 'ProviderError' && 'problem' in error)
    return error.problem as ProviderProblem;
  throw error;
}

/** Without values of the answer, which may be secrets, but for its own words for an error. */
function reasonOf(error: unknown): string {
  const words: string[] = [];
  for (let at = error; at instanceof Error && words.length < 6; at = at.cause) {
    const said = at as { readonly error?: unknown; readonly error_description?: unknown };
    const ownWords = [said.error, said.error_description].filter((word) => typeof word === 'string');
    words.push(at.message, ...ownWords, ...(at.cause instanceof Response ? [`${at.cause.status}`] : []));
  }
  return words
    .join(': ')
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ')
    .slice(0, 300);
}

type LoginProblem = ProviderProblem | 'no group' | 'disabled' | 'elsewhere';

function problemPage(kind: LoginProblem, name: string, issuer: string): Response {
  const [status, title, message, hint] = wordsFor(kind, name);
  const wayBack = { host: 'the sign-in page', address: `${issuer}/account` };
  return page(errorPage({ title, message, hint, wayBack }), { status });
}

function wordsFor(
  kind: LoginProblem,
  name: string,
): readonly [status: number, title: string, message: string, hint: string] {
  switch (kind) {
    case 'down':
      return [
        503,
        `${name} cannot be reached`,
        `This server gets no answer from ${name}, where you sign in.`,
        'Nothing is wrong with your account. Try again in a few minutes; if you have a password here, you can use it.',
      ];
    case 'denied':
      return [
        403,
        'You were not signed in',
        `${name} was not allowed to say who you are.`,
        'If you did not cancel this yourself, the people who run it may not have given you access to this server.',
      ];
    case 'clock':
      return [
        502,
        'The clocks do not agree',
        `The answer of ${name} is of another time than this server has.`,
        'Ask the person who runs this server to compare its clock with the right time. Then sign in again.',
      ];
    case 'setup':
      return [
        502,
        `${name} does not accept this server`,
        `This server is not set up as ${name} expects it.`,
        'Nothing is wrong with your account. The person who runs this server finds the reason in its log.',
      ];
    case 'invalid':
      return [
        502,
        `The answer of ${name} cannot be trusted`,
        'It does not prove who you are, so you were not signed in.',
        'Sign in again. If that does not help, the person who runs this server finds the reason in its log.',
      ];
    case 'no group':
      return [
        403,
        'You have no access to these notes',
        `You are signed in at ${name}, and none of your groups there may use this server.`,
        'Ask the person who runs this server, or who manages the groups, to give you access. Then sign in again.',
      ];
    case 'disabled':
      return [
        403,
        'Your account here is disabled',
        'An admin of this server has ended your access.',
        'Ask an admin of this server.',
      ];
    case 'elsewhere':
      return [
        403,
        'This sign-in cannot be finished here',
        'It began in another browser or too long ago, was finished before, or cookies are turned off.',
        'Allow cookies for this site, go back to where you came from, and begin again.',
      ];
  }
}

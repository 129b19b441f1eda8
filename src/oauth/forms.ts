/** The forms of the login, consent and account pages: CSRF checks, and the login by one of them. */
import { type PageOptions, page } from './answers.ts';
import type { Cookies, Sessions } from './consents.ts';
import type { OAuthContext, SecurityLog } from './context.ts';
import { type LogIn, type LoginOutcome, REMEMBERED_SECONDS } from './login.ts';
import type { OidcLogin } from './oidc/login.ts';
import { errorPage } from './pages/account-page.ts';
import { type LoginPageFacts, loginPage } from './pages/login-page.ts';
import { type Parameters, readForm } from './parameters.ts';
import { newSecret, type OpenedTicket, type Tickets } from './tickets.ts';

export interface FormOptions extends OAuthContext {
  readonly login: LogIn;
  readonly tickets: Tickets;
  readonly cookies: Cookies;
  readonly sessions: Sessions;
  /** Whether logins have user names. */
  readonly hasUsers: boolean;
  /** The login with an identity provider, where there is one. */
  readonly provider?: OidcLogin;
}

/** Status of a repeated login page, by its reason. */
const LOGIN_STATUS = { refused: 403, slowed: 429, busy: 503, again: 200 };

/** Why a login page is shown again. */
export type LoginNotice = keyof typeof LOGIN_STATUS;

export function loginAnswer(facts: LoginPageFacts, options: PageOptions): Response {
  const status = facts.after === undefined ? 200 : LOGIN_STATUS[facts.after];
  return page(loginPage(facts), { ...options, status });
}

/** A form that was sent by the browser it was made for. */
interface OpenForm {
  readonly fields: Parameters;
  readonly browser: string;
  readonly ticket: Exclude<OpenedTicket, { kind: 'foreign' }>;
}

/** Refuses a form of another site or browser with a page. */
export async function openForm(
  request: Request,
  address: string,
  { issuer, tickets, cookies, security }: FormOptions,
): Promise<OpenForm | Response> {
  if (isFromElsewhere(request, issuer)) return refuseForm(security, address, 'another site');
  const fields = await readForm(request);
  const browser = cookies.browser.read(request);
  const ticket = await tickets.open(fields.require('ticket'), browser);
  if (ticket.kind === 'foreign' || browser === undefined)
    return refuseForm(security, address, 'another browser');
  return { fields, browser, ticket };
}

/**
 * Whether Sec-Fetch-Site or Origin names another site. Pages with `no-referrer`, like ours, send `null`; old browsers send
 * nothing and are covered by cookie and ticket.
 */
function isFromElsewhere(request: Request, issuer: string): boolean {
  const site = request.headers.get('sec-fetch-site');
  const origin = request.headers.get('origin');
  if (site === 'cross-site' || site === 'same-site') return true;
  return origin !== null && origin !== 'null' && origin !== new URL(issuer).origin;
}

export function refuseForm(security: SecurityLog, address: string, from: string): Response {
  security('form refused', { from, address });
  const html = errorPage({
    title: 'This form cannot be used here',
    message: 'It was opened in another browser or by another site, or cookies are turned off.',
    hint: 'Allow cookies for this site, go back to where you came from, and begin again.',
  });
  return page(html, { status: 403 });
}

type FormLogin =
  | Exclude<LoginOutcome, { kind: 'in' }>
  | { readonly kind: 'in'; readonly user: string; readonly cookies: readonly string[] };

/** Checks the password in a form and begins a login session. */
export async function logInBy(
  { fields, browser }: OpenForm,
  { request, address }: { readonly request: Request; readonly address: string },
  { login, cookies, sessions }: FormOptions,
): Promise<FormLogin> {
  const device = cookies.device.read(request) ?? newSecret();
  const credentials = { name: fields.get('username'), password: fields.get('password') ?? '' };
  const outcome = await login(credentials, { address, device });
  if (outcome.kind !== 'in') return outcome;
  const session = await sessions.begin(outcome.user, browser);
  return {
    ...outcome,
    cookies: [
      cookies.session.set(session.id, session.secondsLeft),
      cookies.device.set(device, REMEMBERED_SECONDS),
    ],
  };
}

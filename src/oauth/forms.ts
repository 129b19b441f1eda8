/** The forms of the login, consent and account pages: CSRF checks, and the login by one of them. */
import { createHash } from 'node:crypto';
import { type PageOptions, page } from './answers.ts';
import type { Cookies, Sessions } from './consents.ts';
import type { OAuthContext, SecurityLog } from './context.ts';
import type { Factors, SecondFactor } from './factors/factors.ts';
import type { Subjects } from './grants.ts';
import { type LogIn, type LoginOutcome, type LoginPlace, REMEMBERED_SECONDS } from './login.ts';
import type { OidcLogin } from './oidc/login.ts';
import { errorPage } from './pages/account-page.ts';
import { type LoginPageFacts, loginPage } from './pages/login-page.ts';
import { secondFactorPage } from './pages/second-factor-page.ts';
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
  readonly factors: Factors;
  readonly subjects: Pick<Subjects, 'markOf' | 'hasMark'>;
}

/** Status of a repeated login page, by its reason. */
const LOGIN_STATUS = { refused: 403, slowed: 429, busy: 503, again: 200 };

/** Why a login page is shown again. */
export type LoginNotice = keyof typeof LOGIN_STATUS;

/** The password was right, and a second factor is needed too. */
export interface SecondStep {
  readonly kind: 'second';
  readonly user: string;
  /** Why it is asked for again. */
  readonly after?: 'refused' | 'slowed';
}

/** What a login is for, and where its form goes. */
export interface LoginPurpose extends Pick<LoginPageFacts, 'action' | 'client' | 'purpose'> {
  /** Of its ticket. */
  readonly query: string;
}

/** The login page, or the one for the second factor. Each has a ticket of its own. */
export async function askLogin(
  { query, ...purpose }: LoginPurpose,
  { browser, ...options }: PageOptions & { readonly browser: string },
  forms: FormOptions,
  after?: LoginNotice | SecondStep,
): Promise<Response> {
  const { tickets, hasUsers, provider } = forms;
  if (typeof after === 'object')
    return askSecond({ query, ...purpose }, { browser, ...options }, forms, after);
  const ticket = await tickets.issue({ query }, browser);
  const asks = hasUsers ? 'name and password' : 'owner token';
  const html = loginPage({ ...purpose, ticket, asks, after, provider: provider?.linkFor(ticket) });
  return page(html, { ...options, status: after === undefined ? 200 : LOGIN_STATUS[after] });
}

async function askSecond(
  { query, action, purpose }: LoginPurpose,
  { browser, ...options }: PageOptions & { readonly browser: string },
  { tickets, factors, subjects }: FormOptions,
  { user, after }: SecondStep,
): Promise<Response> {
  const mark = await subjects.markOf({ kind: 'user', name: user });
  const ticket = await tickets.issue({ query, pending: user, mark }, browser);
  const { hasTotp, passkeys, recoveryLeft } = await factors.summary(user);
  const passkey =
    passkeys.length > 0
      ? await (await import('./factors/library.ts')).assertionOptions(
          factors.site,
          challengeBytes(ticket),
          passkeys,
        )
      : undefined;
  const html = secondFactorPage({
    action,
    ticket,
    purpose,
    after,
    passkey,
    hasTotp,
    hasRecovery: recoveryLeft > 0,
  });
  const status = after === undefined ? 200 : LOGIN_STATUS[after];
  return page(html, { ...options, status, runsPasskeys: passkey !== undefined });
}

/**
 * The challenge of a passkey is the hash of the ticket in the same form: unpredictable, for one browser, good once and for
 * minutes, so that nothing is stored for it.
 */
export function challengeOf(ticket: string): string {
  return Buffer.from(challengeBytes(ticket)).toString('base64url');
}

export function challengeBytes(ticket: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash('sha256').update(`passkey ${ticket}`).digest());
}

/** A form that was sent by the browser it was made for. */
export interface OpenForm {
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
  | SecondStep
  | { readonly kind: 'in'; readonly user: string; readonly cookies: readonly string[] };

/** For `askLogin`, after a login that has not succeeded yet. */
export function noticeOf(login: Exclude<FormLogin, { kind: 'in' }>): LoginNotice | SecondStep {
  return login.kind === 'second' ? login : login.kind;
}

/** Checks the password or the second factor in a form, and begins a login session when nothing is missing. */
export async function logInBy(
  form: OpenForm,
  { request, address }: { readonly request: Request; readonly address: string },
  options: FormOptions,
): Promise<FormLogin> {
  const { cookies, sessions } = options;
  const device = cookies.device.read(request) ?? newSecret();
  const outcome = await stepOf(form, { address, device }, options);
  if (outcome.kind !== 'in') return outcome;
  const session = await sessions.begin(outcome.user, form.browser);
  return {
    ...outcome,
    cookies: [
      cookies.session.set(session.id, session.secondsLeft),
      cookies.device.set(device, REMEMBERED_SECONDS),
    ],
  };
}

/** What came of a second factor; undefined for a form that asks for none. */
export async function secondStepOf(
  { fields, ticket }: OpenForm,
  { factors, subjects }: FormOptions,
): Promise<LoginOutcome | SecondStep | undefined> {
  const { pending, mark = '' } = ticket.kind === 'good' ? ticket.facts : {};
  if (pending === undefined) return undefined;
  // Disabled, or with another password since.
  if (!(await subjects.hasMark({ kind: 'user', name: pending }, mark))) return { kind: 'refused' };
  const outcome = await factors.check(pending, secondFactorIn(fields));
  return outcome === 'accepted'
    ? { kind: 'in', user: pending }
    : { kind: 'second', user: pending, after: outcome };
}

async function stepOf(
  form: OpenForm,
  place: LoginPlace,
  options: FormOptions,
): Promise<LoginOutcome | SecondStep> {
  const second = await secondStepOf(form, options);
  if (second) return second;
  const { fields } = form;
  const { login, factors } = options;
  const credentials = { name: fields.get('username'), password: fields.get('password') ?? '' };
  const outcome = await login(credentials, place);
  if (outcome.kind !== 'in' || !(await factors.isNeeded(outcome.user))) return outcome;
  return { kind: 'second', user: outcome.user };
}

function secondFactorIn(fields: Parameters): SecondFactor {
  const passkey = fields.get('passkey');
  if (passkey === undefined) return { kind: 'code', code: fields.get('code') ?? '' };
  return { kind: 'passkey', challenge: challengeOf(fields.require('ticket')), response: jsonIn(passkey) };
}

/** Undefined for what is no JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

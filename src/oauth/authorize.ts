/**
 * The authorization endpoint: a person logs in, decides, and is redirected to the client with a code. A login of the
 * last few minutes replaces the password but never the decision; an earlier consent replaces the decision but never
 * the password. No code is issued without one of the two.
 */

import type { Handler } from '../shared/exchange.ts';
import type { Log } from '../shared/log.ts';
import type { Codes } from './access-tokens.ts';
import { failurePage, isFromElsewhere, OAuthError, refuseForm } from './answers.ts';
import { type AuthorizationRequest, readAuthorizationRequest } from './authorization-request.ts';
import type { AuthorizePages } from './authorize-pages.ts';
import type { Clients } from './clients.ts';
import { BROWSER_SECONDS, type Consents, type Cookies, type Sessions } from './consents.ts';
import type { Subjects } from './grants.ts';
import { type LogIn, REMEMBERED_SECONDS } from './login.ts';
import type { LoginPageFacts } from './pages/login-page.ts';
import { type Parameters, readForm } from './parameters.ts';
import { destinationOf } from './redirect-uri.ts';
import type { Resource } from './scopes.ts';
import type { SecurityLog } from './security-log.ts';
import { newId, newSecret, type Tickets } from './tickets.ts';

interface AuthorizeOptions {
  readonly issuer: string;
  readonly pages: AuthorizePages;
  readonly clients: Clients;
  readonly resource: Resource;
  readonly login: LogIn;
  readonly tickets: Tickets;
  readonly cookies: Cookies;
  readonly sessions: Sessions;
  readonly consents: Consents;
  readonly codes: Codes;
  readonly subjects: Subjects;
  readonly security: SecurityLog;
  readonly log: Log;
}

/** One browser's visit: its cookie, and the cookies to set. */
interface BrowserSession {
  readonly browser: string;
  readonly cookies: readonly string[];
}

export function createAuthorize(options: AuthorizeOptions): {
  readonly get: Handler;
  readonly post: Handler;
} {
  const { pages, tickets, cookies, sessions, consents, security } = options;
  const read = (query: string, address: string) => readAuthorizationRequest(query, address, options);

  const askLogin = async (
    asked: AuthorizationRequest,
    { browser, cookies: set }: BrowserSession,
    after?: LoginPageFacts['after'],
  ): Promise<Response> =>
    pages.login(asked, { ticket: await tickets.issue({ query: asked.query }, browser), cookies: set }, after);

  const askConsent = async (
    asked: AuthorizationRequest,
    { browser, cookies: set }: BrowserSession,
    user: string,
  ) =>
    pages.consent(
      asked,
      { ticket: await tickets.issue({ query: asked.query, user }, browser), cookies: set },
      user,
    );

  const begin = async (
    request: Request,
    asked: AuthorizationRequest,
    after?: LoginPageFacts['after'],
  ): Promise<Response> => {
    const browser = cookies.browser.read(request) ?? newSecret();
    const set = [cookies.browser.set(browser, BROWSER_SECONDS)];
    const before = asked.prompt.has('login') ? undefined : cookies.session.read(request);
    const session = before === undefined ? undefined : await sessions.renew(before, browser);
    if (!session) return askLogin(asked, { browser, cookies: set }, after);
    const renewed = [...set, cookies.session.set(session.id, session.secondsLeft)];
    return askConsent(asked, { browser, cookies: renewed }, session.user);
  };

  const logIn = async (
    asked: AuthorizationRequest,
    form: Parameters,
    { browser, device, address }: { browser: string; device: string; address: string },
  ) => {
    const outcome = await options.login(
      { name: form.get('username'), password: form.get('password') ?? '' },
      { address, device },
    );
    if (outcome.kind !== 'in') return askLogin(asked, { browser, cookies: [] }, outcome.kind);
    const session = await sessions.begin(outcome.user, browser);
    const set = [
      cookies.session.set(session.id, session.secondsLeft),
      cookies.device.set(device, REMEMBERED_SECONDS),
    ];
    return (await isAllowedBefore(asked, outcome.user))
      ? approve(asked, outcome.user, set)
      : askConsent(asked, { browser, cookies: set }, outcome.user);
  };

  /** Any app can claim a private-use scheme, so consent given to one is never reused for another (RFC 8252 §8.6). */
  const isAllowedBefore = async (asked: AuthorizationRequest, user: string) =>
    !asked.prompt.has('consent') &&
    destinationOf(asked.returnTo.redirectUri).kind !== 'app' &&
    (await consents.covers(consentOf(asked, user)));

  const approve = async (asked: AuthorizationRequest, user: string, set: readonly string[] = []) => {
    const { client, returnTo, challenge, scopes, offline } = asked;
    const subject = { kind: 'user' as const, name: user };
    const mark = options.subjects.markOf(subject);
    if (mark === undefined) throw new OAuthError('access_denied', 'This user is not known here any more');
    await consents.remember(consentOf(asked, user));
    await options.clients.approved(client);
    const grant = { id: newId(), subject, clientId: client.id, scopes, resource: options.resource.id, mark };
    const code = await options.codes.issue({ grant, redirectUri: returnTo.redirectUri, challenge, offline });
    security('access approved', { user, clientId: client.id, client: client.name, scopes, grant: grant.id });
    return pages.answer(returnTo, { code }, set);
  };

  const deny = (asked: AuthorizationRequest, user: string | undefined) => {
    security('access denied', { user, clientId: asked.client.id });
    return pages.answer(asked.returnTo, {
      error: 'access_denied',
      error_description: 'The person did not allow it',
    });
  };

  /** An open page does not prove a login: signing out in any tab ends it. */
  const isSignedIn = async (request: Request, browser: string, user: string) => {
    const session = cookies.session.read(request);
    return session !== undefined && (await sessions.userOf(session, browser)) === user;
  };

  const switchUser = async (request: Request, asked: AuthorizationRequest, browser: string) => {
    const session = cookies.session.read(request);
    if (session !== undefined) await sessions.end(session);
    return askLogin(asked, { browser, cookies: [cookies.session.clear()] });
  };

  const get: Handler = async (request, { address }) =>
    begin(request, await read(new URL(request.url).search.slice(1), address));

  const post: Handler = async (request, { address }) => {
    if (isFromElsewhere(request, options.issuer)) return refuseForm(security, address, 'another site');
    const form = await readForm(request);
    const browser = cookies.browser.read(request);
    const opened = await tickets.open(form.require('ticket'), browser);
    if (opened.kind === 'foreign' || browser === undefined)
      return refuseForm(security, address, 'another browser');
    const asked = await read(opened.facts.query, address);
    if (opened.kind === 'over') return begin(request, asked, 'again');
    const { user } = opened.facts;
    switch (form.get('action')) {
      case 'deny':
        return deny(asked, user);
      case 'switch':
        return switchUser(request, asked, browser);
      case 'approve':
        return user !== undefined && (await isSignedIn(request, browser, user))
          ? approve(asked, user)
          : askLogin(asked, { browser, cookies: [] }, 'again');
      default:
        return logIn(asked, form, {
          browser,
          device: cookies.device.read(request) ?? newSecret(),
          address,
        });
    }
  };

  return { get: shownOnPages(get, options), post: shownOnPages(post, options) };
}

function consentOf({ client, returnTo, scopes }: AuthorizationRequest, user: string) {
  return { user, clientId: client.id, destination: destinationOf(returnTo.redirectUri).host, scopes };
}

function shownOnPages(handle: Handler, { pages, log }: AuthorizeOptions): Handler {
  return async (request, caller) => {
    try {
      return await handle(request, caller);
    } catch (error) {
      if (error instanceof OAuthError) return pages.problem(error);
      return failurePage(error, log);
    }
  };
}

/**
 * The authorization endpoint: a person logs in, decides, and is redirected to the client with a code. A login of the
 * last few minutes replaces the password but never the decision; an earlier consent replaces the decision but never
 * the password. No code is issued without one of the two.
 */
import type { Handler } from '../shared/exchange.ts';
import { type AccessLevel, accessOf, confinesTo, mostAccessOf } from '../shared/principal.ts';
import type { Codes } from './access-tokens.ts';
import { OAuthError, onPages } from './answers.ts';
import { type AuthorizationRequest, readAuthorizationRequest } from './authorization-request.ts';
import { type AuthorizePages, createAuthorizePages } from './authorize-pages.ts';
import type { Clients } from './clients.ts';
import { BROWSER_SECONDS, type Consents } from './consents.ts';
import { capScopes, confineScopes } from './cut-scopes.ts';
import { type FormOptions, type LoginNotice, logInBy, noticeOf, openForm } from './forms.ts';
import type { Subjects } from './grants.ts';
import type { Parameters } from './parameters.ts';
import { destinationOf } from './redirect-uri.ts';
import type { Resource } from './scopes.ts';
import { levelsFor, notebooksToChoose, type ServedAccess } from './served-access.ts';
import { newId, newSecret } from './tickets.ts';

interface AuthorizeOptions extends FormOptions {
  readonly clients: Clients;
  readonly resource: Resource;
  readonly consents: Consents;
  readonly codes: Codes;
  readonly subjects: Subjects;
  readonly served: ServedAccess;
}

export function createAuthorize(options: AuthorizeOptions): {
  readonly get: Handler;
  readonly post: Handler;
} {
  const { cookies, sessions, log } = options;
  const pages = createAuthorizePages(options);
  const { isAllowedBefore, mostOf, choiceFor, chosenIn, approve, deny } = createDecisions(options, pages);
  const read = (query: string, address: string) => readAuthorizationRequest(query, address, options);
  /** Cut to what the person's role allows. */
  const within = async (asked: AuthorizationRequest, user: string): Promise<AuthorizationRequest> => {
    const most = await options.subjects.mostOf({ kind: 'user', name: user });
    return most === undefined ? asked : { ...asked, scopes: capScopes(asked.scopes, most) };
  };

  const begin = async (request: Request, asked: AuthorizationRequest, after?: LoginNotice) => {
    const browser = cookies.browser.read(request) ?? newSecret();
    const set = [cookies.browser.set(browser, BROWSER_SECONDS)];
    const before = asked.prompt.has('login') ? undefined : cookies.session.read(request);
    const session = before === undefined ? undefined : await sessions.renew(before, browser);
    if (!session) return pages.login(asked, { browser, cookies: set }, after);
    const renewed = [...set, cookies.session.set(session.id, session.secondsLeft)];
    return askConsent(asked, { browser, cookies: renewed }, session.user);
  };

  const askConsent = async (
    wanted: AuthorizationRequest,
    visit: { readonly browser: string; readonly cookies: readonly string[] },
    user: string,
  ) => {
    const asked = await within(wanted, user);
    return pages.consent(asked, visit, { user, ...(await choiceFor(asked, user)) });
  };

  /** An open page does not prove a login: signing out in any tab ends it. */
  const isSignedIn = async (request: Request, browser: string, user: string) => {
    const session = cookies.session.read(request);
    return session !== undefined && (await sessions.userOf(session, browser)) === user;
  };

  const switchUser = async (request: Request, asked: AuthorizationRequest, browser: string) => {
    const session = cookies.session.read(request);
    if (session !== undefined) await sessions.end(session);
    return pages.login(asked, { browser, cookies: [cookies.session.clear()] });
  };

  const get: Handler = async (request, { address }) =>
    begin(request, await read(new URL(request.url).search.slice(1), address));

  const post: Handler = async (request, { address }) => {
    const form = await openForm(request, address, options);
    if (form instanceof Response) return form;
    const { fields, browser, ticket } = form;
    const asked = await read(ticket.facts.query, address);
    if (ticket.kind === 'over') return begin(request, asked, 'again');
    const { user } = ticket.facts;
    switch (fields.get('action')) {
      case 'deny':
        return deny(asked, user);
      case 'switch':
        return switchUser(request, asked, browser);
      case 'approve': {
        if (user === undefined || !(await isSignedIn(request, browser, user)))
          return pages.login(asked, { browser }, 'again');
        const allowed = await within(asked, user);
        return approve(allowed, user, await chosenIn(fields, allowed, user));
      }
      default: {
        const login = await logInBy(form, { request, address }, options);
        if (login.kind !== 'in') return pages.login(asked, { browser }, noticeOf(login));
        const allowed = await within(asked, login.user);
        return (await isAllowedBefore(allowed, login.user))
          ? approve(allowed, login.user, { chosen: mostOf(allowed) }, login.cookies)
          : askConsent(asked, { browser, cookies: login.cookies }, login.user);
      }
    }
  };

  return { get: onPages(get, log, pages.problem), post: onPages(post, log, pages.problem) };
}

/** What a person allows of what is asked for. */
interface Choice {
  readonly chosen: AccessLevel;
  /** Only in these notebooks. Default: wherever the app asks for. */
  readonly among?: readonly string[];
}

/** The outcomes of a request: a code for the client, or a refusal. */
function createDecisions(options: AuthorizeOptions, pages: AuthorizePages) {
  const { clients, consents, codes, subjects, resource, security, served } = options;
  const levelsOf = ({ scopes }: AuthorizationRequest) => levelsFor(scopes, served);
  const mostOf = (asked: AuthorizationRequest) => levelsOf(asked).at(-1) ?? 'read';
  const choiceFor = async (asked: AuthorizationRequest, user: string): Promise<Choice> => {
    const before = (await consents.chosenLess(appOf(asked, user))) ?? [];
    const level = mostAccessOf(before);
    const chosen = level !== undefined && levelsOf(asked).includes(level) ? level : mostOf(asked);
    const names = before.length > 0 ? confinesTo(before) : undefined;
    const among = names && choosable(asked).filter((name) => names.has(name));
    return among && among.length > 0 ? { chosen, among } : { chosen };
  };
  /** Notebooks that a person can choose from for an app that asks for all. */
  const choosable = ({ scopes }: AuthorizationRequest) =>
    accessOf(scopes) === undefined ? [] : notebooksToChoose(served);
  return {
    mostOf,
    /** What is preselected: all that is asked for, unless the person allowed less before. */
    choiceFor,
    /** The level in a form; an app never gets more than it asked for. */
    async chosenIn(fields: Parameters, asked: AuthorizationRequest, user: string): Promise<Choice> {
      const text = fields.get('access');
      const usual = await choiceFor(asked, user);
      const chosen = text === undefined ? usual.chosen : levelsOf(asked).find((known) => known === text);
      if (chosen === undefined)
        throw new OAuthError('invalid_request', 'This access cannot be given to this app');
      if (fields.get('notebooks') === undefined) return { ...usual, chosen };
      const all = choosable(asked);
      const among = all.filter((name) => fields.get(`in:${name}`) !== undefined);
      if (among.length === 0)
        throw new OAuthError('invalid_request', 'No notebook was chosen, so there is nothing to allow');
      return among.length === all.length ? { chosen } : { chosen, among };
    },

    /** Any app can claim a private-use scheme, so consent given to one is never reused for another (RFC 8252 §8.6). */
    async isAllowedBefore(asked: AuthorizationRequest, user: string): Promise<boolean> {
      if (asked.prompt.has('consent')) return false;
      if (destinationOf(asked.returnTo.redirectUri).kind === 'app') return false;
      const scopes = capScopes(asked.scopes, mostOf(asked));
      return consents.covers({ ...appOf(asked, user), scopes });
    },
    async approve(
      asked: AuthorizationRequest,
      user: string,
      { chosen, among }: Choice,
      cookies: readonly string[] = [],
    ): Promise<Response> {
      const { client, returnTo, challenge, offline } = asked;
      const allowed = capScopes(asked.scopes, chosen);
      const scopes = among ? confineScopes(allowed, among) : allowed;
      const isLess = chosen !== mostOf(asked) || among !== undefined;
      const subject = { kind: 'user' as const, name: user };
      const mark = await subjects.markOf(subject);
      if (mark === undefined) throw new OAuthError('access_denied', 'This user is not known here any more');
      await consents.remember({ ...appOf(asked, user), scopes }, isLess);
      await clients.approved(client);
      const grant = { id: newId(), subject, clientId: client.id, scopes, resource: resource.id, mark };
      const code = await codes.issue({
        grant,
        redirectUri: returnTo.redirectUri,
        challenge,
        offline,
        jkt: asked.jkt,
      });
      const { id: clientId, name } = client;
      security('access approved', { user, clientId, client: name, scopes, grant: grant.id });
      return pages.answer(returnTo, { code }, cookies);
    },
    deny({ client, returnTo }: AuthorizationRequest, user: string | undefined): Response {
      security('access denied', { user, clientId: client.id });
      return pages.answer(returnTo, {
        error: 'access_denied',
        error_description: 'The person did not allow it',
      });
    },
  };
}

function appOf({ client, returnTo }: AuthorizationRequest, user: string) {
  return { user, clientId: client.id, destination: destinationOf(returnTo.redirectUri).host };
}

/**
 * The account page, where people see and revoke the apps that may use their notes. Needs a login; a form is accepted
 * only with both its ticket and the login.
 */
import type { Handler } from '../shared/exchange.ts';
import type { Log } from '../shared/log.ts';
import { failurePage, OAuthError, page, redirect } from './answers.ts';
import { LOGIN_STATUS } from './authorize-pages.ts';
import { BROWSER_SECONDS, type Consents, type Session } from './consents.ts';
import { type FormOptions, logInBy, openForm, refuseForm } from './forms.ts';
import type { Grants } from './grants.ts';
import { accountPage, errorPage } from './pages/account-page.ts';
import { type LoginPageFacts, loginPage } from './pages/login-page.ts';
import { newSecret } from './tickets.ts';

interface AccountOptions extends FormOptions {
  /** Whether logins have user names. */
  readonly hasUsers: boolean;
  readonly grants: Grants;
  readonly consents: Consents;
  readonly log: Log;
}

/**
 * Takes the place of the authorization request in this page's tickets, so that tickets of one form do not open the
 * other.
 */
const HERE = 'account';

export function createAccount(options: AccountOptions): { readonly get: Handler; readonly post: Handler } {
  const { issuer, tickets, cookies, sessions, grants, security } = options;
  const action = `${issuer}/account`;

  const sessionOf = async (request: Request, browser: string): Promise<Session | undefined> => {
    const id = cookies.session.read(request);
    return id === undefined ? undefined : sessions.renew(id, browser);
  };
  const keeping = ({ id, secondsLeft }: Session) => cookies.session.set(id, secondsLeft);

  const askLogin = async (browser: string, after?: LoginPageFacts['after']) => {
    const html = loginPage({
      action,
      ticket: await tickets.issue({ query: HERE }, browser),
      asks: options.hasUsers ? 'name and password' : 'owner token',
      after,
    });
    return page(html, {
      status: after === undefined ? 200 : LOGIN_STATUS[after],
      cookies: [cookies.browser.set(browser, BROWSER_SECONDS)],
    });
  };

  const show = async (request: Request, after?: LoginPageFacts['after']) => {
    const browser = cookies.browser.read(request) ?? newSecret();
    const session = await sessionOf(request, browser);
    if (!session) return askLogin(browser, after);
    const { user } = session;
    const html = accountPage({
      action,
      ticket: await tickets.issue({ query: HERE, user }, browser),
      apps: await grants.of(user),
      user: options.hasUsers ? user : undefined,
    });
    return page(html, { cookies: [cookies.browser.set(browser, BROWSER_SECONDS), keeping(session)] });
  };

  const revoke = async (id: string, session: Session) => {
    const revoked = await grants.revoke(id, session.user);
    if (revoked) {
      const { user, clientId, clientName, destination } = revoked;
      await options.consents.forget({ user, clientId, destination });
      security('access revoked', { user, clientId, client: clientName, grant: id });
    }
    return redirect(action, [keeping(session)]);
  };

  const post: Handler = async (request, { address }) => {
    const form = await openForm(request, address, options);
    if (form instanceof Response) return form;
    const { fields, browser, ticket } = form;
    if (ticket.facts.query !== HERE) return refuseForm(security, address, 'another browser');
    if (ticket.kind === 'over') return show(request, 'again');
    if (fields.get('action') === 'login') {
      const login = await logInBy(form, { request, address }, options);
      return login.kind === 'in' ? redirect(action, login.cookies) : askLogin(browser, login.kind);
    }
    const session = await sessionOf(request, browser);
    if (!session || session.user !== ticket.facts.user) return askLogin(browser, 'again');
    const id = fields.get('revoke');
    if (id !== undefined) return revoke(id, session);
    await sessions.end(session.id);
    return redirect(action, [cookies.session.clear()]);
  };

  return {
    get: onPages((request) => show(request), options.log),
    post: onPages(post, options.log),
  };
}

function onPages(handle: Handler, log: Log): Handler {
  return async (request, caller) => {
    try {
      return await handle(request, caller);
    } catch (error) {
      if (!(error instanceof OAuthError)) return failurePage(error, log);
      const html = errorPage({
        title: 'This form cannot be used',
        message: error.message,
        hint: 'Open the page again.',
      });
      return page(html, { status: error.status });
    }
  };
}

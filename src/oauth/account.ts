/**
 * The account page, where people see and revoke the apps that may use their notes. Needs a login; a form is accepted
 * only with both its ticket and the login.
 */
import type { Handler } from '../shared/exchange.ts';
import type { AccessLevel } from '../shared/principal.ts';
import { type OAuthError, onPages, page, redirect } from './answers.ts';
import { BROWSER_SECONDS, type Consents, type Session } from './consents.ts';
import {
  askLogin,
  type FormOptions,
  type LoginNotice,
  logInBy,
  noticeOf,
  openForm,
  refuseForm,
  type SecondStep,
} from './forms.ts';
import type { GrantRecord, Grants, Subjects } from './grants.ts';
import { accountPage, errorPage, signedOutPage } from './pages/account-page.ts';
import type { ServedAccess } from './served-access.ts';
import { newSecret } from './tickets.ts';
import type { Directory } from './users.ts';

interface AccountOptions extends FormOptions {
  readonly grants: Grants;
  readonly consents: Consents;
  readonly served: ServedAccess;
  readonly directory: Directory;
  readonly subjects: Subjects;
}

/**
 * Takes the place of the authorization request in this page's tickets, so that tickets of one form do not open the
 * other.
 */
const HERE = 'account';

export function createAccount(options: AccountOptions): { readonly get: Handler; readonly post: Handler } {
  const { issuer, tickets, cookies, sessions, grants, security } = options;
  const revokeGrant = createRevoke(options);
  const action = `${issuer}/account`;

  const sessionOf = async (request: Request, browser: string): Promise<Session | undefined> => {
    const id = cookies.session.read(request);
    return id === undefined ? undefined : sessions.renew(id, browser);
  };
  const keeping = ({ id, secondsLeft }: Session) => cookies.session.set(id, secondsLeft);

  const ask = (browser: string, after?: LoginNotice | SecondStep) =>
    askLogin(
      { query: HERE, action },
      { browser, cookies: [cookies.browser.set(browser, BROWSER_SECONDS)] },
      options,
      after,
    );

  const show = async (request: Request, after?: LoginNotice) => {
    const browser = cookies.browser.read(request) ?? newSecret();
    const session = await sessionOf(request, browser);
    if (!session) return ask(browser, after);
    const { user } = session;
    const html = accountPage({
      action,
      ticket: await tickets.issue({ query: HERE, user }, browser),
      apps: await grants.of(user),
      served: { ...options.served, most: await options.subjects.mostOf({ kind: 'user', name: user }) },
      user: options.hasUsers ? user : undefined,
      hasPassword: options.hasUsers && (await options.directory.find(user))?.hash !== undefined,
    });
    return page(html, { cookies: [cookies.browser.set(browser, BROWSER_SECONDS), keeping(session)] });
  };

  const revoke = async (id: string, session: Session) => {
    await revokeGrant(id, session.user);
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
      return login.kind === 'in' ? redirect(action, login.cookies) : ask(browser, noticeOf(login));
    }
    const session = await sessionOf(request, browser);
    if (!session || session.user !== ticket.facts.user) return ask(browser, 'again');
    const id = fields.get('revoke');
    if (id !== undefined) return revoke(id, session);
    await sessions.end(session.id);
    const leaves = [cookies.session.clear()];
    const account = options.provider && (await options.directory.find(session.user));
    return options.provider && account?.source === 'provider'
      ? page(signedOutPage(action, options.provider.signOutLink), { cookies: leaves })
      : redirect(action, leaves);
  };

  return {
    get: onPages((request) => show(request), options.log, unusableForm),
    post: onPages(post, options.log, unusableForm),
  };
}

/** Revokes a person's grant, with the consent, so that the app has to ask again. */
export function createRevoke({
  grants,
  consents,
  security,
}: Pick<AccountOptions, 'grants' | 'consents' | 'security'>) {
  return async (id: string, owner: string): Promise<GrantRecord | undefined> => {
    const revoked = await grants.revoke(id, owner);
    if (!revoked) return undefined;
    const { user, clientId, clientName, destination } = revoked;
    await consents.forget({ user, clientId, destination });
    security('access revoked', { user, clientId, client: clientName, grant: id });
    return revoked;
  };
}

/** Changes what an app may do, and what its person is taken to have chosen when it asks again. */
export function createSetAccess({
  grants,
  consents,
  security,
}: Pick<AccountOptions, 'grants' | 'consents' | 'security'>) {
  return async (id: string, owner: string, access: AccessLevel): Promise<GrantRecord | undefined> => {
    const changed = await grants.setAccess(id, owner, access);
    if (!changed) return undefined;
    const { user, clientId, clientName, destination, scopes } = changed;
    await consents.remember({ user, clientId, destination, scopes }, access !== 'write');
    security('access changed', { user, clientId, client: clientName, grant: id, scopes });
    return changed;
  };
}

function unusableForm({ message, status }: OAuthError): Response {
  const html = errorPage({ title: 'This form cannot be used', message, hint: 'Open the page again.' });
  return page(html, { status });
}

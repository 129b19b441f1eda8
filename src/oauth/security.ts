/**
 * The page where people with a password change it, and add and remove second factors. Every change needs the password
 * again; a ticket that was given for the password allows the one step that follows.
 */
import { isAppError } from '../shared/errors.ts';
import type { Handler } from '../shared/exchange.ts';
import { onPages, page, redirect } from './answers.ts';
import { BROWSER_SECONDS, type Session } from './consents.ts';
import { otpauthUri } from './factors/totp.ts';
import { challengeBytes, challengeOf, type FormOptions, jsonIn, openForm, refuseForm } from './forms.ts';
import { errorPage } from './pages/account-page.ts';
import {
  passkeyPage,
  passwordChangedPage,
  recoveryPage,
  securityPage,
  totpPage,
} from './pages/security-page.ts';
import type { Parameters } from './parameters.ts';
import { hashPassword } from './passwords.ts';
import { newSecret } from './tickets.ts';
import type { Directory } from './users.ts';

interface SecurityOptions extends FormOptions {
  readonly directory: Directory;
}

/** Queries of the tickets: of the list, and of the two steps that follow a password. */
const [HERE, APP, PASSKEY] = ['security', 'security app', 'security passkey'];

type Notice = 'refused' | 'slowed' | 'busy' | 'again' | 'unfit' | 'weak';

interface Visit {
  readonly browser: string;
  readonly session: Session;
}

export function createSecurityPage(options: SecurityOptions): {
  readonly get: Handler;
  readonly post: Handler;
} {
  const { issuer, tickets, cookies, sessions, factors, directory, login } = options;
  const action = `${issuer}/account/security`;
  const library = () => import('./factors/library.ts');

  const visitOf = async (request: Request): Promise<Visit | undefined> => {
    const browser = cookies.browser.read(request) ?? newSecret();
    const id = cookies.session.read(request);
    const session = id === undefined ? undefined : await sessions.renew(id, browser);
    return session && { browser, session };
  };
  const shown = (
    html: string,
    { browser, session }: Visit,
    more: { status?: number; runsPasskeys?: boolean } = {},
  ) =>
    page(html, {
      ...more,
      cookies: [
        cookies.browser.set(browser, BROWSER_SECONDS),
        cookies.session.set(session.id, session.secondsLeft),
      ],
    });
  const ticketFor = (query: string, { browser, session }: Visit) =>
    tickets.issue({ query, user: session.user }, browser);

  const list = async (visit: Visit, after?: Notice) => {
    const { user } = visit.session;
    const ticket = await ticketFor(HERE, visit);
    const isOwn = (await directory.find(user))?.source === 'state';
    const html = securityPage({ action, ticket, user, isOwn, after, ...(await factors.summary(user)) });
    return shown(html, visit, { status: after === undefined ? 200 : STATUS[after] });
  };
  const askApp = async (visit: Visit, secret: string, isWrong = false) => {
    const uri = otpauthUri(secret, { user: visit.session.user, issuer: `Quire ${factors.site.id}` });
    const { qrCode } = await library();
    const ticket = await ticketFor(APP, visit);
    return shown(totpPage({ action, ticket, secret, qr: qrCode(uri), uri, isWrong }), visit, {
      status: isWrong ? 403 : 200,
    });
  };
  const askPasskey = async (visit: Visit) => {
    const { user } = visit.session;
    const ticket = await ticketFor(PASSKEY, visit);
    const { registrationOptions } = await library();
    const known = (await factors.summary(user)).passkeys;
    const made = await registrationOptions(factors.site, challengeBytes(ticket), { user, known });
    return shown(passkeyPage({ action, ticket, passkey: made }), visit, { runsPasskeys: true });
  };
  /** Recovery codes come with the first factor. */
  const afterAdding = async (visit: Visit, isForced = false) => {
    const { user } = visit.session;
    const { recoveryLeft } = await factors.summary(user);
    if (recoveryLeft > 0 && !isForced)
      return redirect(action, [cookies.session.set(visit.session.id, visit.session.secondsLeft)]);
    return shown(recoveryPage(action, await factors.newRecoveryCodes(user)), visit);
  };

  /** Ends all sessions and grants of the person, this session with them. */
  const changePassword = async (visit: Visit, password: string): Promise<Response> => {
    const { user } = visit.session;
    if ((await directory.find(user))?.source !== 'state') return list(visit, 'again');
    try {
      await directory.setPassword(user, await hashPassword(password), user);
    } catch (error) {
      if (isAppError(error, 'invalid_input')) return list(visit, 'weak');
      throw error;
    }
    return page(passwordChangedPage(`${issuer}/account`), { cookies: [cookies.session.clear()] });
  };

  const withPassword = async (visit: Visit, fields: Parameters): Promise<Response> => {
    const { user } = visit.session;
    const remove = fields.get('remove');
    if (remove !== undefined) {
      await factors.remove(user, remove === 'app' ? 'app' : { passkey: remove });
      return list(visit);
    }
    switch (fields.get('action')) {
      case 'app':
        return askApp(visit, await factors.beginTotp(user));
      case 'passkey':
        return askPasskey(visit);
      case 'recovery':
        return afterAdding(visit, true);
      case 'password':
        return changePassword(visit, fields.get('new_password') ?? '');
      default:
        return list(visit, 'again');
    }
  };

  /** The step after the password, whose ticket says which. */
  const finish = async (visit: Visit, query: string, fields: Parameters): Promise<Response> => {
    const { user } = visit.session;
    if (query === APP) {
      if (await factors.confirmTotp(user, fields.get('code') ?? '')) return afterAdding(visit);
      const pending = await factors.pendingTotp(user);
      return pending === undefined ? list(visit, 'again') : askApp(visit, pending, true);
    }
    const response = jsonIn(fields.get('passkey') ?? '');
    const challenge = challengeOf(fields.require('ticket'));
    const isAdded = await factors.addPasskey(user, { challenge, response }, fields.get('label') ?? '');
    return isAdded ? afterAdding(visit) : list(visit, 'unfit');
  };

  /** People of an identity provider have their second factors there. */
  const isFor = async ({ session }: Visit) => (await directory.find(session.user))?.hash !== undefined;

  const get: Handler = async (request) => {
    const visit = await visitOf(request);
    if (!visit || !(await isFor(visit))) return redirect(`${issuer}/account`);
    return list(visit);
  };
  const post: Handler = async (request, { address }) => {
    const form = await openForm(request, address, options);
    if (form instanceof Response) return form;
    const { fields, ticket } = form;
    const { query } = ticket.facts;
    if (![HERE, APP, PASSKEY].includes(query))
      return refuseForm(options.security, address, 'another browser');
    const visit = await visitOf(request);
    if (!visit || !(await isFor(visit))) return redirect(`${issuer}/account`);
    if (ticket.kind === 'over' || ticket.facts.user !== visit.session.user) return list(visit, 'again');
    if (query !== HERE) return finish(visit, query, fields);
    const device = cookies.device.read(request);
    const credentials = { name: visit.session.user, password: fields.get('password') ?? '' };
    const outcome = await login(credentials, { address, device });
    return outcome.kind === 'in' ? withPassword(visit, fields) : list(visit, outcome.kind);
  };

  return { get: onPages(get, options.log, unusable), post: onPages(post, options.log, unusable) };
}

const STATUS: Readonly<Record<Notice, number>> = {
  refused: 403,
  slowed: 429,
  busy: 503,
  again: 200,
  unfit: 400,
  weak: 400,
};

function unusable({ message, status }: { readonly message: string; readonly status: number }): Response {
  const html = errorPage({ title: 'This form cannot be used', message, hint: 'Open the page again.' });
  return page(html, { status });
}

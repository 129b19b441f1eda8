/**
 * The page where people with a password change it, and add and remove second factors. Every change needs the password
 * again, and a second factor where there is one; a ticket that was given for these allows the one step that follows.
 */
import { isAppError } from '../shared/errors.ts';
import type { Handler } from '../shared/exchange.ts';
import { onPages, page, redirect } from './answers.ts';
import { BROWSER_SECONDS, type Session } from './consents.ts';
import { otpauthUri } from './factors/totp.ts';
import {
  askLogin,
  challengeBytes,
  challengeOf,
  type FormOptions,
  jsonIn,
  type OpenForm,
  openForm,
  refuseForm,
  type SecondStep,
  secondStepOf,
} from './forms.ts';
import { errorPage } from './pages/account-page.ts';
import {
  newPasswordPage,
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

/** Queries of the tickets: of the list, and of the last step of each change. */
const [HERE, APP, PASSKEY, PASSWORD] = ['security', 'security app', 'security passkey', 'security password'];
/** Begins the query of the page for a second factor, before what the person wants to do. */
const FACTOR = 'security factor ';
/** Begins a step that removes the app, or the passkey that it names. */
const REMOVE = 'remove ';

type Notice = 'refused' | 'slowed' | 'busy' | 'again' | 'unfit';

interface Visit {
  readonly browser: string;
  readonly session: Session;
}

export function createSecurityPage(options: SecurityOptions): {
  readonly get: Handler;
  readonly post: Handler;
} {
  const { issuer, tickets, cookies, sessions, factors, directory, login } = options;
  const account = `${issuer}/account`;
  const action = `${account}/security`;
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

  /** Of the state, not of the configuration. */
  const isOwnPassword = async (user: string) => (await directory.find(user))?.source === 'state';

  const list = async (visit: Visit, after?: Notice) => {
    const { user } = visit.session;
    const ticket = await ticketFor(HERE, visit);
    const isOwn = await isOwnPassword(user);
    const facts = { action, account, ticket, user, isOwn, after };
    const html = securityPage({ ...facts, ...(await factors.summary(user)) });
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
  const askPassword = async (visit: Visit, isWeak = false) => {
    const ticket = await ticketFor(PASSWORD, visit);
    return shown(newPasswordPage({ action, ticket, isWeak }), visit, { status: isWeak ? 400 : 200 });
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
    try {
      await directory.setPassword(user, await hashPassword(password), user);
    } catch (error) {
      if (isAppError(error, 'invalid_input')) return askPassword(visit, true);
      throw error;
    }
    return page(passwordChangedPage(account), { cookies: [cookies.session.clear()] });
  };

  /** What a form asks for, when the person has proven to be there. */
  const carryOut = async (visit: Visit, step: string): Promise<Response> => {
    const { user } = visit.session;
    switch (step) {
      case 'app':
        return askApp(visit, await factors.beginTotp(user));
      case 'passkey':
        return askPasskey(visit);
      case 'recovery':
        return afterAdding(visit, true);
      case 'password':
        return (await isOwnPassword(user)) ? askPassword(visit) : list(visit, 'again');
      default:
        if (!step.startsWith(REMOVE)) return list(visit, 'again');
        await factors.remove(user, whatIn(step));
        return list(visit);
    }
  };

  const askFactor = ({ browser, session }: Visit, step: string, after?: SecondStep['after']) =>
    askLogin(
      { query: FACTOR + step, action, purpose: purposeOf(step) },
      { browser, cookies: [cookies.session.set(session.id, session.secondsLeft)] },
      options,
      { kind: 'second', user: session.user, after },
    );

  /** A person who has a second factor is asked for it too: a password and an open page may be another's. */
  const withPassword = async (visit: Visit, step: string): Promise<Response> =>
    (await factors.isNeeded(visit.session.user)) ? askFactor(visit, step) : carryOut(visit, step);

  const withFactor = async (visit: Visit, form: OpenForm, step: string): Promise<Response> => {
    const outcome = await secondStepOf(form, options);
    if (outcome?.kind === 'second') return askFactor(visit, step, outcome.after);
    return outcome?.kind === 'in' ? carryOut(visit, step) : list(visit, 'again');
  };

  /** The last step, whose ticket says which. */
  const finish = async (visit: Visit, query: string, fields: Parameters): Promise<Response> => {
    const { user } = visit.session;
    if (query === PASSWORD) return changePassword(visit, fields.get('new_password') ?? '');
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
    if (!visit || !(await isFor(visit))) return redirect(account);
    return list(visit);
  };
  const post: Handler = async (request, { address }) => {
    const form = await openForm(request, address, options);
    if (form instanceof Response) return form;
    const { fields, ticket } = form;
    const { query } = ticket.facts;
    if (![HERE, APP, PASSKEY, PASSWORD].includes(query) && !query.startsWith(FACTOR))
      return refuseForm(options.security, address, 'another browser');
    const visit = await visitOf(request);
    if (!visit || !(await isFor(visit))) return redirect(account);
    if (ticket.kind === 'over') return list(visit, 'again');
    const { user, pending = user } = ticket.facts;
    if (pending !== visit.session.user) return list(visit, 'again');
    if (query.startsWith(FACTOR)) return withFactor(visit, form, query.slice(FACTOR.length));
    if (query !== HERE) return finish(visit, query, fields);
    const device = cookies.device.read(request);
    const credentials = { name: visit.session.user, password: fields.get('password') ?? '' };
    const outcome = await login(credentials, { address, device });
    return outcome.kind === 'in' ? withPassword(visit, stepIn(fields)) : list(visit, outcome.kind);
  };

  return { get: onPages(get, options.log, unusable), post: onPages(post, options.log, unusable) };
}

const STATUS: Readonly<Record<Notice, number>> = {
  refused: 403,
  slowed: 429,
  busy: 503,
  again: 200,
  unfit: 400,
};

function stepIn(fields: Parameters): string {
  const remove = fields.get('remove');
  return remove === undefined ? (fields.get('action') ?? '') : REMOVE + remove;
}

const PURPOSES: Readonly<Record<string, string>> = {
  app: 'Set up an app',
  passkey: 'Add a passkey',
  recovery: 'Make new recovery codes',
  password: 'Change the password',
  'remove app': 'Remove the app',
};

function purposeOf(step: string): string | undefined {
  return step.startsWith(REMOVE) ? (PURPOSES[step] ?? 'Remove a passkey') : PURPOSES[step];
}

function whatIn(step: string): 'app' | { readonly passkey: string } {
  const what = step.slice(REMOVE.length);
  return what === 'app' ? 'app' : { passkey: what };
}

function unusable({ message, status }: { readonly message: string; readonly status: number }): Response {
  const html = errorPage({ title: 'This form cannot be used', message, hint: 'Open the page again.' });
  return page(html, { status });
}

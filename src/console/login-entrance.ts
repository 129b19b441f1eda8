/** The way into the console with the login of the authorization server. */
import type { OAuthError } from '../oauth/answers.ts';
import { onPages } from '../oauth/answers.ts';
import { BROWSER_SECONDS } from '../oauth/consents.ts';
import {
  askLogin,
  type FormOptions,
  type LoginNotice,
  logInBy,
  noticeOf,
  openForm,
  refuseForm,
  type SecondStep,
} from '../oauth/forms.ts';
import { newSecret } from '../oauth/tickets.ts';
import type { Handler } from '../shared/exchange.ts';
import { html } from '../shared/html.ts';
import type { ConsoleAccess } from './access.ts';
import { ENTRANCE_PATH, type Entrance, entrancePage, safeNext } from './entrance.ts';
import { pageAnswer, redirectTo } from './frame.ts';

interface LoginParts {
  readonly access: ConsoleAccess;
  readonly forms: FormOptions;
}

/** Begins the query of this page's tickets, so that tickets of one form do not open another. */
const HERE = 'console ';

export function createLoginEntrance({ access, forms }: LoginParts): Entrance {
  const { tickets, cookies, issuer, security, log } = forms;
  const action = `${issuer}${ENTRANCE_PATH}`;
  const ask = (browser: string, next: string, after?: LoginNotice | SecondStep) =>
    askLogin(
      { query: HERE + next, action, purpose: 'Sign in to the console' },
      { browser, cookies: [cookies.browser.set(browser, BROWSER_SECONDS)] },
      forms,
      after,
    );
  const show: Handler = async (request) => {
    const { searchParams } = new URL(request.url);
    const browser = cookies.browser.read(request);
    const given = searchParams.get('ticket');
    const ticket = given === null ? undefined : await tickets.open(given, browser);
    // Of somebody who has just signed in with an identity provider.
    if (ticket?.kind === 'good' && ticket.facts.user !== undefined && ticket.facts.query.startsWith(HERE))
      return redirectTo(safeNext(ticket.facts.query.slice(HERE.length)), [
        await access.begin(ticket.facts.user),
      ]);
    return ask(browser ?? newSecret(), safeNext(searchParams.get('next')));
  };
  const post: Handler = async (request, { address }) => {
    const form = await openForm(request, address, forms);
    if (form instanceof Response) return form;
    const { browser, ticket } = form;
    if (!ticket.facts.query.startsWith(HERE)) return refuseForm(security, address, 'another browser');
    const next = safeNext(ticket.facts.query.slice(HERE.length));
    if (ticket.kind === 'over') return ask(browser, next, 'again');
    const login = await logInBy(form, { request, address }, forms);
    if (login.kind !== 'in') return ask(browser, next, noticeOf(login));
    return redirectTo(next, [...login.cookies, await access.begin(login.user)]);
  };
  return {
    routes: [
      { method: 'GET', path: ENTRANCE_PATH, handle: onPages(show, log, unusable), anyOrigin: true },
      { method: 'POST', path: ENTRANCE_PATH, handle: onPages(post, log, unusable), anyOrigin: true },
    ],
  };
}

function unusable({ message, status }: OAuthError): Response {
  const body = html`<p class="problem" role="alert">${message}</p><p><a href="${ENTRANCE_PATH}">Open the page again</a></p>`;
  return pageAnswer(entrancePage('This form cannot be used', body), { status });
}

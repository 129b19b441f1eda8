/** Renders the pages of the authorization endpoint. */

import type { AccessLevel } from '../shared/principal.ts';
import { type OAuthError, page, type ReturnAddress, redirect } from './answers.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import { askLogin, type FormOptions, type LoginNotice, type SecondStep } from './forms.ts';
import type { Subjects } from './grants.ts';
import { errorPage } from './pages/account-page.ts';
import { consentPage, type ShownClient } from './pages/consent-page.ts';
import { destinationOf, formActionSource, withParameters } from './redirect-uri.ts';
import type { ServedAccess } from './served-access.ts';

/** One browser's visit: its cookie, and the cookies to set. */
interface BrowserVisit {
  readonly browser: string;
  readonly cookies?: readonly string[];
}

type ResponseParameters = Readonly<Record<string, string>>;

export type AuthorizePages = ReturnType<typeof createAuthorizePages>;

/** Each page with a form has a ticket of its own. */
export function createAuthorizePages(
  options: FormOptions & { readonly served: ServedAccess; readonly subjects: Pick<Subjects, 'mostOf'> },
) {
  const { issuer, tickets, hasUsers, served, subjects } = options;
  const action = `${issuer}/oauth/authorize`;
  const addressOf = ({ redirectUri, state }: ReturnAddress, parameters: ResponseParameters) =>
    withParameters(redirectUri, { ...parameters, state, iss: issuer });
  const leadsTo = ({ returnTo }: AuthorizationRequest) => formActionSource(returnTo.redirectUri);

  return {
    login: (
      asked: AuthorizationRequest,
      visit: BrowserVisit,
      after?: LoginNotice | SecondStep,
    ): Promise<Response> =>
      askLogin(
        { query: asked.query, action, client: shown(asked) },
        { ...visit, leadsTo: leadsTo(asked) },
        options,
        after,
      ),
    async consent(
      asked: AuthorizationRequest,
      { browser, cookies }: BrowserVisit,
      {
        user,
        chosen,
        among,
      }: { readonly user: string; readonly chosen: AccessLevel; readonly among?: readonly string[] },
    ) {
      const ticket = await tickets.issue({ query: asked.query, user }, browser);
      const html = consentPage({
        action,
        ticket,
        client: shown(asked),
        scopes: asked.scopes,
        served: { ...served, most: await subjects.mostOf({ kind: 'user', name: user }) },
        chosen,
        among,
        user: hasUsers ? user : undefined,
      });
      return page(html, { cookies, leadsTo: leadsTo(asked) });
    },
    /** Redirects to the client with the response parameters and the issuer (RFC 9207). */
    answer: (to: ReturnAddress, parameters: ResponseParameters, cookies?: readonly string[]) =>
      redirect(addressOf(to, parameters), cookies),
    problem(error: OAuthError): Response {
      const { returnTo } = error;
      const parameters = { error: error.code, error_description: error.message };
      // Otherwise any registered client could use this server as an open redirector (RFC 9700 §4.11.2).
      if (returnTo?.isTrusted === true) return redirect(addressOf(returnTo, parameters));
      const html = errorPage({
        title: 'This app cannot be connected',
        message: error.message,
        hint: 'Go back to the app and connect again. If that does not help, the app is asking in a way this server does not allow.',
        wayBack: returnTo && {
          host: destinationOf(returnTo.redirectUri).host,
          address: addressOf(returnTo, parameters),
        },
      });
      return page(html, { status: error.status === 401 ? 400 : error.status });
    },
  };
}

function shown({ client, returnTo }: AuthorizationRequest): ShownClient {
  return {
    name: client.name,
    destination: destinationOf(returnTo.redirectUri),
    vouchedBy: voucherOf(client),
  };
}

function voucherOf({ kind, id }: AuthorizationRequest['client']): ShownClient['vouchedBy'] {
  switch (kind) {
    case 'configured':
      return { kind: 'operator' };
    case 'document':
      return { kind: 'site', host: new URL(id).host };
    case 'registered':
      return { kind: 'client' };
  }
}

/** Renders the pages of the authorization endpoint. */
import { type OAuthError, page, type ReturnAddress, redirect } from './answers.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import { errorPage } from './pages/account-page.ts';
import { consentPage, type ShownClient } from './pages/consent-page.ts';
import { type LoginPageFacts, loginPage } from './pages/login-page.ts';
import { destinationOf, formActionSource, withParameters } from './redirect-uri.ts';

/** Fields common to every form. */
interface FormContext {
  readonly ticket: string;
  readonly cookies: readonly string[];
}

export interface AuthorizePages {
  login(asked: AuthorizationRequest, envelope: FormContext, after?: LoginPageFacts['after']): Response;
  consent(asked: AuthorizationRequest, envelope: FormContext, user: string): Response;
  /** Redirects to the client with the response parameters and the issuer (RFC 9207). */
  answer(
    to: ReturnAddress,
    parameters: Readonly<Record<string, string>>,
    cookies?: readonly string[],
  ): Response;
  problem(error: OAuthError): Response;
}

interface AuthorizePagesOptions {
  readonly issuer: string;
  /** Target of the forms. */
  readonly action: string;
  /** Whether logins have user names. */
  readonly hasUsers: boolean;
}

/** Status of a repeated login page, by its reason. */
export const LOGIN_STATUS = { refused: 403, slowed: 429, busy: 503, again: 200 };

export function createAuthorizePages({ issuer, action, hasUsers }: AuthorizePagesOptions): AuthorizePages {
  const addressOf = ({ redirectUri, state }: ReturnAddress, parameters: Readonly<Record<string, string>>) =>
    withParameters(redirectUri, { ...parameters, state, iss: issuer });
  const leadsTo = ({ returnTo }: AuthorizationRequest) => formActionSource(returnTo.redirectUri);

  return {
    login(asked, { ticket, cookies }, after) {
      const html = loginPage({
        action,
        ticket,
        client: shown(asked),
        asks: hasUsers ? 'name and password' : 'owner token',
        after,
      });
      return page(html, {
        status: after === undefined ? 200 : LOGIN_STATUS[after],
        cookies,
        leadsTo: leadsTo(asked),
      });
    },
    consent(asked, { ticket, cookies }, user) {
      const { scopes } = asked;
      const html = consentPage({
        action,
        ticket,
        client: shown(asked),
        scopes,
        user: hasUsers ? user : undefined,
      });
      return page(html, { cookies, leadsTo: leadsTo(asked) });
    },
    answer: (to, parameters, cookies) => redirect(addressOf(to, parameters), cookies),
    problem(error) {
      const { returnTo } = error;
      const parameters = { error: error.code, error_description: error.message };
      // Otherwise any registered client could use this server as an open redirector (RFC 9700 §4.11.2).
      if (returnTo?.isTrusted === true) return redirect(addressOf(returnTo, parameters));
      const html = errorPage({
        title: 'This app cannot be connected',
        message: error.message,
        hint: 'Go back to the app and connect again. If that does not help, the app is asking in a way this server does not allow.',
        wayBack: returnTo
          ? {
              host: destinationOf(returnTo.redirectUri).host,
              address: addressOf(returnTo, parameters),
            }
          : undefined,
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

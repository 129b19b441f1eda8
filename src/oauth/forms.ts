/** What forms of people have in common: which are refused, and what is shown when something fails. */

import type { Log } from '../shared/log.ts';
import { page } from './answers.ts';
import { errorPage } from './pages/account-page.ts';
import type { SecurityLog } from './security-log.ts';

/**
 * Browsers say where a form comes from. `Origin` is `null` when the page, like ours, does not want to be named;
 * old browsers say nothing, and have the cookie and the ticket to pass.
 */
export function isFromElsewhere(request: Request, issuer: string): boolean {
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

export function failurePage(error: unknown, log: Log): Response {
  log('error', 'authorization request failed', { error: String(error) });
  const html = errorPage({
    title: 'Something went wrong',
    message: 'The server could not finish this.',
    hint: 'Try again in a moment. The log of the server has the details.',
  });
  return page(html, { status: 500 });
}

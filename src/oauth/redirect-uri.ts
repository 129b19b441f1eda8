/** Redirect URIs: which ones are allowed, when two are equal, and how they are described to people. */
/** A loopback address, whose port is chosen at run time (RFC 8252 §7.3). */
const LOOPBACK = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?(?=[/?]|$)/;

/** Schemes that act in a browser or system by themselves, instead of opening an app. */
const NEVER =
  /^(?:http|javascript|vbscript|data|file|blob|about|filesystem|view-source|jar|ftp|wss?|mailto|tel|sms|intent|chrome|chrome-extension|edge|resource|search|search-ms|shell|ldap|ms-.*|x-.*):$/;

/** URL parsers accept more, including the delimiters of a Content-Security-Policy. */
const HOST = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:]+\])$/;

const MAX_LENGTH = 2_048;

/** The problem with a redirect URI; undefined when it is allowed. */
export function redirectUriProblem(uri: string): string | undefined {
  if (uri.length > MAX_LENGTH) return `is longer than ${MAX_LENGTH} characters`;
  if (!/^[\x21-\x7e]+$/.test(uri) || /[\\<>"^`{|}]/.test(uri)) return 'holds characters no address has';
  if (!URL.canParse(uri)) return 'is not an absolute address';
  if (uri.includes('#')) return 'has a fragment';
  const url = new URL(uri);
  if (url.username !== '' || url.password !== '') return 'has a user name or password';
  if (url.protocol === 'https:') return HOST.test(url.hostname) ? undefined : 'has a host name no site has';
  if (isLoopback(uri)) return undefined;
  if (url.protocol === 'http:')
    return 'is not https; http is for this device alone (localhost, 127.0.0.1, [::1])';
  if (NEVER.test(url.protocol) || url.protocol.length < 3)
    return `has a scheme no app answers to (${url.protocol})`;
  return undefined;
}

/** Exact string comparison, except for the port of a loopback address. */
export function isSameRedirectUri(asked: string, registered: string): boolean {
  if (asked === registered) return true;
  return isLoopback(asked) && isLoopback(registered) && withoutPort(asked) === withoutPort(registered);
}

/** False for a port beyond 65535. */
export function isLoopback(uri: string): boolean {
  return LOOPBACK.test(uri) && URL.canParse(uri);
}

function withoutPort(uri: string): string {
  return uri.replace(LOOPBACK, 'http://$1');
}

type Destination =
  | { readonly kind: 'web'; readonly host: string }
  | { readonly kind: 'device'; readonly host: string }
  | { readonly kind: 'app'; readonly host: string };

/** The kind of recipient: a site, a program on the person's own device, or an app with a scheme. */
export function destinationOf(uri: string): Destination {
  const url = new URL(uri);
  if (isLoopback(uri)) return { kind: 'device', host: url.hostname };
  return url.protocol === 'https:'
    ? { kind: 'web', host: url.host }
    : { kind: 'app', host: `${url.protocol}${url.host === '' ? '' : `//${url.host}`}` };
}

/**
 * The CSP source for `form-action`, which browsers also apply to redirects of a form. CSP has no syntax for IPv6
 * addresses.
 */
export function formActionSource(uri: string): string {
  const url = new URL(uri);
  if (url.hostname.startsWith('[')) return url.protocol;
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.origin : url.protocol;
}

export function withParameters(
  uri: string,
  parameters: Readonly<Record<string, string | undefined>>,
): string {
  const url = new URL(uri);
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined) url.searchParams.set(name, value);
  return url.href;
}

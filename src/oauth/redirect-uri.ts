/** Where a browser may be sent back to: which addresses a client may have, when two are the same, how to tell a person. */

/** An address with a person's device behind it: its port is whatever was free (RFC 8252 §7.3). */
const LOOPBACK = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?(?=[/?]|$)/;

/** Schemes that do something in a browser or a system by themselves, rather than call an app by its name. */
const NEVER =
  /^(?:http|javascript|vbscript|data|file|blob|about|filesystem|view-source|jar|ftp|wss?|mailto|tel|sms|intent|chrome|chrome-extension|edge|resource|search|search-ms|shell|ldap|ms-.*|x-.*):$/;

/** Parsers let more through, such as the signs that part a policy's rules. */
const HOST = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:]+\])$/;

const MAX_LENGTH = 2_048;

/** What is wrong with an address a client wants to be sent back to. */
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

/** Letter by letter, except for the port of a loopback address. */
export function isSameRedirectUri(asked: string, registered: string): boolean {
  if (asked === registered) return true;
  return isLoopback(asked) && isLoopback(registered) && withoutPort(asked) === withoutPort(registered);
}

/** A port beyond 65535 makes it no address at all. */
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

/** Who gets the answer: a site, something that listens on the person's own device, or an app that answers to a scheme. */
export function destinationOf(uri: string): Destination {
  const url = new URL(uri);
  if (isLoopback(uri)) return { kind: 'device', host: url.hostname };
  return url.protocol === 'https:'
    ? { kind: 'web', host: url.host }
    : { kind: 'app', host: `${url.protocol}${url.host === '' ? '' : `//${url.host}`}` };
}

/** For `form-action`, which browsers apply to what a form is redirected to as well. It has no way to write an IPv6 address. */
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

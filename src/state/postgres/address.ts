/** Addresses of databases. The URL class knows none for a socket, which has no host: `postgres://user@/name?host=/run`. */

/** The schema of all messages about it begins "must be". */
export function addressProblem(address: string): string | undefined {
  if (!/^postgres(?:ql)?:\/\/./.test(address)) return 'must be an address that begins with postgres://';
  return partsOf(address) ? undefined : UNREADABLE;
}

const UNREADABLE =
  'must be an address that begins with postgres://, has one host, and %2F %23 %3F %40 %25 for / # ? @ % within its parts';

/** Undefined for an address that cannot be read, or in which the password may end too early. */
function partsOf(address: string): URL | undefined {
  const withHost = URL.canParse(address) ? address : address.replace('@/', '@socket/');
  if (!URL.canParse(withHost)) return undefined;
  const url = new URL(withHost);
  const isCutOff = url.hash !== '' || (url.username === '' && `${url.pathname}${url.search}`.includes('@'));
  const isPlain = [url.username, url.password, url.pathname, url.hostname].every(isDecodable);
  return isCutOff || !isPlain || url.hostname.includes(',') ? undefined : url;
}

/** A single % stands for itself. */
function isDecodable(part: string): boolean {
  try {
    decodeURIComponent(part.replace(/%(?![\da-f]{2})/gi, '%25'));
    return true;
  } catch {
    return false;
  }
}

/** Server and database of an address, without who logs in. */
export function databasePlace(address: string): string {
  if (!partsOf(address)) return 'the database';
  const [, host = '', database = ''] = /^\w+:\/\/(?:[^/?]*@)?([^/?]*)\/?([^?]*)/.exec(address) ?? [];
  const socket = /[?&]host=([^&]*)/.exec(address)?.[1];
  return `${host || decodeURIComponent(socket ?? 'localhost')}/${database}`;
}

/**
 * The same address for the client library. Of the modes that look at the certificate it knows one, and warns on every
 * start that the others will be another one in its next version.
 */
export function libraryAddress(address: string): string {
  if (/[?&]uselibpqcompat=/.test(address)) return address;
  return address.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, '$1verify-full');
}

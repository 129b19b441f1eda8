/**
 * The address a request comes from. A forwarding header is trusted only as far as the operator's proxies wrote it: from
 * the right, up to the first address that is not a trusted proxy.
 *
 * Only the configured header is read: a proxy that writes X-Forwarded-For passes on a Forwarded that the client made up,
 * and the other way round.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { canonicalAddress, type Networks, parseNetworks } from '../shared/ip-ranges.ts';
import type { Log } from '../shared/log.ts';

type ForwardingHeader = 'x-forwarded-for' | 'forwarded';

interface TrustedProxies {
  readonly includes: Networks;
  readonly header: ForwardingHeader;
}

/** For sockets of the file system, and for clients that have disconnected. */
const UNKNOWN = 'unknown';

/** Takes addresses, networks, `loopback` or `private`; throws for anything else. */
export function trustedProxies(
  networks: readonly string[],
  header: ForwardingHeader = 'x-forwarded-for',
): TrustedProxies {
  return { includes: parseNetworks(networks), header };
}

export function createAddressOf(
  proxies: TrustedProxies,
  onRequest: (headers: IncomingHttpHeaders, socketAddress: string | undefined) => void = () => {},
): (request: IncomingMessage) => string {
  return ({ headers, socket }) => {
    onRequest(headers, socket.remoteAddress);
    return addressOf(headers, socket.remoteAddress, proxies);
  };
}

export function addressOf(
  headers: IncomingHttpHeaders,
  socketAddress: string | undefined,
  proxies: TrustedProxies,
): string {
  let address = canonicalAddress(socketAddress ?? '') ?? UNKNOWN;
  if (!proxies.includes(address)) return address;
  const hops = hopsOf(headers, proxies.header);
  for (let at = hops.length - 1; at >= 0 && proxies.includes(address); at--) {
    const hop = addressIn(hops[at] ?? '');
    // Entries to the left of an unreadable one cannot be trusted.
    if (hop === undefined) break;
    address = hop;
  }
  return address;
}

function hopsOf(headers: IncomingHttpHeaders, header: ForwardingHeader): readonly string[] {
  const text = [headers[header] ?? []].flat().join(',');
  return header === 'forwarded' ? forwardedFor(text) : text.split(',');
}

/** The `for` of each element of a Forwarded header (RFC 7239, section 4); empty where there is none. */
function forwardedFor(text: string): string[] {
  const elements = text.match(/(?:[^",]|"(?:[^"\\]|\\.)*"?)+/g) ?? [];
  return elements.map((element) => {
    const pairs = [...element.matchAll(/(?:^|;)\s*(\w{1,32})=("(?:[^"\\]|\\.)*"|[^;,\s"]*)/g)];
    const mine = pairs.filter((pair) => pair[1]?.toLowerCase() === 'for');
    return mine.length === 1 ? (mine[0]?.[2] ?? '').replace(/^"(.*)"$/, '$1') : '';
  });
}

/** Parses `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1`, `[2001:db8::1]` and `[2001:db8::1]:4711`. */
function addressIn(hop: string): string | undefined {
  const text = hop.trim();
  const bare = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(text) ?? /^([\d.]+):\d{1,5}$/.exec(text);
  return canonicalAddress(bare?.[1] ?? text);
}

interface PublicServer {
  readonly publicUrl?: string | undefined;
  readonly trustedProxies: readonly string[];
}

/** This server speaks plain http, so one at an https address has a proxy in front, whose address all callers share. */
export function hasUnknownProxy({ publicUrl, trustedProxies }: PublicServer): boolean {
  return publicUrl?.startsWith('https:') === true && trustedProxies.length === 0;
}

export function warnOfOneAddress(server: PublicServer, log: Log): void {
  if (!hasUnknownProxy(server)) return;
  log(
    'warn',
    'no trusted proxies are given: all callers behind a proxy count as one address, so they share limits by address and slowed logins',
    { hint: 'Give --trusted-proxies with the address of the proxy in front, such as loopback or private.' },
  );
}

const FORWARDING_HEADERS = ['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host', 'forwarded'];

interface ServerBehindProxy extends PublicServer {
  readonly origin: string;
  readonly log: Log;
}

/** Warns at the first request that came through a proxy, where no proxy is trusted. */
export function warnOfForwarding({ publicUrl, trustedProxies, origin, log }: ServerBehindProxy) {
  let hasWarned = trustedProxies.length > 0;
  return (headers: IncomingHttpHeaders, socketAddress: string | undefined): void => {
    if (hasWarned) return;
    const found = FORWARDING_HEADERS.filter((name) => headers[name] !== undefined);
    if (found.length === 0) return;
    hasWarned = true;
    log('warn', 'forwarding headers are ignored', {
      headers: found.join(', '),
      sender: canonicalAddress(socketAddress ?? '') ?? UNKNOWN,
      effect: `Every caller behind this proxy counts as the address of the proxy and shares its rate limits, and links use ${origin}.`,
      hint: `If the sender is your proxy, give --trusted-proxies with its address (trustedProxies in the configuration file)${publicUrl === undefined ? ', and the public address of this server' : ''}.`,
    });
  };
}

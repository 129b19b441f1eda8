/**
 * Keeps web pages of other sites out. A page whose name was pointed at this machine after it was loaded (DNS
 * rebinding) sends its own name as Host; a page of another site sends its Origin. Both are compared with the names of
 * this server.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { AppError } from '../shared/errors.ts';
import { canonicalAddress, isLoopbackName, reachOf } from '../shared/ip-ranges.ts';

/** Normalized as browsers write it; undefined where it is not just scheme, host and port. */
function originOf(text: string): string | undefined {
  if (!/^https?:\/\/[^\s/?#@\\]+\/?$/i.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text).origin;
}

/** `*` allows all origins. Those of other schemes, such as browser extensions, are compared literally. */
export function originsIn(allowed: readonly string[]): (origin: string) => boolean {
  const known = new Set(allowed.map((text) => originOf(text) ?? text));
  return (text) => known.has('*') || known.has(originOf(text) ?? text);
}

export interface HostRules {
  /** The address that is listened on. */
  readonly host: string;
  readonly publicUrl?: string;
  /** Further names that are answered, `name` or `name:port`. */
  readonly allowedHosts?: readonly string[];
  /** Web origins that may call; `*` for all. */
  readonly allowedOrigins?: readonly string[];
}

/** The problem with the Host or the Origin of a request, for a 403; undefined when both are known. */
export type HostCheck = (request: { readonly headers: IncomingHttpHeaders }) => string | undefined;

interface Place {
  /** In lower case, without brackets and final dot. */
  readonly name: string;
  readonly port: string;
}

export function createHostCheck(rules: HostRules): HostCheck {
  const isHost = hostRule(rules);
  const isOrigin = originRule(rules);
  // Nearly all requests of a server have the same Host, so its result is cached.
  let last: { readonly host: string; readonly place: Place | undefined } | undefined;
  return ({ headers: { host, origin } }) => {
    if (host !== undefined && host !== last?.host) {
      const place = placeOf(host);
      last = { host, place: place && isHost(place) ? place : undefined };
    }
    const place = host === undefined ? undefined : last?.place;
    if (!place)
      return 'This server is not known under that Host. Use its public address, or add the name to allowedHosts.';
    if (origin !== undefined && !isOrigin(origin, place))
      return 'Web pages of that Origin may not call this server. Add the origin to allowedOrigins.';
    return undefined;
  };
}

function hostRule({ host, publicUrl, allowedHosts = [] }: HostRules): (place: Place) => boolean {
  const listening = listeningOn(host);
  const isEverywhere = ['', '0.0.0.0', '::'].includes(listening);
  const named = [...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname]), ...allowedHosts].map(
    (text) => placeOf(text) ?? throwNoHost(text),
  );
  return ({ name, port }) =>
    named.some((known) => known.name === name && (known.port === '' || known.port === port)) ||
    name === listening ||
    // Only names can be pointed somewhere else (rebound); an address cannot.
    (isEverywhere ? isLocal(name) || isIP(name) !== 0 : isLocal(listening) && isLocal(name));
}

function originRule(rules: HostRules): (origin: string, host: Place) => boolean {
  const { host, publicUrl, allowedOrigins = [] } = rules;
  const isKnown = originsIn(
    publicUrl === undefined ? allowedOrigins : [...allowedOrigins, new URL(publicUrl).origin],
  );
  const isLocalServer = isLocal(listeningOn(host));
  return (origin, asked) => {
    if (isKnown(origin)) return true;
    // Behind a proxy the server is public, and a page of the caller's own machine is another site.
    if (!isLocalServer || !isLocal(asked.name)) return false;
    const page = originOf(origin);
    return page !== undefined && isLocal(placeOf(new URL(page).hostname)?.name ?? '');
  };
}

function listeningOn(host: string): string {
  const bare = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  return canonicalAddress(bare) ?? bare;
}

function isLocal(name: string): boolean {
  return isLoopbackName(name) || reachOf(name) === 'loopback';
}

/** Parses a Host header strictly: an ambiguous one is not accepted. */
function placeOf(text: string): Place | undefined {
  const [, host = '', port = ''] = /^(\[[\da-f:.]+\]|[^\s:/?#@\\[\]%]+)(?::(\d{1,5}))?$/i.exec(text) ?? [];
  if (host === '' || !URL.canParse(`http://${host}`)) return undefined;
  const name = new URL(`http://${host}`).hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  return { name: canonicalAddress(name) ?? name, port };
}

function throwNoHost(text: string): never {
  throw new AppError('invalid_input', 'Not a host name', {
    subject: text,
    hint: 'Write allowedHosts as notes.example.com or notes.example.com:8443.',
  });
}

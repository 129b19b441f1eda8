/**
 * Hosts and ports that something may reach: `api.github.com:443`, `*.example.com:443`, `192.168.1.20:8443`. Names are
 * matched as they are written, never by what they resolve to; addresses are single ones, never ranges.
 */
import { isIP } from 'node:net';
import { canonicalAddress, reachOf } from './ip-ranges.ts';

export interface HostPort {
  /** In lower case; an address in its one spelling, without brackets. */
  readonly host: string;
  readonly port: number;
}

const DEFAULT_PORT = 443;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const EXAMPLE = 'write a host and a port, such as api.github.com:443';
/** Number of labels that must follow `*.`: `*.com` would be half of the internet. */
const MIN_FIXED_LABELS = 2;

/** An entry of a list, or what is wrong with it. */
export function readHostPort(text: string): HostPort | string {
  if (text.includes('://')) return `is the address of a page; ${EXAMPLE}`;
  if (text.includes('/')) return 'is a range or a path: name each host';
  const [, host, given] = /^(\[[^[\]]*\]|[^:[\]]*)(?::([^:]*))?$/.exec(text) ?? [];
  if (host === undefined || host === '')
    return `is no host and port; ${EXAMPLE}, and an IPv6 address in brackets`;
  const port = given === undefined ? DEFAULT_PORT : portIn(given);
  if (port === undefined) return 'must have a port from 1 to 65535, or none for 443';
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  if (isIP(bare) !== 0) return readAddress(bare, port);
  const problem = host === bare ? problemOfName(host) : 'has no IPv6 address in its brackets';
  return problem ?? { host, port };
}

function portIn(text: string): number | undefined {
  const port = /^[1-9]\d{0,4}$/.test(text) ? Number(text) : 0;
  return port >= 1 && port <= 65_535 ? port : undefined;
}

function readAddress(text: string, port: number): HostPort | string {
  const host = canonicalAddress(text);
  if (host === undefined || text.includes('%')) return 'must be an address without a zone';
  if (reachOf(host) === 'special')
    return 'is never reached: link-local, multicast and metadata addresses are out of bounds';
  return { host, port };
}

function problemOfName(name: string): string | undefined {
  if (name === '*') return 'would let it reach every host; for that: sandbox_profile: network';
  if (!/^[\x00-\x7f]*$/.test(name)) return 'must be in its ASCII form (xn--…)';
  if (name !== name.toLowerCase()) return `must be in lower case: ${name.toLowerCase()}`;
  const labels = (name.startsWith('*.') ? name.slice(2) : name).split('.');
  if (labels.some((label) => label.includes('*')))
    return '"*" may only stand at its beginning, as in *.example.com';
  if (name.startsWith('*.') && labels.length < MIN_FIXED_LABELS)
    return 'would let it reach too many hosts: name more of it, as in *.example.com';
  if (name.length > 253 || !labels.every((label) => LABEL.test(label)))
    return `is no name of a host; ${EXAMPLE}`;
  // Some programs read such a name as an address in an unusual spelling.
  if (/^(?:\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? '')) return 'is neither a name nor an address';
  return undefined;
}

export function hostPortText({ host, port }: HostPort): string {
  return `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}

export interface HostList {
  readonly entries: readonly HostPort[];
  /** By its name, or by its address where that is how it is asked for. */
  allows(place: HostPort): boolean;
}

/** Throws for an entry that `readHostPort` refuses. */
export function hostListOf(texts: readonly string[]): HostList {
  const entries = texts.map((text) => {
    const entry = readHostPort(text);
    if (typeof entry === 'string') throw new TypeError(`${text} ${entry}`);
    return entry;
  });
  return {
    entries,
    allows: ({ host, port }) =>
      entries.some(
        (entry) => entry.port === port && matches(entry.host, host.toLowerCase().replace(/\.$/, '')),
      ),
  };
}

function matches(entry: string, host: string): boolean {
  return entry.startsWith('*.')
    ? isIP(host) === 0 && host.endsWith(entry.slice(1)) && host.length > entry.length - 1
    : entry === (canonicalAddress(host) ?? host);
}

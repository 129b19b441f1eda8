/**
 * Classifies IP addresses and matches them with networks. Works on the parsed address, so that its spelling makes no
 * difference.
 */
import { isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { AppError } from './errors.ts';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = readonly [Address, number];

/** Prefix of IPv4-mapped IPv6 addresses, as dual-stack sockets report them. */
const MAPPED = '::ffff:';

/** `special` is everything that requests must never be sent to: link-local, multicast, documentation, unspecified. */
export type Reach = 'public' | 'loopback' | 'private' | 'special';

/** Ranges of the IANA special-purpose registries that the library leaves out. */
const NOT_PUBLIC = ranges(
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24',
  '192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15',
  '198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4',
  '2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20',
);

/** Global unicast IPv6; the rest is reserved or embeds IPv4 addresses. */
const GLOBAL_IPV6 = ranges('2000::/3');

/** Metadata services of clouds that are outside the special-purpose ranges. */
const CLOUD_METADATA = ranges('168.63.129.16/32 100.100.100.200/32 fd00:ec2::254/128 fd20:ce::254/128');

export function reachOf(text: string): Reach {
  const address = parseAddress(text);
  if (!address || isIn(address, CLOUD_METADATA)) return 'special';
  switch (address.range()) {
    case 'loopback':
      return 'loopback';
    case 'private':
    case 'carrierGradeNat':
    case 'uniqueLocal':
      return 'private';
    case 'unicast':
      return isGloballyRouted(address) ? 'public' : 'special';
    default:
      return 'special';
  }
}

function isGloballyRouted(address: Address): boolean {
  return !isIn(address, NOT_PUBLIC) && (address.kind() === 'ipv4' || isIn(address, GLOBAL_IPV6));
}

/** Names that always mean this machine (RFC 6761). */
export function isLoopbackName(name: string): boolean {
  return /^(?:.+\.)?localhost\.?$/i.test(name);
}

/** A host of a URL: loopback by its name or its address. */
export function isLoopbackHost(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  return isLoopbackName(bare) || reachOf(bare) === 'loopback';
}

/** One spelling for each address: IPv4 in IPv6 as IPv4, no zone. Undefined for what is no address. */
export function canonicalAddress(text: string): string | undefined {
  // Fast path: nearly every address has one of these two forms.
  if (isIPv4(text)) return text;
  if (text.startsWith(MAPPED) && isIPv4(text.slice(MAPPED.length))) return text.slice(MAPPED.length);
  return parseAddress(text.replace(/%.*$/s, ''))?.toString();
}

/** The smallest network that is one subscriber's: an IPv4 address, or the first 64 bits of an IPv6 address. */
export function subscriberOf(address: string): string {
  return networksOf(address)[0]?.network ?? address;
}

/** Networks that one subscriber may own, smallest first: an IPv4 address, or 64, 56 and 48 bits of an IPv6 address. */
export function networksOf(address: string) {
  const ipv6 = ipv6Of(address);
  if (!ipv6) return [{ bits: 32 as const, network: canonicalAddress(address) ?? address }];
  return ([64, 56, 48] as const).map((bits) => ({ bits, network: networkOf(ipv6, bits) }));
}

function ipv6Of(address: string): ipaddr.IPv6 | undefined {
  const canonical = canonicalAddress(address);
  const parsed = canonical === undefined || isIPv4(canonical) ? undefined : parseAddress(canonical);
  return parsed instanceof ipaddr.IPv6 ? parsed : undefined;
}

function networkOf({ parts }: ipaddr.IPv6, bits: 64 | 56 | 48): string {
  const kept = parts.slice(0, Math.ceil(bits / 16));
  if (bits % 16 !== 0) kept.push((kept.pop() ?? 0) & (0xffff << (16 - (bits % 16))));
  return `${kept.map((part) => part.toString(16)).join(':')}::/${bits}`;
}

/** Whether an address is in one of the networks. */
export type Networks = (address: string) => boolean;

/** Parses `10.0.0.0/8`, `::1`, or the words `loopback` and `private`; throws for anything else. */
export function parseNetworks(texts: readonly string[]): Networks {
  const words = new Set<string>(texts.filter((text) => text === 'loopback' || text === 'private'));
  const known = texts.filter((text) => !words.has(text)).map(parseNetwork);
  if (texts.length === 0) return () => false;
  return (text) => {
    const address = parseAddress(text);
    return address !== undefined && (words.has(reachOf(text)) || isIn(address, known));
  };
}

function parseNetwork(text: string): Range {
  const [address, prefix] = text.split('/', 2) as [string, string?];
  const parsed = parseAddress(address);
  const bits = parsed?.kind() === 'ipv4' ? 32 : 128;
  const length = prefix === undefined ? bits : Number(/^\d{1,3}$/.exec(prefix)?.[0]);
  if (!parsed || !(length <= bits) || text.split('/').length > 2)
    throw new AppError('invalid_input', 'Not a network', {
      subject: text,
      hint: 'Write an address (192.0.2.7), a network (10.0.0.0/8, fd00::/8), loopback or private.',
    });
  return [parsed, length];
}

/** Accepts only the usual spellings, without a zone. */
function parseAddress(text: string): Address | undefined {
  return isIP(text) !== 0 && !text.includes('%') ? ipaddr.process(text) : undefined;
}

function isIn(address: Address, networks: readonly Range[]): boolean {
  return networks.some(
    ([network, prefix]) => network.kind() === address.kind() && address.match(network, prefix),
  );
}

function ranges(...lines: readonly string[]): readonly Range[] {
  return lines.flatMap((line) => line.split(' ')).map((text) => ipaddr.parseCIDR(text));
}

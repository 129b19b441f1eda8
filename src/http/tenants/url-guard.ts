/**
 * Checks the address that a client names as its Trilium (SSRF). The check is repeated for every connection, on the
 * address it goes to; this one gives an early answer with a documented reason.
 */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { AppError } from '../../shared/errors.ts';
import { canonicalAddress, isLoopbackName, type Reach, reachOf } from '../../shared/ip-ranges.ts';
import { HttpRefusal } from '../refusal.ts';

export type Resolve = (name: string) => Promise<readonly string[]>;

interface UrlRules {
  /** The only hosts, with their subdomains; they may be private. Empty: all hosts. */
  readonly allowlist: readonly string[];
  readonly allowPrivate: boolean;
  readonly resolve?: Resolve;
}

export interface GuardedUrl {
  readonly url: string;
  /** For the log. */
  readonly host: string;
  /** The addresses that the connection may go to. */
  readonly allow: 'public' | 'private';
}

export type UrlGuard = (text: string) => Promise<GuardedUrl>;

type UrlProblem =
  | 'invalid_url'
  | 'bad_scheme'
  | 'embedded_credentials'
  | 'not_allowlisted'
  | 'dns_failure'
  | 'private_address';

const MAX_URL = 2_048;

export function createUrlGuard({ allowlist, allowPrivate, resolve = systemResolve }: UrlRules): UrlGuard {
  const isListed = allowlist.length === 0 ? undefined : listRule(allowlist);
  return async (text) => {
    const { url, host } = readUrl(text);
    if (isListed && !isListed(host)) throw urlRejected('not_allowlisted');
    const allow = isListed || allowPrivate ? 'private' : 'public';
    if (allow === 'public' && isLoopbackName(host)) throw urlRejected('private_address');
    const addresses = isIP(host) === 0 ? await resolve(host).catch(() => []) : [host];
    if (addresses.length === 0) throw urlRejected('dns_failure');
    // One bad address is enough: an attacker mixes it in and hopes that it is the one that is tried.
    if (!addresses.every((address) => isAllowed(reachOf(address), allow)))
      throw urlRejected('private_address');
    return { url, host, allow };
  };
}

export function urlRejected(reason: UrlProblem): HttpRefusal {
  return new HttpRefusal(400, 'url_rejected', {
    answer: { reason },
    logged: { reason },
    counted: 'url_rejected',
  });
}

function readUrl(text: string): { url: string; host: string } {
  const parsed = text.length <= MAX_URL && URL.canParse(text) ? new URL(text) : undefined;
  if (!parsed) throw urlRejected('invalid_url');
  if (!/^https?:$/.test(parsed.protocol)) throw urlRejected('bad_scheme');
  if (parsed.username !== '' || parsed.password !== '') throw urlRejected('embedded_credentials');
  const host = hostIn(parsed.hostname);
  const isName = host.length <= 253 && host.split('.').every((label) => label !== '');
  if ((isIP(host) === 0 && !isName) || `${parsed.search}${parsed.hash}` !== '')
    throw urlRejected('invalid_url');
  return { url: `${parsed.origin}${parsed.pathname}`.replace(/\/+$/, ''), host };
}

/** In lower case, without brackets and final dot. */
function hostIn(hostname: string): string {
  const bare = hostname
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
  return canonicalAddress(bare) ?? bare;
}

/** Link-local addresses, where clouds keep credentials, and other special ranges are never allowed. */
function isAllowed(reach: Reach, allow: 'public' | 'private'): boolean {
  return reach === 'public' || (allow === 'private' && reach !== 'special');
}

/** A name includes its subdomains. An address cannot be a subdomain: it is normalized before. */
function listRule(allowlist: readonly string[]): (host: string) => boolean {
  const entries = allowlist.map(entryOf);
  return (host) => entries.some((entry) => host === entry || host.endsWith(`.${entry}`));
}

function entryOf(text: string): string {
  const bare = text.trim().replace(/^\*?\./, '');
  const isHost = /^(?:\[[\da-f:.]+\]|[\da-f:]*:[\da-f:.]*|[^\s:/?#@\\[\]%]+)$/i.test(bare);
  const spelled = bare.includes(':') && !bare.startsWith('[') ? `[${bare}]` : bare;
  if (!isHost || !URL.canParse(`http://${spelled}`))
    throw new AppError('invalid_input', 'Not a host name in the URL allowlist', {
      subject: text,
      hint: 'Write names or addresses alone, without scheme and port: notes.example.com.',
    });
  return hostIn(new URL(`http://${spelled}`).hostname);
}

async function systemResolve(name: string): Promise<readonly string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}

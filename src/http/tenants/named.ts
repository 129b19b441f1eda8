/**
 * Tenants that the operator has given a name: who belongs to them, and how much they may ask for. A request belongs to the
 * tenant that names its caller, else to the one that names its Trilium, else to none.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Principal } from '../../shared/principal.ts';
import type { RequestCounts } from '../../state/postgres/request-counts.ts';
import { bearerId } from '../auth/authenticate.ts';
import { createLimit } from '../rate-limits.ts';
import { HttpRefusal } from '../refusal.ts';
import type { Connection } from './sessions.ts';
import { urlIn } from './tenants.ts';

interface NamedTenant {
  readonly tokens: readonly string[];
  readonly principals: readonly string[];
  readonly urls: readonly string[];
  /** Of all its callers together, and of each of them. */
  readonly requestsPerMinute?: number;
  readonly callerRequestsPerMinute?: number;
}

type NamedTenants = Readonly<Record<string, NamedTenant>>;

/** The name of the tenant that a request belongs to; undefined for one without a name. */
export type TenantName = (principal: Principal, headers: IncomingHttpHeaders) => string | undefined;

export function createTenantNames(tenants: NamedTenants): TenantName {
  const byCaller = new Map<string, string>();
  const byUrl = new Map<string, string>();
  for (const [name, { tokens, principals, urls }] of Object.entries(tenants)) {
    for (const token of tokens) byCaller.set(bearerId(token), name);
    for (const id of principals) byCaller.set(`principal ${id}`, name);
    for (const url of urls) byUrl.set(placeOf(url), name);
  }
  return ({ kind, id }, headers) => {
    const url = byUrl.size === 0 ? undefined : urlIn(headers);
    const named = byCaller.get(kind === 'bearer' ? id : `principal ${id}`);
    return named ?? (url === undefined ? undefined : byUrl.get(placeOf(url)));
  };
}

/** What two tenants would both have: a token, a principal or an address. */
export function sharedByTenants(tenants: NamedTenants): string | undefined {
  const owners = new Map<string, string>();
  for (const [name, { tokens, principals, urls }] of Object.entries(tenants)) {
    const facts = [
      ...tokens.map((token) => [`token ${token}`, 'a token'] as const),
      ...principals.map((id) => [`principal ${id}`, `the principal ${id}`] as const),
      ...urls.map((url) => [`url ${placeOf(url)}`, url] as const),
    ];
    for (const [key, shown] of facts) {
      const other = owners.get(key);
      if (other !== undefined && other !== name) return `${shown} of ${other} and ${name}`;
      owners.set(key, name);
    }
  }
  return undefined;
}

/** An address in one spelling of those that servers take for the same: with or without `/etapi`. */
function placeOf(text: string): string {
  if (!URL.canParse(text)) return '';
  const { protocol, host, pathname } = new URL(text);
  const address = `${protocol}//${host.replace(/\.(?=:|$)/, '')}${pathname.replace(/\/+/g, '/')}`;
  return address.replace(/\/$/, '').replace(/\/etapi$/, '');
}

const MINUTE_S = 60;

interface TenantLimitOptions {
  /** What all servers have counted; without it, this one counts alone. */
  readonly counts?: Pick<RequestCounts, 'add'>;
  readonly onLimited: () => void;
}

/** Throws an `HttpRefusal` where a tenant or its caller has asked too often. */
export type AdmitToTenant = (connection: Connection) => Promise<void>;

export function createTenantLimits(
  tenants: NamedTenants,
  { counts, onLimited }: TenantLimitOptions,
): AdmitToTenant {
  const limitOf = (name: string, requests = 0) =>
    createLimit(name, { requests, seconds: MINUTE_S }, { counts });
  const limits = new Map(
    Object.entries(tenants).map(([name, { requestsPerMinute, callerRequestsPerMinute }]) => [
      name,
      {
        all: limitOf(`tenant ${name}`, requestsPerMinute),
        each: limitOf(`tenant ${name} caller`, callerRequestsPerMinute),
      },
    ]),
  );
  return async ({ id, tenantName }) => {
    const own = limits.get(tenantName ?? '');
    if (!own) return;
    // What is refused to one caller is not counted for the others.
    const callerWait = await own.each(id);
    const wait = callerWait ?? (await own.all(''));
    if (wait === undefined) return;
    onLimited();
    const reason = callerWait === undefined ? 'tenant' : 'caller';
    throw new HttpRefusal(429, 'rate_limited', {
      answer: { reason },
      headers: { 'Retry-After': String(wait) },
      logged: { reason, tenant: tenantName },
    });
  };
}

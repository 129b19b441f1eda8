/**
 * Tenants of requests that stand alone. Each such request brings its credentials; what was checked a moment ago is not
 * checked again. Kept for a short time, for a bounded number, and by a hash: whoever has the same key has sent the
 * same address and the same token as the same caller.
 */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Principal } from '../../shared/principal.ts';
import { credentialsIn, type OpenTenant, type Tenant } from './tenants.ts';

interface TenantLease {
  readonly tenant: Tenant;
  /** When the request is over. */
  release(): void;
}

export interface TenantLeases {
  borrow(principal: Principal, headers: IncomingHttpHeaders): Promise<TenantLease>;
  close(): void;
}

interface LeaseOptions {
  readonly open: OpenTenant;
  readonly keepMs?: number;
  readonly most?: number;
  readonly now?: () => number;
}

interface CachedTenant {
  readonly tenant: Promise<Tenant>;
  readonly until: number;
  uses: number;
  isForgotten: boolean;
}

const KEEP_MS = 60_000;
const MOST = 500;

export function createTenantLeases(options: LeaseOptions): TenantLeases {
  const { open, keepMs = KEEP_MS, most = MOST, now = Date.now } = options;
  const kept = new Map<string, CachedTenant>();

  /** Closed when the last request that uses it is over. */
  const endUnused = (one: CachedTenant) => {
    if (one.isForgotten && one.uses === 0)
      one.tenant.then(
        (tenant) => tenant.close(),
        () => {},
      );
  };
  const forget = (key: string, one: CachedTenant) => {
    if (kept.get(key) === one) kept.delete(key);
    one.isForgotten = true;
    endUnused(one);
  };
  const forgetOld = () => {
    for (const [key, one] of kept) if (one.until <= now() || kept.size > most) forget(key, one);
  };
  const keptFor = (key: string, headers: IncomingHttpHeaders): CachedTenant => {
    forgetOld();
    const known = kept.get(key);
    if (known) return known;
    const made: CachedTenant = { tenant: open(headers), until: now() + keepMs, uses: 0, isForgotten: false };
    kept.set(key, made);
    // A failure is not remembered.
    made.tenant.catch(() => forget(key, made));
    return made;
  };

  return {
    async borrow(principal, headers) {
      const one = keptFor(keyOf(principal, headers), headers);
      one.uses++;
      const release = () => {
        one.uses--;
        endUnused(one);
      };
      try {
        return { tenant: await one.tenant, release };
      } catch (error) {
        release();
        throw error;
      }
    },
    close() {
      for (const [key, one] of kept) forget(key, one);
    },
  };
}

function keyOf({ id }: Principal, headers: IncomingHttpHeaders): string {
  const { url, token } = credentialsIn(headers);
  return createHash('sha256')
    .update(JSON.stringify([id, url, token]))
    .digest('hex');
}

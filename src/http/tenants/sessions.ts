/** Which sessions are open, whose they are, and which Trilium each of them has; told to the log and the counts. */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { SessionWatch } from '../../mcp/http/sessions.ts';
import type { Log } from '../../shared/log.ts';
import type { Principal } from '../../shared/principal.ts';
import type { Metrics } from '../metrics.ts';
import { type TransportKind, unknownSession } from './refusal.ts';
import { credentialsIn, type OpenTenant, type Tenant } from './tenants.ts';

/** Somebody, connected to a Trilium. */
export interface Connection extends Principal {
  readonly tenant: Tenant;
}

export interface SessionRegistry {
  readonly size: number;
  watch(kind: TransportKind): SessionWatch<Connection>;
  /** Whether a session has begun with it. */
  isOpen(connection: Connection): boolean;
  /** The session of that id; for anybody but who opened it there is none. Without a caller the id is enough. */
  find(asked: SessionRequest): Connection;
}

interface SessionRequest {
  readonly kind: TransportKind;
  readonly id: string;
  readonly principal: Principal | undefined;
  readonly headers: IncomingHttpHeaders;
}

const EVENTS: Readonly<Record<TransportKind, { readonly opened: string; readonly closed: string }>> = {
  sse: { opened: 'sse_connected', closed: 'sse_closed' },
  streamable: { opened: 'mcp_session_opened', closed: 'mcp_session_closed' },
};

export function createSessionRegistry(
  log: Log,
  metrics: Pick<Metrics, 'sessionOpened' | 'sessionClosed'>,
): SessionRegistry {
  const sessions = new Map<string, { readonly kind: TransportKind; readonly connection: Connection }>();
  const connections = new Set<Connection>();
  return {
    get size() {
      return sessions.size;
    },
    watch: (kind) => ({
      opened(id, connection) {
        sessions.set(id, { kind, connection });
        connections.add(connection);
        metrics.sessionOpened();
        const { host } = connection.tenant;
        log('info', EVENTS[kind].opened, { session: sessionLabel(id), host, ...principalField(connection) });
      },
      closed(id, connection) {
        sessions.delete(id);
        connections.delete(connection);
        connection.tenant.close();
        metrics.sessionClosed();
        log('info', EVENTS[kind].closed, { session: sessionLabel(id), ...principalField(connection) });
      },
    }),
    isOpen: (connection) => connections.has(connection),
    find({ kind, id, principal, headers }) {
      const found = sessions.get(id);
      const isTheirs =
        found?.kind === kind &&
        (principal === undefined || principal.id === found.connection.id) &&
        !found.connection.tenant.differsFrom(headers);
      if (!isTheirs) throw unknownSession(kind, id, sessionLabel(id));
      return found.connection;
    },
  };
}

const LABEL_LENGTH = 12;

/** What a session is called in the log: always the same, and no key to it. The id itself opens the session. */
export function sessionLabel(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, LABEL_LENGTH);
}

/** For the log, where callers have names: a shared token has none. */
export function principalField({ kind, id }: Principal): { principal?: string } {
  return kind === 'bearer' || kind === 'anonymous' ? {} : { principal: id };
}

/**
 * Tenants of requests that stand alone. Each such request brings its credentials; what was checked a moment ago is not
 * checked again. Kept for a short time, for a bounded number, and by a hash: whoever has the same key has sent the
 * same address and the same token as the same caller.
 */

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

/** Open sessions of the gateway, each with its caller and its Trilium, and tenants of requests without a session. */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { SessionWatch } from '../../mcp/http/sessions.ts';
import type { Log } from '../../shared/log.ts';
import type { Principal } from '../../shared/principal.ts';
import type { Metrics } from '../metrics.ts';
import { type TransportKind, unknownSession } from './refusal.ts';
import { credentialsIn, type OpenTenant, type Tenant } from './tenants.ts';

/** A caller with a tenant. */
export interface Connection extends Principal {
  readonly tenant: Tenant;
  /** Where the operator has given it one. */
  readonly tenantName?: string;
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

export type SessionRegistry = ReturnType<typeof createSessionRegistry>;

export function createSessionRegistry(log: Log, metrics: Pick<Metrics, 'sessionOpened' | 'sessionClosed'>) {
  const sessions = new Map<string, { readonly kind: TransportKind; readonly connection: Connection }>();
  const connections = new Set<Connection>();
  /** Connections that were begun here. */
  const begun = new Set<Connection>();
  const enter = (kind: TransportKind, id: string, connection: Connection) => {
    sessions.set(id, { kind, connection });
    connections.add(connection);
  };
  const leave = (id: string, connection: Connection) => {
    if (sessions.get(id)?.connection === connection) sessions.delete(id);
    connections.delete(connection);
    connection.tenant.close();
  };
  return {
    get size() {
      return begun.size;
    },
    watch: (kind: TransportKind): SessionWatch<Connection> => ({
      joined: (id, connection) => enter(kind, id, connection),
      left: leave,
      opened(id, connection) {
        enter(kind, id, connection);
        begun.add(connection);
        metrics.sessionOpened();
        const { host } = connection.tenant;
        log('info', EVENTS[kind].opened, { session: sessionLabel(id), host, ...callerFields(connection) });
      },
      closed(id, connection) {
        leave(id, connection);
        begun.delete(connection);
        metrics.sessionClosed();
        log('info', EVENTS[kind].closed, { session: sessionLabel(id), ...callerFields(connection) });
      },
    }),
    /** Sessions of the tenant with this name. */
    sizeOf: (tenantName: string) =>
      [...begun].filter((connection) => connection.tenantName === tenantName).length,
    /** Whether this server has the session; another one may have it where they share sessions. */
    has: (id: string) => sessions.has(id),
    /** Whether the connection has a session. */
    isOpen: (connection: Connection) => connections.has(connection),
    /** Throws for an unknown session and for that of another caller. Without a caller the id is enough. */
    find({ kind, id, principal, headers }: SessionRequest): Connection {
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

/** The id of a session in the log, hashed: the id itself opens the session. */
export function sessionLabel(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, LABEL_LENGTH);
}

/** For the log, where callers have names: a shared token has none. */
export function principalField({ kind, id }: Principal): { principal?: string } {
  return kind === 'bearer' || kind === 'anonymous' ? {} : { principal: id };
}

/** For the log: the caller, and the tenant where it has a name. */
export function callerFields(connection: Connection): { principal?: string; tenant?: string } {
  const { tenantName } = connection;
  return { ...principalField(connection), ...(tenantName !== undefined && { tenant: tenantName }) };
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
  isEvicted: boolean;
}

const KEEP_MS = 60_000;
const MOST = 500;

export type TenantLeases = ReturnType<typeof createTenantLeases>;

/**
 * Tenants of requests that stand alone. Each such request brings its credentials, and a check is remembered for a short
 * time, for a bounded number of tenants. The key is a hash of the caller, the address and the token.
 */
export function createTenantLeases(options: LeaseOptions) {
  const { open, keepMs = KEEP_MS, most = MOST, now = Date.now } = options;
  const cached = new Map<string, CachedTenant>();

  /** An evicted tenant is closed when the last request that uses it is over. */
  const endUnused = (one: CachedTenant) => {
    if (one.isEvicted && one.uses === 0)
      one.tenant.then(
        (tenant) => tenant.close(),
        () => {},
      );
  };
  const evict = (key: string, one: CachedTenant) => {
    if (cached.get(key) === one) cached.delete(key);
    one.isEvicted = true;
    endUnused(one);
  };
  const evictOld = () => {
    for (const [key, one] of cached) if (one.until <= now() || cached.size > most) evict(key, one);
  };
  const tenantFor = (key: string, headers: IncomingHttpHeaders): CachedTenant => {
    evictOld();
    const known = cached.get(key);
    if (known) return known;
    const made: CachedTenant = { tenant: open(headers), until: now() + keepMs, uses: 0, isEvicted: false };
    cached.set(key, made);
    // A failure is not cached.
    made.tenant.catch(() => evict(key, made));
    return made;
  };

  return {
    /** `release` is to be called when the request is over. */
    async borrow(principal: Principal, headers: IncomingHttpHeaders) {
      const one = tenantFor(keyOf(principal, headers), headers);
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
      for (const [key, one] of cached) evict(key, one);
    },
  };
}

function keyOf({ id }: Principal, headers: IncomingHttpHeaders): string {
  const { url, token } = credentialsIn(headers);
  return createHash('sha256')
    .update(JSON.stringify([id, url, token]))
    .digest('hex');
}

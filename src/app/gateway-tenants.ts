/** The Triliums behind the gateway: the one the operator named, or those of its clients. */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import type { GatewayConfig } from '../config/http-schema.ts';
import type { NotebookConfig } from '../config/schema.ts';
import { createTenantLeases, type TenantLeases } from '../http/tenants/sessions.ts';
import {
  type Credentials,
  createTenants,
  type OpenTenant,
  onlyTenant,
  tenantKeyIn,
} from '../http/tenants/tenants.ts';
import { createUrlGuard, type Resolve } from '../http/tenants/url-guard.ts';
import { silentLog } from '../shared/log.ts';
import { type ClientOptions, createTriliumClient, type TriliumClient } from '../stores/trilium/client.ts';
import { type ChangeTracking, trackChanges } from './change-tracking.ts';
import type { HistoryPlace } from './services.ts';
import { type TriliumServices, triliumTools } from './trilium.ts';
import { openTrilium } from './trilium-changes.ts';

const PROBE_MS = 10_000;
/** Longer than any request to a Trilium may take. */
const LINGER_MS = 150_000;

export interface TenantServices extends TriliumServices {
  /** Resolves a host name to its addresses. */
  readonly resolve?: Resolve;
  /** For the check of a client's Trilium. */
  readonly probeTimeoutMs?: number;
  /** Without it, changes are not recorded. */
  readonly history?: HistoryPlace;
}

export interface Tenants extends Omit<Tools, 'backendOver'> {
  readonly open: OpenTenant;
  /** Of the tenant that a request names. */
  readonly keyIn: (headers: IncomingHttpHeaders) => string;
  readonly leases: Pick<TenantLeases, 'borrow'>;
  /** Throws when the operator's Trilium does not answer; undefined where clients name theirs. */
  readonly check?: () => Promise<void>;
  close(): Promise<void>;
}

type Tools = Awaited<ReturnType<typeof triliumTools>>;

export async function openTenants(
  gateway: GatewayConfig,
  notebook: NotebookConfig | undefined,
  services: TenantServices,
): Promise<Tenants> {
  const tools = await triliumTools(notebook ?? gateway, services);
  return notebook?.trilium
    ? oneForAll(notebook, notebook.trilium, tools, services)
    : oneForEach(gateway, tools, services);
}

/** An address from the operator's configuration may lead to a private network. */
function oneForAll(
  notebook: NotebookConfig,
  trilium: NonNullable<NotebookConfig['trilium']>,
  { backendOver, ...tools }: Tools,
  services: TenantServices,
): Tenants {
  const { url, token } = trilium;
  const client = createTriliumClient({ url, token, allow: 'private' });
  const tracking = track(notebook, client, services);
  const open = onlyTenant(new URL(url).hostname, backendOver(client, trilium, tracking.scopeOf));
  const borrow = async () => ({ tenant: await open({}), release: () => {} });
  const check = async () => void (await client.system.appInfo());
  const close = () => closeBoth(tracking, client);
  return { ...tools, open, keyIn: () => '', leases: { borrow }, check, close };
}

function oneForEach(
  { urlAllowlist, allowPrivateUrls, readOnly }: GatewayConfig,
  { backendOver, ...tools }: Tools,
  services: TenantServices,
): Tenants {
  const { resolve, probeTimeoutMs = PROBE_MS } = services;
  const resolving = resolve ? { resolve } : {};
  const clientOf = ({ url, token, allow }: Credentials, further: Partial<ClientOptions> = {}) =>
    createTriliumClient({ url, token, allow, schemes: ['http', 'https'], ...resolving, ...further });
  const open = createTenants({
    guard: createUrlGuard({ allowlist: urlAllowlist, allowPrivate: allowPrivateUrls, ...resolving }),
    probe: (credentials) => probe(clientOf(credentials, { retryPauses: [] }), probeTimeoutMs),
    open: (credentials) => {
      const client = clientOf(credentials);
      const { url, token } = credentials;
      const trilium = { url, token };
      const notebook = {
        readOnly,
        overwrite: 'guarded',
        review: 'off',
        tools: 'trilium',
        trilium,
      } as const;
      const tracking = track(notebook, client, { ...services, history: placeOf(credentials, services) });
      // A change that has begun is finished, even when its caller is gone.
      const close = () => void setTimeout(() => void closeBoth(tracking, client), LINGER_MS).unref();
      return { backend: backendOver(client, credentials, tracking.scopeOf), close };
    },
    timeoutMs: probeTimeoutMs,
  });
  const leases = createTenantLeases({ open });
  return { ...tools, open, keyIn: tenantKeyIn, leases, close: async () => leases.close() };
}

function track(
  notebook: Parameters<typeof trackChanges>[1],
  client: TriliumClient,
  { log = silentLog, history }: TenantServices,
): ChangeTracking {
  const opener = openTrilium(async () => client, notebook.trilium?.subtree);
  return trackChanges('trilium', notebook, { log, history }, opener);
}

/** Who has the token of a Trilium has its history; the folder's name does not tell either. */
function placeOf({ url, token }: Credentials, { history }: TenantServices): HistoryPlace | undefined {
  const tenant = createHash('sha256')
    .update(JSON.stringify([url, token]))
    .digest('hex')
    .slice(0, 32);
  return history && { ...history, folder: join(history.folder, 'tenants', tenant) };
}

async function closeBoth(tracking: ChangeTracking, client: TriliumClient): Promise<void> {
  await tracking.close().finally(() => client.close());
}

async function probe(client: TriliumClient, timeoutMs: number): Promise<void> {
  try {
    await client.limited({ timeoutMs }).system.appInfo();
  } finally {
    client.close();
  }
}

/** The Triliums behind the gateway: the one the operator named, or those of its clients. */
import type { GatewayConfig } from '../config/http-schema.ts';
import type { NotebookConfig } from '../config/schema.ts';
import { createTenantLeases, type TenantLeases } from '../http/tenants/sessions.ts';
import { type Credentials, createTenants, type OpenTenant, onlyTenant } from '../http/tenants/tenants.ts';
import { createUrlGuard, type Resolve } from '../http/tenants/url-guard.ts';
import { type ClientOptions, createTriliumClient, type TriliumClient } from '../stores/trilium/client.ts';
import { type TriliumServices, triliumTools } from './trilium.ts';

const PROBE_MS = 10_000;
/** Longer than any request to a Trilium may take. */
const LINGER_MS = 150_000;

export interface TenantServices extends TriliumServices {
  /** Resolves a host name to its addresses. */
  readonly resolve?: Resolve;
  /** For the check of a client's Trilium. */
  readonly probeTimeoutMs?: number;
}

export interface Tenants extends Omit<Tools, 'backendOver'> {
  readonly open: OpenTenant;
  readonly leases: Pick<TenantLeases, 'borrow'>;
  close(): void;
}

type Tools = Awaited<ReturnType<typeof triliumTools>>;

export async function openTenants(
  gateway: GatewayConfig,
  notebook: NotebookConfig | undefined,
  services: TenantServices,
): Promise<Tenants> {
  const tools = await triliumTools(notebook ?? gateway, services);
  return notebook?.trilium ? oneForAll(notebook.trilium, tools) : oneForEach(gateway, tools, services);
}

/** An address from the operator's configuration may lead to a private network. */
function oneForAll(
  trilium: NonNullable<NotebookConfig['trilium']>,
  { backendOver, ...tools }: Tools,
): Tenants {
  const { url, token } = trilium;
  const client = createTriliumClient({ url, token, allow: 'private' });
  const open = onlyTenant(new URL(url).hostname, backendOver(client, trilium));
  const borrow = async () => ({ tenant: await open({}), release: () => {} });
  return { ...tools, open, leases: { borrow }, close: () => client.close() };
}

function oneForEach(
  { urlAllowlist, allowPrivateUrls }: GatewayConfig,
  { backendOver, ...tools }: Tools,
  { resolve, probeTimeoutMs = PROBE_MS }: TenantServices,
): Tenants {
  const resolving = resolve ? { resolve } : {};
  const clientOf = ({ url, token, allow }: Credentials, further: Partial<ClientOptions> = {}) =>
    createTriliumClient({ url, token, allow, schemes: ['http', 'https'], ...resolving, ...further });
  const open = createTenants({
    guard: createUrlGuard({ allowlist: urlAllowlist, allowPrivate: allowPrivateUrls, ...resolving }),
    probe: (credentials) => probe(clientOf(credentials, { retryPauses: [] }), probeTimeoutMs),
    open: (credentials) => {
      const client = clientOf(credentials);
      // A change that has begun is finished, even when its caller is gone.
      const close = () => void setTimeout(() => client.close(), LINGER_MS).unref();
      return { backend: backendOver(client, credentials), close };
    },
    timeoutMs: probeTimeoutMs,
  });
  const leases = createTenantLeases({ open });
  return { ...tools, open, leases, close: () => leases.close() };
}

async function probe(client: TriliumClient, timeoutMs: number): Promise<void> {
  try {
    await client.limited({ timeoutMs }).system.appInfo();
  } finally {
    client.close();
  }
}

/** Composes the Trilium tools. Their code is loaded on demand, because other notebooks do without it. */
import type { NotebookConfig } from '../config/schema.ts';
import { type LimitedSurface, limitSurface } from '../mcp/tool-list.ts';
import type { JobThreads } from '../shared/job-threads.ts';
import type { Log } from '../shared/log.ts';
import type { TriliumClient } from '../stores/trilium/client.ts';
import type { TriliumOptions } from '../surfaces/trilium/backend.ts';

/** The Trilium tools, and their backend for each Trilium. */
export async function triliumTools(
  limits: Pick<NotebookConfig, 'readOnly' | 'noDelete'>,
  services: TriliumServices,
) {
  const { createTriliumBackend } = await import('../surfaces/trilium/backend.ts');
  const { FILE_TOOLS, triliumSurfaceWith } = await import('../surfaces/trilium/surface.ts');
  const { classOf } = await import('../surfaces/trilium/render-error.ts');
  const { webBaseOf } = await import('../stores/trilium/web-url.ts');
  const { createWriteLocks } = await import('../stores/trilium/write-lock.ts');
  const locks = createWriteLocks(services);
  const { createConversion } = await import('../stores/trilium/conversion.ts');
  const conversion = createConversion({ threads: services.convertThreads, log: services.log });
  return {
    limited: limitSurface(triliumSurfaceWith(limits), limits) as LimitedSurface<never>,
    /** The failure class of an error, for metrics. */
    errorKind: classOf,
    /** Whether a tool's arguments may hold whole files. */
    takesFiles: (tool: string) => FILE_TOOLS.has(tool),
    backendOver: (
      client: TriliumClient,
      { url, publicUrl, subtree }: TriliumPlace,
      scopeOf?: TriliumOptions['scopeOf'],
    ) => {
      const webBase = publicUrl ?? webBaseOf(url);
      return createTriliumBackend(client, { conversion, webBase, subtree, locks, scopeOf });
    },
  };
}

interface TriliumPlace {
  readonly url: string;
  readonly publicUrl?: string | undefined;
  readonly subtree?: string | undefined;
}

export interface TriliumServices {
  readonly log?: Log;
  readonly convertThreads?: JobThreads;
}

/** The operator's own configuration may lead to a private network. */
export async function triliumClient({ trilium }: Pick<NotebookConfig, 'trilium'>): Promise<TriliumClient> {
  const { createTriliumClient } = await import('../stores/trilium/client.ts');
  const { url, token } = trilium!;
  return createTriliumClient({ url, token, allow: 'private' });
}

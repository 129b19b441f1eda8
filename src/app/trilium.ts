/** Composes the Trilium tools. Their code is loaded on demand, because other notebooks do without it. */
import type { NotebookConfig } from '../config/schema.ts';
import { type LimitedSurface, limitSurface } from '../mcp/tool-list.ts';
import type { JobThreads } from '../shared/job-threads.ts';
import type { Log } from '../shared/log.ts';
import type { TriliumClient } from '../stores/trilium/client.ts';
import type { classOf as errorKindOf } from '../surfaces/trilium/render-error.ts';

/** The Trilium tools, and their backend for each Trilium. */
export async function triliumTools(
  limits: Pick<NotebookConfig, 'readOnly' | 'noDelete'>,
  services: TriliumServices,
): Promise<{
  readonly limited: LimitedSurface<never>;
  /** Whether a tool's arguments may hold whole files. */
  readonly takesFiles: (tool: string) => boolean;
  /** The failure class of an error, for metrics. */
  readonly errorKind: typeof errorKindOf;
  readonly backendOver: (client: TriliumClient, place: TriliumPlace) => unknown;
}> {
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
    errorKind: classOf,
    takesFiles: (tool) => FILE_TOOLS.has(tool),
    backendOver: (client, { url, publicUrl, subtree }) =>
      createTriliumBackend(client, {
        conversion,
        webBase: publicUrl ?? webBaseOf(url),
        subtree,
        locks,
      }),
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
export async function triliumClient({ trilium }: NotebookConfig): Promise<TriliumClient> {
  const { createTriliumClient } = await import('../stores/trilium/client.ts');
  const { url, token } = trilium!;
  return createTriliumClient({ url, token, allow: 'private' });
}

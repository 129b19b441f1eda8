/** Puts the parts for a Trilium together. All of them are loaded on demand: nobody who serves anything else waits for them. */
import type { NotebookConfig } from '../config/schema.ts';
import { type LimitedSurface, limitSurface } from '../mcp/tool-list.ts';
import type { NoteStore } from '../notes/store.ts';
import type { Log } from '../shared/log.ts';
import type { TriliumClient } from '../stores/trilium/client.ts';
import type { Conversion } from '../surfaces/trilium/backend.ts';
import type { classOf as errorKindOf } from '../surfaces/trilium/render-error.ts';

/** A Trilium whose notes are served as files. */
export async function openTrilium(config: NotebookConfig, services: TriliumServices): Promise<NoteStore> {
  const { openTriliumStore } = await import('../stores/trilium/store.ts');
  const { withinSubtree } = await import('../stores/trilium/subtree/guard.ts');
  const { subtree } = config.trilium!;
  const whole = await triliumClient(config);
  const conversion = await sharedConversion(services);
  const shared = { markdown: conversion, cleanFile: conversion.cleanFile, log: services.log };
  if (subtree === undefined) return openTriliumStore({ client: whole, ...shared });
  return openTriliumStore({ client: withinSubtree(whole, subtree), ...shared, rootNoteId: subtree });
}

/** The Trilium tools, and what they stand on for each Trilium. */
export async function triliumTools(
  limits: Pick<NotebookConfig, 'readOnly' | 'noDelete'>,
  services: TriliumServices,
): Promise<{
  readonly limited: LimitedSurface<never>;
  /** Whether a tool's arguments may hold whole files. */
  readonly takesFiles: (tool: string) => boolean;
  /** How the metrics tell failures apart. */
  readonly errorKind: typeof errorKindOf;
  readonly backendOver: (client: TriliumClient, place: TriliumPlace) => unknown;
}> {
  const { createTriliumBackend } = await import('../surfaces/trilium/backend.ts');
  const { FILE_TOOLS, triliumSurfaceWith } = await import('../surfaces/trilium/surface.ts');
  const { classOf } = await import('../surfaces/trilium/render-error.ts');
  const { webBaseOf } = await import('../stores/trilium/web-url.ts');
  const { createWriteLocks } = await import('../stores/trilium/write-lock.ts');
  const locks = createWriteLocks(services);
  const conversion = await sharedConversion(services);
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
  readonly log?: Log | undefined;
  /** The program of the thread that converts long texts; without it, nobody is answered meanwhile. */
  readonly convertThread?: string | undefined;
}

const conversions = new Map<string | undefined, Conversion>();

/** One for all Triliums of this process, since it has threads. */
async function sharedConversion({ convertThread, log }: TriliumServices): Promise<Conversion> {
  const { createConversion } = await import('./conversion.ts');
  const known = conversions.get(convertThread);
  const conversion = known ?? createConversion({ file: convertThread, log });
  conversions.set(convertThread, conversion);
  return conversion;
}

/** What an operator wrote may lead to his own network. */
export async function triliumClient({ trilium }: NotebookConfig): Promise<TriliumClient> {
  const { createTriliumClient } = await import('../stores/trilium/client.ts');
  const { url, token } = trilium!;
  return createTriliumClient({ url, token, allow: 'private' });
}

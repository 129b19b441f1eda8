/** Puts the parts for a Trilium together. All of them are loaded on demand: nobody who serves anything else waits for them. */
import type { NotebookConfig } from './config/schema.ts';
import { type LimitedSurface, limitSurface } from './mcp/limit-surface.ts';
import type { NoteStore } from './notes/store.ts';
import type { TriliumClient } from './stores/trilium/client.ts';
import type { Conversion } from './surfaces/trilium/backend.ts';

/** A Trilium whose notes are served as files. */
export async function openTrilium(config: NotebookConfig): Promise<NoteStore> {
  const { openTriliumStore } = await import('./stores/trilium/store.ts');
  const { withinSubtree } = await import('./stores/trilium/subtree/guard.ts');
  const { toHtml } = await import('./notes/trilium-html/to-html.ts');
  const { toMarkdown } = await import('./notes/trilium-html/to-markdown.ts');
  const { cleanFile } = await import('./notes/trilium-html/clean-file.ts');
  const { subtree } = config.trilium!;
  const whole = await triliumClient(config);
  const shared = { markdown: { toHtml: (text: string) => toHtml(text), toMarkdown }, cleanFile };
  if (subtree === undefined) return openTriliumStore({ client: whole, ...shared });
  return openTriliumStore({ client: withinSubtree(whole, subtree), ...shared, rootNoteId: subtree });
}

/** The Trilium tools, and what they stand on for each Trilium. */
export async function triliumTools(limits: Pick<NotebookConfig, 'readOnly' | 'noDelete'>): Promise<{
  readonly limited: LimitedSurface<never>;
  readonly backendOver: (client: TriliumClient, place: TriliumPlace) => unknown;
}> {
  const { createTriliumBackend } = await import('./surfaces/trilium/backend.ts');
  const { triliumSurface } = await import('./surfaces/trilium/surface.ts');
  const { webBaseOf } = await import('./stores/trilium/web-url.ts');
  return {
    limited: limitSurface(triliumSurface, limits) as LimitedSurface<never>,
    backendOver: (client, { url, publicUrl, subtree }) =>
      createTriliumBackend(client, { conversion, webBase: publicUrl ?? webBaseOf(url), subtree }),
  };
}

export interface TriliumPlace {
  readonly url: string;
  readonly publicUrl?: string | undefined;
  readonly subtree?: string | undefined;
}

/** Parsers are loaded when the first text needs them. */
const conversion: Conversion = {
  toHtml: async (...text) => (await import('./notes/trilium-html/to-html.ts')).toHtml(...text),
  toMarkdown: async (html) => (await import('./notes/trilium-html/to-markdown.ts')).toMarkdown(html),
  clean: async (html) => (await import('./notes/trilium-html/clean-html.ts')).cleanHtml(html),
  edited: async (...texts) => (await import('./notes/trilium-html/changed-html.ts')).editedHtml(...texts),
  appended: async (...texts) => (await import('./notes/trilium-html/changed-html.ts')).appendedHtml(...texts),
  cleanFile: async (...file) => (await import('./notes/trilium-html/clean-file.ts')).cleanFile(...file),
};

/** What an operator wrote may lead to his own network. */
export async function triliumClient({ trilium }: NotebookConfig): Promise<TriliumClient> {
  const { createTriliumClient } = await import('./stores/trilium/client.ts');
  const { url, token } = trilium!;
  return createTriliumClient({ url, token, allow: 'private' });
}

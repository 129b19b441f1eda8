/** What the Trilium tools stand on: one Trilium, or one subtree of it, and how its texts become markdown and back. */
import type * as z from 'zod';
import { type Call, defineTool as define, type Output, type Tool } from '../../mcp/tool.ts';
import type { Log } from '../../shared/log.ts';
import { type AttachmentWriter, createAttachmentWriter } from '../../stores/trilium/attachment-writer.ts';
import type { TriliumClient } from '../../stores/trilium/client.ts';
import { withinSubtree } from '../../stores/trilium/subtree/guard.ts';
import { type ContentWriter, createContentWriter } from '../../stores/trilium/write-content.ts';
import { createWriteLock } from '../../stores/trilium/write-lock.ts';
import { remembered } from './remembered.ts';

/** Between what callers write and the HTML that Trilium stores. Loaded when it is first needed. */
export interface Conversion {
  /** A first heading that repeats the title is left out; `links` has ids of notes by their titles. */
  toHtml(
    markdown: string,
    options?: { readonly title?: string; readonly links?: ReadonlyMap<string, string> },
  ): string | Promise<string>;
  toMarkdown(html: string): string | Promise<string>;
  /** Without scripts and all else that could act. */
  clean(html: string): string | Promise<string>;
  /** A stored text after an edit: as it is, unless it could act. */
  edited(before: string, after: string): string | Promise<string>;
  /** A stored text with more at its end, in front of footnotes. */
  joined(before: string, addition: string): string | Promise<string>;
  /** The same, without what could act; the addition is clean. */
  appended(before: string, addition: string): string | Promise<string>;
  /** A file without what runs when somebody opens it; the very same bytes where there is nothing of the kind. */
  cleanFile(mime: string, bytes: Uint8Array): Uint8Array | Promise<Uint8Array>;
}

export interface TriliumOptions {
  readonly conversion: Conversion;
  /** Where people open notes. */
  readonly webBase: string;
  /** The note below which everything happens. */
  readonly subtree?: string | undefined;
  readonly log?: Log | undefined;
}

export interface TriliumBackend {
  readonly client: TriliumClient;
  readonly contents: ContentWriter;
  readonly attachments: AttachmentWriter;
  readonly conversion: Conversion;
  readonly webBase: string;
}

export function createTriliumBackend(whole: TriliumClient, options: TriliumOptions): TriliumBackend {
  const { conversion, webBase, subtree = 'root' } = options;
  const client = subtree === 'root' ? whole : withinSubtree(whole, subtree);
  const lock = createWriteLock(client, options.log);
  return {
    client,
    contents: createContentWriter(client, lock),
    attachments: createAttachmentWriter(client, lock),
    conversion: { ...conversion, toMarkdown: remembered((html) => conversion.toMarkdown(html)) },
    webBase,
  };
}

/**
 * `defineTool` for this surface, so that each tool's file need not name the backend. A caller who gives up ends a
 * read at once; a change that has begun is brought to its end, since half of one helps nobody.
 */
export function defineTool<Input extends z.ZodObject>(
  tool: Omit<Tool<TriliumBackend>, 'input' | 'output' | 'run'> & {
    readonly input: () => Input;
    run(input: z.infer<Input>, call: Call<TriliumBackend>): Promise<Output>;
  },
): Tool<TriliumBackend> {
  const titled = { ...tool, annotatesTitle: true as const };
  if (tool.effect === 'read') return define(titled);
  return define({
    ...titled,
    run: (input: z.infer<Input>, call: Call<TriliumBackend>) =>
      tool.run(input, { ...call, signal: new AbortController().signal }),
  });
}

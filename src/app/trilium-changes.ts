/** Changes of a Trilium, inspected after a crash and undone, whatever tools made them. Its code is loaded on demand. */
import type { NotebookConfig } from '../config/schema.ts';
import type { History } from '../history/history.ts';
import type { EditInspector } from '../history/recover.ts';
import type { OpenRestorer } from '../history/undo.ts';
import type { EditRecorder } from '../notes/edit-recorder.ts';
import { memoize } from '../shared/memoize.ts';
import type { TriliumClient } from '../stores/trilium/client.ts';
import { triliumClient } from './trilium.ts';

/** One Trilium, or one subtree of it. */
export interface TriliumOpener {
  /** With a recorder, changes through the client are recorded. */
  client(recorder?: EditRecorder): Promise<TriliumClient>;
  close(): Promise<void>;
}

/** `whole` is called when a client is needed for the first time. */
export function openTrilium(whole: () => Promise<TriliumClient>, subtree: string | undefined): TriliumOpener {
  let opened: Promise<TriliumClient> | undefined;
  return {
    client: async (recorder) => {
      opened ??= whole();
      const { recordedClient } = await import('../stores/trilium/record/recorded-client.ts');
      const { withinSubtree } = await import('../stores/trilium/subtree/guard.ts');
      const client = recorder ? recordedClient(await opened, recorder) : await opened;
      return subtree === undefined ? client : withinSubtree(client, subtree);
    },
    close: async () => (await opened?.catch(() => undefined))?.close(),
  };
}

/** Undefined for notes that are kept elsewhere. */
export function openTriliumOf({ trilium }: Pick<NotebookConfig, 'trilium'>): TriliumOpener | undefined {
  return trilium && openTrilium(() => triliumClient({ trilium }), trilium.subtree);
}

export function triliumInspectorOf(trilium: TriliumOpener, history: History): EditInspector {
  return async (edit) => {
    const { triliumInspector } = await import('../stores/trilium/record/restore.ts');
    return triliumInspector(await trilium.client(), history)(edit);
  };
}

export function triliumRestorers(
  trilium: TriliumOpener,
  history: History,
  recorder: EditRecorder | undefined,
): Readonly<Record<string, OpenRestorer>> {
  return {
    trilium: (options) => {
      const restorer = memoize(async () => {
        const { triliumRestorer } = await import('../stores/trilium/record/restore.ts');
        return triliumRestorer({ client: await trilium.client(recorder), history })(options);
      });
      return { undo: async (change, edit) => (await restorer()).undo(change, edit) };
    },
  };
}

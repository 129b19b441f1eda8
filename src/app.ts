/** Puts the parts together: configuration in, something that can be served out. The only file that knows every folder. */
import picomatch from 'picomatch';
import type { NotebookConfig } from './config/schema.ts';
import { limitSurface } from './mcp/limit-surface.ts';
import { createServer } from './mcp/server.ts';
import { serveOverStdio } from './mcp/stdio.ts';
import { compileRules } from './notes/frontmatter/rules.ts';
import type { Notebook } from './notes/notebook.ts';
import { PathFilter } from './notes/path-filter.ts';
import type { NoteStore } from './notes/store.ts';
import type { Log } from './shared/log.ts';
import { openFolderStore } from './stores/folder/store.ts';
import { guarded } from './stores/wrap/guarded.ts';
import { readOnly } from './stores/wrap/read-only.ts';
import { notebookResources } from './surfaces/notebook/resources.ts';
import { notebookSurface } from './surfaces/notebook/surface.ts';
import { VERSION } from './version.ts';

export async function openNotebook(config: NotebookConfig): Promise<Notebook> {
  const filter = new PathFilter({ allowedExtensions: config.extensions, ignoredPatterns: config.ignore });
  const folder = await openFolderStore(config.folder, {
    isVisible: (path) => !filter.isHidden(path),
    permanentDelete: config.permanentDelete,
    untouched: config.readOnly,
  });
  return notebookOver(config.readOnly ? readOnly(folder) : folder, filter, config);
}

/** The notebook over any store, as its configuration limits it. */
export function notebookOver(
  store: NoteStore,
  filter: PathFilter,
  config: Pick<NotebookConfig, 'frontmatterRules' | 'noDelete'>,
): Notebook {
  return {
    notes: guarded(store, filter),
    files: store,
    rules: compileRules(config.frontmatterRules, (glob) => picomatch(glob, { dot: true, nocase: true })),
    keepsAll: config.noDelete,
  };
}

export async function serveNotebookOverStdio(config: NotebookConfig, log: Log): Promise<void> {
  const backend = await openNotebook(config);
  const resources = notebookResources(backend, log);
  const limited = limitSurface(notebookSurface, config);
  await serveOverStdio(() => createServer({ limited, backend, resources, version: VERSION, log }), log);
  await resources.close();
  await backend.notes.close();
}

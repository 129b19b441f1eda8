/** What the start page says about the notebooks. */
import { basename, resolve } from 'node:path';
import type { Launch } from '../../clients/client.ts';
import type { Config, NotebookConfig } from '../../config/schema.ts';
import type { ServedNotebook, StartFacts } from '../../console/pages/start.ts';
import { VERSION } from '../../version.ts';
import type { NotebookServer } from '../notebooks.ts';

interface StartParts {
  readonly config: Config;
  readonly origin: string;
  readonly notebooks: ReadonlyMap<string, NotebookServer>;
  readonly launch?: Launch;
}

export function startFacts({ config, origin, notebooks, launch }: StartParts): StartFacts {
  const all = Object.entries(config.notebooks);
  const folders = all.flatMap(([name, { folder }]) =>
    folder === undefined ? [] : [[name, resolve(folder)] as const],
  );
  return {
    origin,
    version: VERSION,
    notebooks: () =>
      [...notebooks].map(([name, served]): ServedNotebook => {
        const notebook = config.notebooks[name]!;
        const status = served.indexStatus();
        return {
          name,
          place: placeOf(notebook),
          notes: status && status.indexed + status.pending + status.unreadable,
          isReadOnly: notebook.readOnly === true,
          path: notebooks.size === 1 || config.brain?.alone ? '/mcp' : `/mcp/${name}`,
        };
      }),
    machine: launch && { launch, platform: process.platform, folders: new Map(folders) },
  };
}

/** The name of the folder alone: where it is on the machine is not everybody's business. */
function placeOf({ folder, silverbullet, trilium }: NotebookConfig): string {
  if (folder !== undefined) return `folder ${basename(resolve(folder))}`;
  if (silverbullet) return `SilverBullet at ${new URL(silverbullet.url).host}`;
  return trilium?.url === undefined ? 'Trilium' : `Trilium at ${new URL(trilium.url).host}`;
}

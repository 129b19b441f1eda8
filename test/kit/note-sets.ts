/** A tool set over notes in a folder, a SilverBullet and a Trilium, in this process, through a real client. */
import { join } from 'node:path';
import { withHistoryTools } from '../../src/app/history-tools.ts';
import { withNoteSets } from '../../src/app/note-sets.ts';
import { type NotebookServer, openServed } from '../../src/app/notebooks.ts';
import type { NotebookConfig } from '../../src/config/schema.ts';
import { silentLog } from '../../src/shared/log.ts';
import { connectTo, type InFolder, QUIET, type ToolClient } from './server.ts';
import { TOKEN as SPACE_TOKEN, startSilverBullet } from './silverbullet/server.ts';
import { temporaryFolder } from './temp.ts';
import type { SeedNote } from './trilium/seed.ts';
import { startTrilium, TOKEN } from './trilium/server.ts';

type Settings = Partial<NotebookConfig>;
type Seed = Readonly<Record<string, string>>;

export interface ServedSets extends ToolClient {
  readonly served: NotebookServer;
}

/** The notebook tools, those of the sets, and the history's. */
export async function withSets(sets: readonly string[], settings: Settings): Promise<ServedSets> {
  const config: NotebookConfig = {
    tools: 'notebook',
    toolSets: [...sets, 'history'],
    extensions: ['.md', '.markdown', '.txt'],
    ignore: [],
    readOnly: false,
    noDelete: false,
    permanentDelete: false,
    overwrite: 'guarded',
    review: 'off',
    readThreshold: 200,
    extended: false,
    openLinks: false,
    frontmatterRules: [],
    ...settings,
  };
  const state = await temporaryFolder();
  const services = {
    log: silentLog,
    history: { folder: join(state, 'history'), days: 90, maxBytes: 1e9, required: true },
  };
  const opened = await withNoteSets(await openServed('notes', config, services), config);
  const served = withHistoryTools(opened, config, services);
  const { limited, backend, prompts, close } = served;
  return { ...(await connectTo({ limited, backend: backend as never, prompts, ...QUIET }, close)), served };
}

export async function withSetsInFolder(
  sets: readonly string[],
  seed: Readonly<Record<string, string | Uint8Array>>,
  settings: Settings = {},
): Promise<InFolder & ServedSets> {
  const folder = await temporaryFolder(seed);
  return { folder, ...(await withSets(sets, { ...settings, folder })) };
}

export async function withSetsInSpace(sets: readonly string[], files: Seed, settings: Settings = {}) {
  const { url, disk } = await startSilverBullet({ files });
  const silverbullet = { url, token: SPACE_TOKEN };
  return { disk, ...(await withSets(sets, { ...settings, silverbullet })) };
}

export async function withSetsInTrilium(
  sets: readonly string[],
  notes: readonly SeedNote[],
  settings: Settings = {},
) {
  const fake = await startTrilium({ notes });
  const trilium = { url: fake.url, token: TOKEN };
  return { fake, ...(await withSets(sets, { ...settings, trilium })) };
}

/** Tool sets over notes, joined to the notebook tools, in this process and over each kind of store. */
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { withHistoryTools } from '../../src/app/history-tools.ts';
import { withNoteSets } from '../../src/app/note-sets.ts';
import { openServed, serverOf } from '../../src/app/notebooks.ts';
import { configSchema } from '../../src/config/schema.ts';
import { silentLog } from '../../src/shared/log.ts';
import { connectServer, type InFolder, type ToolClient } from './server.ts';
import { TOKEN as SPACE_TOKEN, startSilverBullet } from './silverbullet/server.ts';
import { temporaryFolder } from './temp.ts';
import type { SeedNote } from './trilium/seed.ts';
import { startTrilium, TOKEN } from './trilium/server.ts';

/** The notebook with these sets and the history, as `quire.yaml` describes it. */
export async function withNotebook(
  notebook: Readonly<Record<string, unknown>>,
  sets: readonly string[],
): Promise<ToolClient> {
  const { notebooks } = configSchema.parse({ notebooks: { notes: { toolSets: sets, ...notebook } } });
  const config = notebooks.notes!;
  const state = await temporaryFolder();
  const history = { folder: join(state, 'history'), days: 1, maxBytes: 1e8, required: true };
  const services = { log: silentLog, history };
  const served = withHistoryTools(
    await withNoteSets(await openServed('notes', config, services), config),
    config,
    services,
  );
  served.start();
  onTestFinished(() => served.close());
  return connectServer(serverOf(served, { log: silentLog }));
}

export async function withFolderSets(
  sets: readonly string[],
  seed: Readonly<Record<string, string | Uint8Array>>,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<InFolder> {
  const folder = await temporaryFolder(seed);
  return { folder, ...(await withNotebook({ folder, ...settings }, sets)) };
}

export async function withSpaceSets(sets: readonly string[], files: Readonly<Record<string, string>>) {
  const { url, disk } = await startSilverBullet({ files });
  const tools = await withNotebook(
    { silverbullet: { url, token: SPACE_TOKEN }, tools: 'notebook', extensions: ['.md'] },
    sets,
  );
  return { disk, ...tools };
}

export async function withTriliumSets(sets: readonly string[], notes: readonly SeedNote[]) {
  const fake = await startTrilium({ notes });
  const tools = await withNotebook({ trilium: { url: fake.url, token: TOKEN }, tools: 'notebook' }, sets);
  return { fake, ...tools };
}

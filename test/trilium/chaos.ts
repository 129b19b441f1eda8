/** Trilium on its worst day, for as long as is wished; its notes are served by the notebook tools. */
import { join } from 'node:path';
import { type ChaosOptions, survivesChaos } from '../kit/chaos.ts';
import { startProgram } from '../kit/server.ts';
import { temporaryFolder } from '../kit/temp.ts';
import { TOKEN } from '../kit/trilium/server.ts';

export function triliumChaos(options: ChaosOptions): Promise<void> {
  return survivesChaos({
    ...options,
    server: './trilium/chaos-server.ts',
    // Fewer than two hundred are not kept between runs.
    notes: 240,
    contested: 30,
    tears: false,
    start: async (url, cacheFolder) => {
      const folder = await temporaryFolder({
        'quire.yaml': `notebooks:\n  notes:\n    tools: notebook\n    trilium:\n      url: ${url}\n      token: "${TOKEN}"\n`,
      });
      return startProgram(['--config', join(folder, 'quire.yaml'), '--log-level', 'error'], {
        env: { XDG_CACHE_HOME: cacheFolder },
      });
    },
    search: ({ call }, word) => call('search_notes', { query: word }),
    write: ({ call }, name, text) => call('write_note', { path: `${name}.md`, content: text }),
    names: ({ json }, name) => (json ?? []).some(({ p }: { p: string }) => p === `${name}.md`),
    hasHits: ({ json }) => json?.length > 0,
    isError: ({ isError }) => isError,
  });
}

/** SilverBullet on its worst day, for as long as is wished. */
import { type ChaosOptions, survivesChaos } from '../kit/chaos.ts';
import { startProgram } from '../kit/server.ts';
import { TOKEN } from '../kit/silverbullet/server.ts';

export function silverBulletChaos(options: ChaosOptions): Promise<void> {
  return survivesChaos({
    ...options,
    server: './silverbullet/chaos-server.ts',
    notes: 300,
    contested: 40,
    tears: true,
    start: (url, cacheFolder) =>
      startProgram(['silverbullet', '--transport', 'stdio', '--log-level', 'error'], {
        env: { SB_URL: url, SB_TOKEN: TOKEN, XDG_CACHE_HOME: cacheFolder },
      }),
    search: ({ call }, word) => call('search_pages', { query: word }),
    write: ({ call }, name, text) => call('create_page', { page: name, body: text }),
    names: ({ json }, name) => (json?.hits ?? []).some(({ page }: { page: string }) => page === name),
    hasHits: ({ json }) => json?.hits?.length > 0,
    isError: ({ json, isError }) => isError || json?.error !== undefined,
  });
}

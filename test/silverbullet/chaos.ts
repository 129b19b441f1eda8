/** SilverBullet on its worst day, for as long as is wished. */
import { type ChaosParts, noteName, ownWord, survivesChaos } from '../kit/chaos.ts';
import { startProgram } from '../kit/server.ts';
import { startSilverBullet, TOKEN } from '../kit/silverbullet/server.ts';
import { temporaryFolder } from '../kit/temp.ts';

export async function silverBulletChaos({
  seconds,
  seed,
}: Pick<ChaosParts, 'seconds' | 'seed'>): Promise<void> {
  const notes = 300;
  const files = Object.fromEntries(
    Array.from({ length: notes }, (_, n) => [
      `${noteName(n)}.md`,
      `# Page\n\n${ownWord(n)} and other words\n`,
    ]),
  );
  const fake = await startSilverBullet({ files, bare: true });
  fake.disk.ways.tornMs = () => 3;
  const env = { SB_URL: fake.url, SB_TOKEN: TOKEN, XDG_CACHE_HOME: await temporaryFolder() };
  await survivesChaos({
    notes,
    seconds,
    seed,
    trouble: (fate) => {
      fake.faults.fate = ({ isForeign }) => (isForeign ? undefined : fate());
    },
    slow: (latencyMs) => {
      fake.faults.latencyMs = latencyMs;
    },
    start: async () => {
      const { call, pid } = await startProgram(
        ['silverbullet', '--transport', 'stdio', '--log-level', 'error'],
        { env },
      );
      return {
        pid,
        search: (word) => call('search_pages', { query: word }),
        write: (name, text) => call('create_page', { page: name, content: text }),
      };
    },
    names: ({ json }, name) => (json?.hits ?? []).some(({ page }: { page: string }) => page === name),
    isError: ({ json, isError }) => isError || json?.error !== undefined,
    stored: (name) => fake.disk.text(`${name}.md`),
  });
}

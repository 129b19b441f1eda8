/** The search engine over a SilverBullet store: right from the first moment, and kept so. */
import { expect, onTestFinished, test } from 'vitest';
import { openSearcher } from '../../src/search/open-searcher.ts';
import { silentLog } from '../../src/shared/log.ts';
import { at, DIALECTS, served } from '../silverbullet/kit.ts';

const PAGES = 1_000;

function pages(): Record<string, string> {
  const filler = 'Some words that are on every page, so that there is something to read. '.repeat(40);
  return Object.fromEntries(
    Array.from({ length: PAGES }, (_, n) => [`notes/Page ${n}.md`, `# Page ${n}\n\nunique${n} ${filler}`]),
  );
}

test.each(DIALECTS)(
  'a thousand pages are found, while they are being indexed and after: %s',
  async (dialect) => {
    const { store, fake } = await served({ dialect, files: pages() }, { pollMs: 50 });
    // All of them are read before the answer, however slow this machine is.
    const searcher = openSearcher(store, { log: silentLog, retries: { answerMs: 60_000 } });
    onTestFinished(() => searcher.close());
    const found = async (query: string) =>
      (await searcher.search({ query, limit: 5 })).hits.map(({ path }) => path);

    searcher.start();
    // The last of them: its turn comes at the very end.
    expect(await found(`unique${PAGES - 1}`)).toEqual([`notes/Page ${PAGES - 1}.md`]);
    await searcher.settled();
    expect(await searcher.files()).toHaveLength(PAGES);

    await searcher.store.write(at('mine.md'), 'freshlywritten by us');
    expect(await found('freshlywritten')).toEqual(['mine.md']);
    await fake.put('theirs.md', 'freshlyput by others');
    await expect.poll(() => found('freshlyput')).toEqual(['theirs.md']);
    expect(await found('library')).toEqual([]);
  },
);

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { temporaryFolder } from '../kit/temp.ts';
import { openNotes, searching } from './kit.ts';

/** As on a system that has no watch left for some folders. */
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  return {
    ...fs,
    watch: (...args: Parameters<typeof fs.watch>) => {
      if (String(args[0]).endsWith('/unwatched'))
        throw Object.assign(new Error('ENOSPC: System limit for number of file watchers reached'), {
          code: 'ENOSPC',
        });
      return fs.watch(...args);
    },
  };
});

it('compares folders that cannot be watched every few seconds, and says so once', async () => {
  const folder = await temporaryFolder({
    'watched/a.md': 'alpha',
    'unwatched/b.md': 'beta',
    'x/unwatched/c.md': 'x',
  });
  const lines: string[] = [];
  const { paths, searcher } = await searching(await openNotes(folder), {
    log: (level, message, facts) => lines.push(`${level} ${message} ${JSON.stringify(facts)}`),
  });
  searcher.start();
  await searcher.settled();
  await expect
    .poll(() => lines)
    .toEqual([expect.stringMatching(/^warn some folders cannot be watched.*ENOSPC/)]);
  expect(await searcher.store.revision?.()).toBeUndefined();
  await writeFile(join(folder, 'unwatched/b.md'), 'changed in place');
  await writeFile(join(folder, 'unwatched/new.md'), 'newcomer');
  await expect.poll(() => paths('changed in place'), { timeout: 40_000 }).toEqual(['unwatched/b.md']);
  await expect.poll(() => paths('newcomer'), { timeout: 40_000 }).toEqual(['unwatched/new.md']);
});

/** Searches while notes change under them. */
import { expect, it } from 'vitest';
import type { NoteStore } from '../../src/notes/store.ts';
import { openMemoryStore } from '../../src/stores/memory.ts';
import { temporaryFolder } from '../kit/temp.ts';
import { at, searching } from './kit.ts';

const CRANE = '---\ntags: [lift]\n---\nThe harbour crane lifts.\n';

/** Searches, and replaces a note at the first text that the search reads: it is indexed under another number then. */
async function replacedWhileSearching(query: string, more = {}) {
  const memory = openMemoryStore({
    'crane.md': CRANE,
    'other.md': '---\ntags: [lift]\n---\nAn old crane of the harbour.\n',
  });
  let onRead: (() => Promise<void>) | undefined;
  const store: NoteStore = {
    ...memory,
    read: async (path) => {
      const meanwhile = onRead;
      onRead = undefined;
      await meanwhile?.();
      return memory.read(path);
    },
  };
  const snapshotFile = `${await temporaryFolder()}/index`;
  const first = await searching(memory, { snapshotFile });
  await first.searcher.settled();
  await first.searcher.close();
  // With the index of before, no text is at hand.
  const { searcher, paths } = await searching(store, { snapshotFile });
  await searcher.settled();
  let replaced = 0;
  onRead = async () => {
    await searcher.store.write(at('crane.md'), CRANE);
    await searcher.settled();
    replaced++;
  };
  return { found: await paths(query, more), replaced };
}

it.each([
  ['by two words', 'harbour crane', {}],
  ['by a tag', 'harbour crane', { filter: { tags: ['lift'] } }],
  ['by its own words', 'harbour crane lifts', { mode: 'exact' }],
] as const)('finds a note %s that is replaced meanwhile', async (_, query, more) => {
  const { found, replaced } = await replacedWhileSearching(query, more);
  expect(replaced).toBe(1);
  expect(found).toContain('crane.md');
});

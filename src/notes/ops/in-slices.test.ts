/** Work over very many notes, between whose time slices other calls are answered. */
import { expect, it } from 'vitest';
import type { NotePath } from '../path.ts';
import type { LinkGraph, NoteEntry, NoteLink, NoteSearcher } from '../searcher.ts';
import { brokenLinks, orphans } from './link-graph.ts';
import { countTags, taggedNotes } from './tag-index.ts';
import { vaultInfo } from './vault-info.ts';

const COUNT = 240_000;
const PATHS = Array.from({ length: COUNT }, (_, at) => `folder ${at % 300}/note ${at}.md` as NotePath);
const ENTRIES = PATHS.map((path, at) => ({
  path,
  title: `Note ${at}`,
  size: at,
  lastModified: at,
  frontmatter: { status: 'open' },
  frontmatterTags: [`tag ${at % 50}`],
  inlineTags: [`nested/${at % 20}`],
})) as unknown as readonly NoteEntry[];

const GRAPH: LinkGraph = {
  outgoing: () => [],
  incoming: () => [],
  *unresolved() {
    for (const from of PATHS) yield { from, target: `missing ${from}`, line: 1 } satisfies NoteLink;
  },
  orphans: () => PATHS,
};

const SEARCHER = {
  notes: async () => ENTRIES,
  files: async () => ENTRIES,
  wordUse: async () => ({ notes: COUNT, holders: [], respelled: [] }),
  links: async () => GRAPH,
} as unknown as NoteSearcher;

/** How often the event loop came round while the work was done. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isDone = false;
  const turn = () => {
    turns++;
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  isDone = true;
  return turns;
}

const all = () => true;

it.each([
  ['tags are collected', () => taggedNotes([...ENTRIES])],
  ['tags are counted', async () => countTags(await taggedNotes(ENTRIES), { nested: true, isWanted: all })],
  ['the vault is described', () => vaultInfo(SEARCHER)],
  ['broken links are found', () => brokenLinks(SEARCHER, all)],
  ['orphans are found', () => orphans(SEARCHER, all)],
])('while %s, other calls are answered', async (_, work) => {
  expect(await turnsDuring(work)).toBeGreaterThan(2);
});

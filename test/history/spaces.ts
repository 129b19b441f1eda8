/** Stores with a history, each empty. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { openHistory } from '../../src/history/history.ts';
import { silentLog } from '../../src/shared/log.ts';
import { openMemoryStore } from '../../src/stores/memory.ts';
import { createSilverBulletClient } from '../../src/stores/silverbullet/client.ts';
import { openSilverBulletStore } from '../../src/stores/silverbullet/store.ts';
import { cleanFile } from '../../src/stores/trilium/html/clean.ts';
import { openTriliumStore } from '../../src/stores/trilium/store.ts';
import { cases as casesInRun } from '../kit/cases.ts';
import { startSilverBullet } from '../kit/silverbullet/server.ts';
import { start } from '../trilium/kit.ts';
import { MB, openFolder } from './kit.ts';
import {
  OPERATION,
  OUTSIDE,
  SEED,
  type Served,
  type Space,
  undoesAll,
  undoesEach,
  undoesOne,
} from './random-history.ts';

type OpenSpace = () => Promise<Space & { close(): Promise<void> }>;

function history(folder: string, segmentBytes: number) {
  return openHistory({ folder, days: 90, maxBytes: 100 * MB, segmentBytes, log: silentLog });
}

/** Two processes' worth of stores and histories over one folder. */
const openFolders: OpenSpace = async () => {
  const base = await mkdtemp(join(tmpdir(), 'quire-test-'));
  const folder = join(base, 'notes');
  await mkdir(folder);
  const serve = async (): Promise<Served> => ({
    store: await openFolder(folder),
    history: history(join(base, 'history'), 3_000),
  });
  const served = [await serve(), await serve()] as const;
  return {
    served: [...served],
    folder,
    async close() {
      for (const one of served) await one.history.close();
      await rm(base, { recursive: true, force: true, maxRetries: 3 });
    },
  };
};

const openOver =
  (openStore: () => Promise<Served['store']>): OpenSpace =>
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'quire-test-'));
    const store = await openStore();
    const kept = history(folder, 20_000);
    return {
      served: [{ store, history: kept }],
      async close() {
        await kept.close();
        await store.close();
        await rm(folder, { recursive: true, force: true, maxRetries: 3 });
      },
    };
  };

const verbatim = {
  toMarkdown: (html: string) => html.replace(/^&#xFEFF;/, '\uFEFF'),
  toHtml: (markdown: string) => markdown.replace(/^\uFEFF/, '&#xFEFF;'),
};

export interface SpaceKind {
  readonly open: OpenSpace;
  readonly cases: number;
  /** Keeps frontmatter and line ends in a form of its own, so that texts with them do not come back as they were. */
  readonly isPlain?: true;
}

export const SPACES: Record<string, SpaceKind> = {
  'a folder that two processes serve': { open: openFolders, cases: 3 },
  memory: { open: openOver(async () => openMemoryStore()), cases: 5 },
  'a SilverBullet space': {
    open: openOver(async () => {
      const { url, token } = await startSilverBullet({ dialect: 'rust' });
      return openSilverBulletStore(createSilverBulletClient({ url, token }), { anyName: true, freshMs: 0 });
    }),
    cases: 2,
  },
  'notes of a Trilium': {
    open: openOver(async () =>
      openTriliumStore({ client: (await start()).client, markdown: verbatim, cleanFile }),
    ),
    cases: 1,
    isPlain: true,
  },
};

const PROPERTIES = {
  all: undoesAll,
  each: undoesEach,
  one: undoesOne,
} as const;

const FRONTMATTER: readonly string[] = ['append', 'prepend', 'tags', 'frontmatter', 'replace'];
const plain = (text: string) => text.replace(/---|\r/g, '');

export async function checkHistories(
  what: keyof typeof PROPERTIES,
  { open, cases, isPlain }: SpaceKind,
  times = 1,
): Promise<void> {
  const texts = isPlain ? SEED.map((seed) => mapValues(seed, plain)) : SEED;
  const operation = OPERATION.map((made) => (isPlain ? { ...made, text: plain(made.text) } : made)).filter(
    // Undoing one change in the middle may leave a conflict behind it, which is another property's matter.
    ({ kind }) => (what === 'one' || kind !== 'undo') && !(isPlain && FRONTMATTER.includes(kind)),
  );
  const operations = fc.array(operation, { maxLength: 14 });
  const property = fc.asyncProperty(
    texts,
    operations,
    OUTSIDE,
    fc.nat(30),
    async (seed, made, outside, pick) => {
      const space = await open();
      try {
        if (what === 'one') await undoesOne(space, seed, made, { outside, pick });
        else await PROPERTIES[what](space, seed, made);
      } finally {
        await space.close();
      }
    },
  );
  await fc.assert(property, { numRuns: casesInRun(cases * times) });
}

function mapValues<T>(entries: Readonly<Record<string, T>>, map: (value: T) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(entries).map(([key, value]) => [key, map(value)]));
}

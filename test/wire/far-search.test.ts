/** Searching, by a real client, notes whose server is away: what is known is found and said to be old, the rest is an error. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { notebookOver, vaultOver } from '../../src/app/open-notes.ts';
import { limitSurface } from '../../src/mcp/tool-list.ts';
import { PathFilter } from '../../src/notes/path-filter.ts';
import type { NoteStore } from '../../src/notes/store.ts';
import { silentLog } from '../../src/shared/log.ts';
import { notebookSurface } from '../../src/surfaces/notebook/surface.ts';
import { eventually } from '../kit/eventually.ts';
import { type Answer, connectPages, connectTo, connectVault, QUIET, type ToolClient } from '../kit/server.ts';
import { type FakeSilverBullet, startSilverBullet } from '../kit/silverbullet/server.ts';
import type { Fate } from '../kit/silverbullet/space.ts';
import { storeOver } from '../silverbullet/kit.ts';
import { expectError } from './notebook/support.ts';
import { expectCode as expectPageCode } from './pages/support.ts';
import { expectCode as expectVaultCode, hintOf } from './vault/support.ts';

const FILES = {
  'Harbour.md': '# Harbour\n\nThe lighthouse is red.\n',
  'Island.md': '# Island\n\nAnother lighthouse, a green one.\n',
  'Garden.md': '# Garden\n\nTomatoes along the wall.\n',
};
const POLL_MS = 20;
const LIMITS = { readOnly: false, noDelete: false };
const FILTER = new PathFilter({ allowedExtensions: ['.md'] });
const SEARCH = { log: silentLog, retries: { firstMs: 5, longestMs: 40, stallMs: 1_000, random: () => 0.5 } };

/** One kind of tools: how it is opened over a store, asked, and understood. */
interface Kind {
  readonly tool: string;
  open(store: NoteStore): Promise<{ connected: ToolClient; settled(): Promise<void> }>;
  pathsOf(answer: Answer): string[];
  /** The answer says in this kind's own words that the server could not be asked. */
  expectOutage(answer: Answer): void;
}

const notebookTools: Kind = {
  tool: 'search_notes',
  open: async (store) => {
    const notebook = notebookOver(store, FILTER, { frontmatterRules: [], noDelete: false }, SEARCH);
    notebook.searcher.start();
    const limited = limitSurface(notebookSurface, LIMITS);
    const connected = await connectTo({ limited, backend: notebook, ...QUIET }, () =>
      notebook.searcher.close(),
    );
    return { connected, settled: () => notebook.searcher.settled() };
  },
  pathsOf: ({ json }) => json.map(({ p }: { p: string }) => p),
  expectOutage: (answer) => {
    expectError(answer, 'The server of the notes cannot be reached');
    expect(answer.text).toMatch(/as of \S+Z, \d+ (?:second|minute)s? ago.*Try again later/s);
  },
};

const vaultTools: Kind = {
  tool: 'vault_search',
  open: async (store) => {
    const { backend, searcher, close } = vaultOver(
      store,
      FILTER,
      { frontmatterRules: [], readThreshold: 200 },
      SEARCH,
    );
    searcher.start();
    const connected = await connectVault(backend, LIMITS, close);
    return { connected, settled: () => searcher.settled() };
  },
  pathsOf: ({ json }) => json.results.map(({ path }: { path: string }) => path),
  expectOutage: (answer) => {
    expectVaultCode(answer, 'UPSTREAM_FAILED', 'The server of the notes cannot be reached');
    expect(hintOf(answer)).toMatch(/as of \S+Z, \d+ (?:second|minute)s? ago.*Try again later/s);
  },
};

const pageTools: Kind = {
  tool: 'search_pages',
  open: async (store) => {
    const notebook = notebookOver(store, FILTER, { frontmatterRules: [], noDelete: false }, SEARCH);
    notebook.searcher.start();
    return { connected: await connectPages(notebook), settled: () => notebook.searcher.settled() };
  },
  pathsOf: ({ json }) => json.hits.map(({ path }: { path: string }) => path),
  expectOutage: (answer) => {
    const { message, remediation } = expectPageCode(answer, 'upstream', { status: 502 });
    expect(message).toBe('The server of the notes cannot be reached');
    expect(remediation).toMatch(/as of \S+Z, \d+ (?:second|minute)s? ago.*Try again later/s);
  },
};

/** Takes the server away; the answer brings it back. */
type Outage = (space: FakeSilverBullet) => Promise<() => Promise<unknown>>;

function fated(space: FakeSilverBullet, fate: Fate): () => void {
  space.faults.fate = ({ isForeign }) => (isForeign ? undefined : fate);
  return () => {
    space.faults.fate = () => undefined;
  };
}

const OUTAGES: Readonly<Record<string, Outage>> = {
  'connections are refused': async (space) => {
    space.close();
    const { port, disk } = space;
    return () => startSilverBullet({ port, disk, dialect: 'go', bare: true });
  },
  'every answer is 503': async (space) => {
    const lift = fated(space, { kind: 'status', status: 503, applies: false });
    return async () => lift();
  },
  'it never answers': async (space) => {
    let goOn = () => {};
    const until = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const lift = fated(space, { kind: 'frozen', until });
    onTestFinished(() => goOn());
    return async () => {
      lift();
      goOn();
    };
  },
};

const CASES = [notebookTools, vaultTools, pageTools].flatMap((kind) =>
  Object.entries(OUTAGES).map(([how, takeAway]) => [kind.tool, how, kind, takeAway] as const),
);

describe('a search while the server of the notes is away', () => {
  it.each(CASES)('%s, %s', async (tool, _how, kind, takeAway) => {
    // The Go server has no events: what the listing says is all there is.
    const space = await startSilverBullet({ files: FILES, dialect: 'go', bare: true });
    const opened = await kind.open(storeOver(space, { pollMs: POLL_MS }));
    const { call } = opened.connected;
    const search = (query: string) => call(tool, { query });
    await opened.settled();
    await eventually(async () => {
      const answer = await search('lighthouse');
      expect(kind.pathsOf(answer).sort()).toEqual(['Harbour.md', 'Island.md']);
      expect(warningOf(answer)).toBeUndefined();
    });
    expect(kind.pathsOf(await search('zeppelin'))).toEqual([]);

    const bringBack = await takeAway(space);
    // A listing younger than this would still be believed.
    await sleep(2 * POLL_MS);
    // The second round meets a server that is known to be down.
    for (let round = 0; round < 2; round++) {
      const known = await search('lighthouse');
      expect(known.isError, known.text).toBe(false);
      expect(kind.pathsOf(known).sort()).toEqual(['Harbour.md', 'Island.md']);
      expect(known.text).toContain('a green one');
      expect(warningOf(known)).toMatch(
        /^The server of the notes cannot be reached .*as of \S+Z, \d+ (?:second|minute)s? ago/,
      );
      // A client that shows only text sees it as well.
      expect(known.text).toContain('The server of the notes cannot be reached');
      kind.expectOutage(await search('zeppelin'));
    }

    space.disk.seed('Airfield.md', 'A zeppelin has landed.', Date.now());
    await bringBack();
    await eventually(async () => {
      const answer = await search('zeppelin');
      expect(kind.pathsOf(answer)).toEqual(['Airfield.md']);
      expect(warningOf(answer)).toBeUndefined();
    });
    const answer = await search('lighthouse');
    expect(kind.pathsOf(answer)).toHaveLength(2);
    expect(answer.text).not.toContain('cannot be reached');
    expect(kind.pathsOf(await search('quokka'))).toEqual([]);
  });
});

/** `search_notes` answers with a list, and with a warning beside it. */
function warningOf({ json, content }: Answer): string | undefined {
  return Array.isArray(json) ? (content[1]?.text as string | undefined) : json?.warning;
}

/** The direction of imports, as data. A folder may import from itself and from the folders it names, nothing else. */
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const SOURCE = fileURLToPath(new URL('../src', import.meta.url));

const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'version.ts': [],
  shared: [],
  config: ['shared', 'stores', 'notes'],
  state: ['shared'],
  llm: ['shared'],
  clients: ['shared'],
  notes: ['shared'],
  history: ['shared', 'state', 'notes'],
  mcp: ['shared', 'state'],
  stores: ['shared', 'state', 'notes', 'history'],
  search: ['shared', 'notes'],
  brain: ['shared', 'notes', 'llm'],
  upstream: ['shared'],
  governance: ['shared', 'config', 'state', 'llm', 'notes', 'upstream'],
  oauth: ['shared', 'state', 'clients'],
  console: ['shared', 'state', 'clients', 'notes', 'history', 'governance', 'oauth'],
  http: ['shared', 'state', 'mcp', 'oauth'],
  surfaces: ['shared', 'notes', 'history', 'stores', 'mcp', 'upstream', 'governance', 'brain', 'llm'],
  app: [
    'version.ts',
    'shared',
    'config',
    'state',
    'llm',
    'clients',
    'notes',
    'history',
    'mcp',
    'stores',
    'search',
    'brain',
    'upstream',
    'governance',
    'oauth',
    'console',
    'http',
    'surfaces',
  ],
  startup: ['shared', 'notes', 'mcp', 'stores', 'search', 'llm', 'oauth', 'app'],
  cli: [
    'version.ts',
    'shared',
    'config',
    'clients',
    'llm',
    'history',
    'oauth',
    'upstream',
    'governance',
    'app',
    'startup',
  ],
};

/** The one surface that is made of one store: all others stand on what every store can. */
const STORE_OF_ITS_OWN = { surface: 'surfaces/trilium/', store: 'stores/trilium/' };

/** Names that only the listed files may use. */
const CONFINED: readonly { what: string; pattern: RegExp; allowed: readonly string[] }[] = [
  // The script of the console runs in browsers.
  { what: 'fetch', pattern: /\bfetch\(/, allowed: ['console/script.ts'] },
  { what: 'console', pattern: /\bconsole\.(?:debug|dir|error|info|log|table|trace|warn)\b/, allowed: [] },
  {
    what: 'process.stdout',
    pattern: /process\.stdout/,
    allowed: [
      'mcp/stdio.ts',
      'cli/entry.ts',
      'cli/serve-http.ts',
      'cli/program.ts',
      'cli/note-commands.ts',
      'cli/mcp/terminal.ts',
    ],
  },
  {
    what: 'process.stderr',
    pattern: /process\.stderr/,
    allowed: ['cli/ask.ts', 'cli/entry.ts', 'cli/command.ts', 'cli/serve-http.ts', 'cli/mcp/terminal.ts'],
  },
  {
    what: 'process.env',
    pattern: /process\.env|\benv\b.*= process/,
    allowed: [
      'cli/cli.ts',
      'cli/entry.ts',
      'cli/serve-brain.ts',
      'cli/serve-folder.ts',
      'cli/serve-http.ts',
      'cli/doctor.ts',
      'cli/mcp/terminal.ts',
      'startup/launcher.ts',
      // Its function runs in a process of its own.
      'upstream/sandbox/relay.ts',
    ],
  },
  {
    what: 'the file system',
    pattern: /from 'node:fs/,
    allowed: [
      'shared/fs/',
      'governance/adding/',
      'cli/mcp/add.ts',
      'cli/mcp/candidate.ts',
      'clients/',
      'history/',
      'stores/folder/',
      'stores/trilium/write-lock.ts',
      'history/',
      'startup/',
      'search/index/snapshot.ts',
      'brain/ingest/read-file.ts',
      'brain/embed/',
      'state/',
      'config/',
      'upstream/',
      'app/doctor/',
      'cli/connect/targets.ts',
      'cli/mcp/plane.ts',
      'cli/init/',
      'governance/marketplace/marketplace.ts',
      'governance/files.ts',
      'governance/safety/launch.ts',
      'governance/safety/launch-files.ts',
    ],
  },
  { what: 'eval', pattern: /\beval\(|new Function\(/, allowed: [] },
  { what: 'default exports', pattern: /^export default/m, allowed: [] },
];

const MAX_LINES = 400;

async function sources(): Promise<{ path: string; text: string }[]> {
  const names = await readdir(SOURCE, { recursive: true });
  const files = names.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  return Promise.all(
    files.map(async (name) => ({
      path: name.split(sep).join('/'),
      text: await readFile(join(SOURCE, name), 'utf8'),
    })),
  );
}

function roomOf(path: string): string {
  return path.split('/')[0] ?? path;
}

function importsOf(path: string, text: string): string[] {
  const specifiers = [...text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map((match) => match[1] ?? '');
  return specifiers.map((specifier) =>
    relative(SOURCE, resolve(SOURCE, dirname(path), specifier))
      .split(sep)
      .join('/'),
  );
}

describe('the house', async () => {
  const files = await sources();

  it('has a row in the table for every room', () => {
    expect([...new Set(files.map(({ path }) => roomOf(path)))].sort()).toEqual(
      Object.keys(MAY_IMPORT).sort(),
    );
  });

  it.each(files.map(({ path, text }) => [path, text] as const))(
    '%s imports only from the rooms below it',
    (path, text) => {
      const room = roomOf(path);
      const allowed = [room, ...(MAY_IMPORT[room] ?? [])];
      const strays = importsOf(path, text).filter(
        (target) => !target.startsWith('..') && !allowed.includes(roomOf(target)),
      );
      expect(strays).toEqual([]);
    },
  );

  it('has no import cycle, types included', () => {
    const edges = new Map(
      files.map(({ path, text }) => [path, importsOf(path, text).filter((target) => target !== path)]),
    );
    const done = new Set<string>();
    const cycleFrom = (path: string, way: readonly string[]): readonly string[] | undefined => {
      if (way.includes(path)) return [...way.slice(way.indexOf(path)), path];
      if (done.has(path)) return undefined;
      for (const target of edges.get(path) ?? []) {
        const cycle = cycleFrom(target, [...way, path]);
        if (cycle) return cycle;
      }
      done.add(path);
      return undefined;
    };
    expect([...edges.keys()].map((path) => cycleFrom(path, [])).filter(Boolean)).toEqual([]);
  });

  it('has no surface that knows a store, but for the one that is made of it', () => {
    const knowing = files.flatMap(({ path, text }) =>
      importsOf(path, text)
        .filter((target) => path.startsWith('surfaces/') && target.startsWith('stores/'))
        .map((target) => ({ path, target })),
    );
    const { surface, store } = STORE_OF_ITS_OWN;
    const isAtHome = ({ path, target }: { path: string; target: string }) =>
      path.startsWith(surface) && target.startsWith(store);
    expect(knowing.filter((one) => !isAtHome(one))).toEqual([]);
  });

  it('has one surface that knows the governed plane', () => {
    const knowing = files.filter(
      ({ path, text }) =>
        path.startsWith('surfaces/') &&
        importsOf(path, text).some((target) => target.startsWith('governance/')),
    );
    expect(knowing.map(({ path }) => path).filter((path) => !path.startsWith('surfaces/upstream/'))).toEqual(
      [],
    );
  });

  it.each(CONFINED.map((rule) => [rule.what, rule] as const))(
    'keeps %s where it belongs',
    (_, { pattern, allowed }) => {
      const elsewhere = files.filter(
        ({ path, text }) => pattern.test(text) && !allowed.some((home) => path.startsWith(home)),
      );
      expect(elsewhere.map(({ path }) => path)).toEqual([]);
    },
  );

  it('has no file too long to have one purpose', () => {
    expect(files.filter(({ text }) => text.split('\n').length > MAX_LINES).map(({ path }) => path)).toEqual(
      [],
    );
  });
});

// npm run bench:notes [-- --notes 100000,1000000] [--history 100000,1000000,10000000] [--rounds N] [--keep FILE] [--use FILE] [--write]
// Notebooks in PostgreSQL with very many notes, and long histories: what each tool takes over stdio, in turns, and what
// the search index of one server needs. The databases are made for this and removed again; ten million changes take 10 GB.
// `--keep` leaves them running, with the saved indexes, and writes where they are to a file, for other runs with `--use`.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bundled } from './bundled.mjs';
import { BenchClient } from './client.mjs';
import { surroundings } from './launch.mjs';
import { median } from './median.mjs';
import { putBetweenMarkers } from './page.mjs';
import { markdownTable } from './table.mjs';
import { exitWhenInterrupted, inTemporaryFolder } from './temporary.mjs';
import { inTurns } from './turns.mjs';

const { values: options } = parseArgs({
  options: {
    notes: { type: 'string', default: '100000,1000000' },
    history: { type: 'string', default: '100000,1000000,10000000' },
    rounds: { type: 'string', default: '60' },
    keep: { type: 'string' },
    use: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});
const [noteSizes, historySizes] = ['notes', 'history'].map((name) =>
  options[name].split(',').map(Number).filter(Boolean),
);
const rounds = Number(options.rounds);
const QUIRE = fileURLToPath(new URL('../dist/quire.cjs', import.meta.url));
const SETTINGS = { fsync: 'on', shared_buffers: '1GB', max_wal_size: '4GB' };
const INDEX_MS = 1_800_000;
/** Packing and saving a large index. */
const STOP_MS = 300_000;
/** Names of notes that no earlier run has made. */
const RUN = Date.now();
const TURNS = { rounds, budget: 60_000 };
exitWhenInterrupted();

const { startCluster } = await bundled('test/kit/postgres-cluster.ts');
const { fillHistory, fillNotes, pathOf, sizeOf, wordOf } = await bundled('bench/notes-over.ts');

/** What takes long is done once: `once` resolves to what an earlier run with `--keep` has kept under that name, or does it. */
async function withKept(work) {
  const kept = options.use === undefined ? {} : JSON.parse(await readFile(options.use, 'utf8'));
  const file = options.use ?? options.keep;
  let cluster;
  const once = async (name, make) => {
    kept[name] ??= await make();
    return kept[name];
  };
  const createDatabase = async () => {
    cluster ??= await startCluster({ settings: SETTINGS });
    return cluster.createDatabase();
  };
  try {
    if (file === undefined) await inTemporaryFolder((homes) => work({ homes, once, createDatabase }));
    else await work({ homes: `${file}.homes`, once, createDatabase });
  } finally {
    if (file === undefined) await cluster?.remove();
    else await writeFile(file, JSON.stringify(kept, null, 2));
  }
}

async function measureNotes({ homes, once, createDatabase }) {
  const sizes = [];
  const running = [];
  try {
    for (const notes of noteSizes) {
      const url = await once(`notes ${notes}`, async () => {
        const empty = await createDatabase();
        await fillNotes(empty, notes);
        return empty;
      });
      const server = await serverOver(homes, `notes ${notes}`, url);
      const { client } = await start(server);
      running.push({ client, server, name: String(notes), notes });
      const cold = await once(`start with ${notes}`, async () => ({
        indexed: await client.loggedAfter('indexed', INDEX_MS),
        processorTime: client.processorTime(),
        coldMemory: client.memory(),
      }));
      await firstSearch(client);
      sizes.push({ notes, ...cold, database: await sizeOf(url) });
    }
    const tables = await callTables(running, 'notes', noteCalls);
    for (const [at, { client, server }] of running.entries()) {
      await client.stop(STOP_MS);
      Object.assign(sizes[at], await measureStart(server));
    }
    return [startTable(sizes), ...tables];
  } finally {
    for (const { client } of running) await client.stop(STOP_MS);
  }
}

/** With the index that an earlier start has saved. */
async function measureStart(server) {
  const begun = performance.now();
  const { client } = await start(server);
  await firstSearch(client);
  const searched = performance.now() - begun;
  const memory = client.memory();
  await client.stop(STOP_MS);
  return { searched, memory };
}

/** A server whose event loop is busy may ask to try again. */
async function firstSearch(client) {
  for (let left = 20; ; left--) {
    try {
      return await client.call(search(wordOf(5_000)));
    } catch (error) {
      if (left === 0) throw error;
      await sleep(500);
    }
  }
}

function startTable(sizes) {
  const megabytes = (value) => value?.toFixed(0);
  const seconds = (value) => (value / 1000)?.toFixed(1);
  const rows = [
    ['size of the database, MB', ({ database }) => megabytes(database / 1e6)],
    ['from start to the index complete, s', ({ indexed }) => seconds(indexed)],
    ['processor time for that, s', ({ processorTime }) => seconds(processorTime)],
    ['memory then, MB', ({ coldMemory }) => megabytes(coldMemory)],
    ['from start to the first search, index saved, s', ({ searched }) => seconds(searched)],
    ['memory after that, MB', ({ memory }) => megabytes(memory)],
  ];
  return markdownTable(
    ['One server', ...sizes.map(({ notes }) => `${grouped(notes)} notes`)],
    rows.map(([label, pick]) => [label, ...sizes.map(pick)]),
  );
}

const search = (query, more = {}) => ['search_notes', { query, limit: 10, ...more }];

/** By name: the calls of one round, or what they took. Others of each kind in every round, so that nothing is answered from memory alone. */
const noteCalls = {
  'list_directory, the top': () => [['list_directory', {}]],
  'list_directory, 200 notes': ({ notes }, round) => [
    ['list_directory', { path: pathOf(place(round, notes)).replace(/\/[^/]*$/, '') }],
  ],
  read_note: ({ notes }, round) => [['read_note', { path: pathOf(place(round, notes)) }]],
  'read_note, by its name': ({ notes }, round) => [['read_note', { path: `note ${place(round, notes)}` }]],
  'read_note, one that is missing': missingNote,
  'write_note, a new one': (_, round) => [
    ['write_note', { path: `new/${RUN}-${round}.md`, content: `text ${round}` }],
  ],
  'write_note, an old one': ({ notes }, round) => [
    ['write_note', { path: pathOf(place(round, notes)), content: `changed ${round}` }],
  ],
  patch_note: (_, round) => [
    ['patch_note', { path: `new/${RUN}-${round}.md`, oldString: 'text', newString: 'words' }],
  ],
  'move_note, links left alone': (_, round) => [
    [
      'move_note',
      { oldPath: `new/${RUN}-${round}.md`, newPath: `moved/${RUN}-${round}.md`, updateLinks: false },
    ],
  ],
  'search_notes, a rare word': (_, round) => [search(wordOf(100_000 + round))],
  'search_notes, a usual word': (_, round) => [search(wordOf(5_000 + round))],
  'search_notes, a common word': (_, round) => [search(wordOf(100 + round))],
  'search_notes, three words': (_, round) => [
    search([2_000, 3_000, 4_000].map((rank) => wordOf(rank + round)).join(' ')),
  ],
  'search_notes, no hit': (_, round) => [search(`zzyzx${round}`)],
  'search_notes, one tag': (_, round) => [search(wordOf(5_000 + round), { tag: `tag${round % 97}` })],
  'search_notes, newest of a folder': (_, round) => [
    ['search_notes', { folder: `area ${round % 50}/folder 1`, sort: 'modified' }],
  ],
  'write_note, then search_notes for it': ({ notes }, round) => [
    ['write_note', { path: pathOf(place(round, notes)), content: `fresh${RUN}x${round}x` }],
    search(`fresh${RUN}x${round}x`),
  ],
  list_tags: () => [['list_tags', {}]],
  vault_info: () => [['vault_info', {}]],
  list_changes: () => [['list_changes', {}]],
};

/** Its error names a note that may be meant. */
async function missingNote({ client }, round) {
  const begun = performance.now();
  await client.call(['read_note', { path: `elsewhere/note ${round}.md` }]).catch(() => {});
  return performance.now() - begun;
}

/** Any number below `count`, another one in each round. */
function place(round, count) {
  return (round * 7_919_001 + 17) % count;
}

async function measureHistory({ homes, once, createDatabase }) {
  const running = [];
  try {
    for (const rows of historySizes) {
      const url = await once(`history ${rows}`, async () => {
        const empty = await createDatabase();
        // The first change gives the notes their place in the history.
        const first = await start(await serverOver(homes, `first ${rows}`, empty));
        await first.client.call(['write_note', { path: 'first.md', content: 'first' }]);
        await first.client.stop();
        await fillHistory(empty, rows);
        return empty;
      });
      const server = await serverOver(homes, `history ${rows}`, url);
      running.push({ ...(await start(server)), name: String(rows) });
    }
    return (await callTables(running, 'changes', historyCalls)).slice(0, 1);
  } finally {
    for (const { client } of running) await client.stop();
  }
}

const historyCalls = {
  'write_note, recorded': (_, round) => [
    ['write_note', { path: `new/${RUN}-${round}.md`, content: `text ${round}` }],
  ],
  list_changes: () => [['list_changes', {}]],
  'list_changes, an older page': async ({ client }) => {
    const { result } = await client.ask(['list_changes', { limit: 100 }]);
    return [['list_changes', { before: JSON.parse(result.content[0].text).next }]];
  },
  'list_changes of a note (1, 10, 100 of it)': (_, round) => [['list_changes', { path: notePlace(round) }]],
  'list_changes below a folder of 200 notes': (_, round) => [
    ['list_changes', { path: notePlace(round).replace(/\/[^/]*$/, '') }],
  ],
  'list_changes below a folder of 2,000 notes': (_, round) => [
    ['list_changes', { path: `area ${round % 50}` }],
  ],
  'list_changes of a folder without any': () => [['list_changes', { path: 'nothing here' }]],
  'list_changes by a client': (_, round) => [['list_changes', { by: `Client ${round % 20} ` }]],
  'list_changes by a client without any': () => [['list_changes', { by: 'nobody' }]],
  'list_changes since an hour ago': () => [['list_changes', { since: '1h' }]],
  'show_change, undo_changes': async ({ client }, round) => {
    const { result } = await client.ask(['list_changes', { path: `new/${RUN}-${round}.md` }]);
    const [{ id }] = JSON.parse(result.content[0].text).changes;
    return [
      ['show_change', { id }],
      ['undo_changes', { id }],
    ];
  },
};

function notePlace(round) {
  const note = place(round, 100_000);
  return `area ${Math.floor(note / 200) % 50}/folder ${Math.floor(note / 10_000)}/note ${note}.md`;
}

/** How long the calls took, and how much processor time of the server. */
async function callTables(servers, noun, kinds) {
  const [times, processorTimes] = [[], []];
  for (const [label, callsOf] of Object.entries(kinds)) {
    const before = servers.map(({ client }) => client.processorTime());
    const taken = await inTurns(servers, TURNS, async (server, round) => {
      const calls = await callsOf(server, round);
      if (typeof calls === 'number') return calls;
      let sum = 0;
      for (const call of calls) sum += await server.client.call(call);
      return sum;
    });
    const medians = servers.map(({ name }) => median(taken.get(name)));
    const means = servers.map(
      ({ client, name }, at) => (client.processorTime() - before[at]) / taken.get(name).length,
    );
    times.push([label, ...medians.map((value, at) => cell(value, at === 0 ? undefined : medians[0]))]);
    processorTimes.push([label, ...means.map((value) => value.toFixed(1))]);
    process.stderr.write(`${times.at(-1).join(' | ')}; ${processorTimes.at(-1).slice(1).join(' | ')}\n`);
  }
  const sizes = servers.map(({ name }) => `${grouped(Number(name))} ${noun}`);
  return [
    markdownTable(['p50, ms', ...sizes], times),
    markdownTable(['processor time of the server, mean, ms', ...sizes], processorTimes),
  ];
}

function cell(value, base) {
  if (value === undefined) return '–';
  const shown = value.toFixed(value < 100 ? 1 : 0);
  return base === undefined ? shown : `${shown} (${(value / base).toFixed(2)}x)`;
}

function grouped(number) {
  return number.toLocaleString('en');
}

/** Over stdio, with its notes, its state and its history in one database. */
async function serverOver(folder, name, url) {
  const home = join(folder, name);
  const env = await surroundings(home, { QUIRE_LOG: 'debug' });
  const file = join(home, 'quire.yaml');
  await writeFile(
    file,
    `notebooks: { n: { postgres: "${url}", toolSets: [history, tags, vault-info] } }
state: { postgres: "${url}" }
`,
  );
  return { args: [QUIRE, '--config', file], env };
}

function start({ args, env }) {
  return BenchClient.start(process.execPath, args, env);
}

await withKept(async (kept) => {
  const tables = [
    ...(noteSizes.length > 0 ? await measureNotes(kept) : []),
    ...(historySizes.length > 0 ? await measureHistory(kept) : []),
  ].join('\n\n');
  process.stdout.write(`${tables}\n`);
  if (options.write) await putBetweenMarkers('bench:notes', tables);
});

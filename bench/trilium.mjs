// npm run bench:trilium -- [--url <url> --token <token>] [--runs 200] [--write]
// The cost of the Trilium tools beside asking ETAPI itself, children in one request beside one for each, a long note as
// markdown and the requests that wait for it, and the start.
// Without --url the Trilium is the fake of our tests; with it, everything happens below one note that is deleted again.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { BenchClient } from './client.mjs';
import { median } from './median.mjs';
import { putBetweenMarkers } from './page.mjs';
import { markdownTable } from './table.mjs';
import { exitWhenInterrupted, inTemporaryFolder } from './temporary.mjs';
import { directClient, withFakeTrilium, withPlanted } from './trilium-server.mjs';

const CHILDREN = 100;
/** A GET of one note took 4.5 ms on a real Trilium. */
const LATENCY_MS = 4;
const STARTS = 11;
const LONG_NOTE = 1_500_000;
const WARM_UP = 100;

const { values: options } = parseArgs({
  options: {
    url: { type: 'string' },
    token: { type: 'string' },
    runs: { type: 'string', default: '200' },
    write: { type: 'boolean', default: false },
  },
});
const RUNS = Number(options.runs);
exitWhenInterrupted();

const real = options.url && { url: options.url, token: options.token ?? '' };
const tables = await inTemporaryFolder(async (folder) => {
  const on = (latency, work) => (real ? work(real) : withFakeTrilium(folder, latency, work));
  return [
    await on(0, (trilium) => served(trilium, folder, overheads)),
    await on(LATENCY_MS, (trilium) => served(trilium, folder, children)),
    await on(0, (trilium) => served(trilium, folder, longNote)),
    await on(0, (trilium) => starts(trilium, folder)),
  ];
});
const text = tables.join('\n\n');
process.stdout.write(`${text}\n`);
if (options.write) await putBetweenMarkers('bench:trilium', text);

async function served(trilium, folder, work) {
  const direct = directClient(trilium);
  const { client } = await startServer(trilium, folder);
  try {
    return await withPlanted(direct, CHILDREN, (planted) => work({ client, direct, planted }));
  } finally {
    await client.stop();
    direct.close();
  }
}

async function startServer({ url, token }, folder, args = ['trilium']) {
  const home = join(folder, 'home');
  await mkdir(home, { recursive: true });
  return BenchClient.start(process.execPath, [join(process.cwd(), 'dist/quire.cjs'), ...args], {
    cwd: home,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      LOG_LEVEL: 'error',
      TRILIUM_URL: url,
      TRILIUM_TOKEN: token,
    },
  });
}

/** Each tool beside the fewest requests that do the same, made directly, in turns. */
async function overheads({ client, direct, planted: { note, folder, ids, top } }) {
  const get = (path) => direct.ask('GET', path);
  const below = `notes?${new URLSearchParams({
    search: "note.noteId != ''",
    ancestorNoteId: folder,
    ancestorDepth: 'eq1',
    fastSearch: 'true',
    includeArchivedNotes: 'true',
  })}`;
  const search = `notes?${new URLSearchParams({ search: 'fox', ancestorNoteId: top, fastSearch: 'false' })}`;
  const whole = (id) => () => Promise.all([get(`notes/${id}`), get(`notes/${id}/content`)]);
  const [appended, beside] = await Promise.all([newNote(direct, top), newNote(direct, top)]);
  let lines = 0;
  const line = () => `<p>${lines++}</p>`;
  // The requests of a careful append once a revision of the note is there: read, look again, write, look.
  const append = async () => {
    const [, before] = await whole(beside)();
    await get(`notes/${beside}`);
    await direct.ask('PUT', `notes/${beside}/content`, before + line());
    await get(`notes/${beside}`);
  };
  let next = 0;
  const another = () => ids[next++ % ids.length];
  const rows = [
    ['get_attributes', { noteId: note }, () => get(`notes/${note}`)],
    ['get_note, metadata', { noteId: note, include_content: false }, () => get(`notes/${note}`)],
    ['get_note, html', { noteId: note }, whole(note)],
    ['get_note, markdown', () => ({ noteId: another(), format: 'markdown' }), whole(note)],
    ['get_note, markdown again', { noteId: note, format: 'markdown' }, whole(note)],
    ['search_notes', { query: 'fox', ancestorNoteId: top }, () => get(search)],
    [
      `get_note_tree, ${CHILDREN} children`,
      { noteId: folder },
      async () => {
        await get(`notes/${folder}`);
        await get(below);
      },
    ],
    ['write_note, append', () => ({ noteId: appended, mode: 'append', content: line() }), append],
  ];
  const table = [];
  for (const [label, args, ask] of rows) {
    const [tool] = label.split(',');
    const [ours, theirs] = await inTurn(
      () => client.ask([tool, typeof args === 'function' ? args() : args]),
      ask,
    );
    table.push([label, theirs, ours, ours - theirs].map(cell));
  }
  return markdownTable(['p50, ms', 'ETAPI itself', 'tool over stdio', 'overhead'], table);
}

async function newNote(direct, parentNoteId) {
  const asked = { parentNoteId, title: 'Appended to', type: 'text', content: '<p>begin</p>' };
  return (await direct.ask('POST', 'create-note', asked)).note.noteId;
}

async function children({ client, direct, planted: { folder, ids } }) {
  const tree = async () => {
    const { text } = await client.ask(['get_note_tree', { noteId: folder }]);
    if (JSON.parse(text).children.length !== CHILDREN) throw new Error('children are missing');
  };
  const each = async () => {
    await direct.ask('GET', `notes/${folder}`);
    for (const id of ids) await direct.ask('GET', `notes/${id}`);
  };
  const [ours, theirs] = await inTurn(tree, each, Math.min(RUNS, 10), 1);
  const head = [`${CHILDREN} children, p50 ms`, 'one request for each', 'get_note_tree', 'faster'];
  return markdownTable(head, [['', theirs, ours].map(cell).concat(`${(theirs / ours).toFixed(1)}x`)]);
}

/** A long note read as markdown for the first time, its second page, and how long others wait meanwhile. */
async function longNote({ client, direct, planted: { top } }) {
  const { note } = await direct.ask('POST', 'create-note', {
    parentNoteId: top,
    title: 'A long note',
    type: 'text',
    content: longHtml(LONG_NOTE),
  });
  let longest = 0;
  let isReading = true;
  const pinging = (async () => {
    while (isReading) {
      const begun = performance.now();
      await client.request('ping', {});
      longest = Math.max(longest, performance.now() - begun);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  const page = { noteId: note.noteId, format: 'markdown' };
  const first = await client.call(['get_note', page]);
  isReading = false;
  await pinging;
  const second = await client.call(['get_note', { ...page, content_start: 50_000 }]);
  const head = ['a note of 1.5 MB, ms', 'first page', 'second page', 'longest wait of another call'];
  return markdownTable(head, [['', first, second, longest].map(cell)]);
}

function longHtml(size) {
  const parts = [];
  for (let at = 0, length = 0; length < size; at++) {
    const part = `<h2>Part ${at}</h2><p>The <strong>quick</strong> brown fox ${at} jumps over the <em>lazy</em> dog &amp; <a href="https://example.com/${at}">more</a>.</p><ul><li>one</li><li>two<ul><li>deep</li></ul></li></ul><figure class="table"><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>x ${at}</td></tr></tbody></table></figure><pre><code class="language-text-x-python">return ${at}</code></pre><p style="text-align:center;">centred</p>`;
    parts.push(part);
    length += part.length;
  }
  return parts.join('');
}

/** From spawn to the list of tools, beside `quire notebook`. */
async function starts(trilium, folder) {
  const notes = join(folder, 'notes');
  await mkdir(notes, { recursive: true });
  const timed = (args) => async () => {
    const begun = performance.now();
    const { client } = await startServer(trilium, folder, args);
    await client.request('tools/list', {});
    const milliseconds = performance.now() - begun;
    await client.stop();
    return milliseconds;
  };
  const [ours, notebook] = [[], []];
  for (let run = 0; run < STARTS; run++) {
    ours.push(await timed(['trilium'])());
    notebook.push(await timed([notes])());
  }
  const head = ['spawn to tools/list, p50 ms', 'quire trilium', 'quire &lt;folder&gt;'];
  return markdownTable(head, [['', median(ours), median(notebook)].map(cell)]);
}

/** Medians of both, one after the other so that a busy machine is busy for both. */
async function inTurn(one, other, runs = RUNS, warmUp = WARM_UP) {
  const times = [[], []];
  for (let run = -warmUp; run < runs; run++)
    for (const [at, work] of [one, other].entries()) {
      const begun = performance.now();
      await work();
      if (run >= 0) times[at].push(performance.now() - begun);
    }
  return times.map(median);
}

function cell(value) {
  return typeof value === 'number' ? value.toFixed(value < 10 ? 2 : 0) : value;
}

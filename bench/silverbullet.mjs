// npm run bench:silverbullet -- [--pages 1000,10000] [--write]
// The page tools over a SilverBullet space, beside a server that lists the space and fetches every page for each search.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { BenchClient } from './client.mjs';
import { median } from './median.mjs';
import { putBetweenMarkers } from './page.mjs';
import { markdownTable } from './table.mjs';
import { exitWhenInterrupted, inTemporaryFolder } from './temporary.mjs';

const TOKEN = 'tok-123';
const RUNS = 15;
const NAIVE_RUNS = 3;
const AT_ONCE = 8;
const INDEX_LIMIT_MS = 120_000;
/** Of a server in another country. */
const FAR_MS = 80;
/** Each in more pages than a search shows, and looked for once only: their texts have to be fetched. */
const FRESH_WORDS = [300, 400, 500, 600, 700].map((number) => `word${number}`);

const headers = { Authorization: `Bearer ${TOKEN}`, 'X-Sync-Mode': 'true' };

const { values: options } = parseArgs({
  options: {
    pages: { type: 'string', default: '1000,10000' },
    write: { type: 'boolean', default: false },
  },
});
exitWhenInterrupted();
const sizes = options.pages.split(',').map(Number);
const columns = await inTemporaryFolder(async (folder) => {
  const script = join(folder, 'space.mjs');
  await build({
    entryPoints: ['bench/silverbullet-space.ts'],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: script,
    logLevel: 'warning',
  });
  const measured = [];
  for (const pages of sizes) measured.push(await measure(script, pages, join(folder, `home-${pages}`)));
  return measured;
});
const labels = [...columns[0].keys()];
const head = ['', ...sizes.map((pages) => `${pages.toLocaleString('en')} pages`)];
const table = markdownTable(
  head,
  labels.map((label) => [label, ...columns.map((column) => column.get(label))]),
);
process.stdout.write(`${table}\n`);
if (options.write) await putBetweenMarkers('bench:silverbullet', table);

async function measure(script, pages, home) {
  const space = spawn(process.execPath, [script, String(pages)], { stdio: ['pipe', 'pipe', 'inherit'] });
  try {
    const url = await new Promise((resolve) =>
      space.stdout.once('data', (chunk) => resolve(String(chunk).trim())),
    );
    const env = { PATH: process.env.PATH, HOME: home, SB_URL: url, SB_TOKEN: TOKEN };
    const rows = await withClient(env, (client) => compare(client, url));
    const heard = new Promise((resolve) => space.stdout.once('data', resolve));
    space.stdin.write(`${FAR_MS}\n`);
    await heard;
    // A new process: the index is there, and no text is in its memory.
    const far = await withClient(env, measureFresh);
    return rows.set(`fresh search with 20 hits, ${FAR_MS} ms round trip, ms`, round(far));
  } finally {
    space.stdin.end();
  }
}

async function withClient(env, work) {
  const { client } = await BenchClient.start(
    process.execPath,
    ['dist/quire.cjs', 'silverbullet', '--transport', 'stdio', '--log-level', 'error'],
    { env },
  );
  try {
    return await work(client);
  } finally {
    await client.stop();
  }
}

function call(client, name, args) {
  return client.request('tools/call', { name, arguments: args });
}

function searchPages(client, query) {
  return call(client, 'search_pages', { query, limit: 20 });
}

async function measureFresh(client) {
  assertFinds(await searchPages(client, 'zephyrquagga'));
  const words = [...FRESH_WORDS];
  return timed(words.length, async () => assertHits(await searchPages(client, words.shift()), 20));
}

async function compare(client, url) {
  const search = (query) => searchPages(client, query);
  const begun = performance.now();
  const first = await search('zephyrquagga');
  const firstMs = performance.now() - begun;
  assertFinds(first);
  const indexed = await timed(1, async () => {
    const latest = performance.now() + INDEX_LIMIT_MS;
    while (isIncomplete(await search('zephyrquagga')) && performance.now() < latest)
      await new Promise((resolve) => setTimeout(resolve, 50));
  });
  const rows = new Map([
    ['first search, ms', round(firstMs)],
    ['index complete after, ms', round(firstMs + indexed)],
  ]);
  for (const [label, query] of [
    ['search for a rare word', 'zephyrquagga'],
    ['search for a common word', 'word1'],
  ]) {
    const ours = await timed(RUNS, () => search(query));
    rows.set(`${label}, ms`, ratio(ours, await timed(NAIVE_RUNS, () => naiveSearch(url, query))));
  }
  const ours = await timed(RUNS, () => call(client, 'list_pages', {}));
  rows.set('list, ms', ratio(ours, await timed(NAIVE_RUNS, () => naiveList(url))));
  return rows;
}

async function naiveList(url) {
  const files = await (await fetch(`${url}/.fs`, { headers })).json();
  return files.filter(({ name }) => name.endsWith('.md')).sort((a, b) => b.lastModified - a.lastModified);
}

async function naiveSearch(url, query) {
  const files = await naiveList(url);
  const hits = [];
  let next = 0;
  const work = async () => {
    while (next < files.length) {
      const { name } = files[next++];
      const address = `${url}/.fs/${name.split('/').map(encodeURIComponent).join('/')}`;
      const text = (await (await fetch(address, { headers })).text()).toLowerCase();
      const matches = text.split(query.toLowerCase()).length - 1;
      if (matches > 0) hits.push({ name, matches });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return hits;
}

async function timed(runs, work) {
  const times = [];
  for (let run = 0; run < runs; run++) {
    const begun = performance.now();
    await work();
    times.push(performance.now() - begun);
  }
  return median(times);
}

function isIncomplete(answer) {
  return /"complete":false/.test(JSON.stringify(answer).replaceAll('\\', ''));
}

function assertFinds(answer) {
  if (!JSON.stringify(answer).includes('Probe'))
    throw new Error(`the probe was not found: ${JSON.stringify(answer)}`);
}

function assertHits(answer, count) {
  const { hits } = JSON.parse(answer.content[0].text);
  if (hits?.length !== count) throw new Error(`not ${count} hits: ${JSON.stringify(answer).slice(0, 500)}`);
}

function round(milliseconds) {
  return milliseconds < 10 ? milliseconds.toFixed(2) : Math.round(milliseconds);
}

function ratio(ours, naive) {
  return `${round(ours)} (fan-out ${round(naive)}, ${Math.round(naive / ours)}x)`;
}

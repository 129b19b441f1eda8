// npm run bench:brain -- --vault DIR [--cache DIR] [--write]
// How long the second brain's retrieval takes over a folder of notes: by words, by meaning, by both. First with the
// meaning that the notes teach, then with an embedding model whose vectors are made of words, since a real one would
// take hours: looking through them takes just as long.
import { resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { bundled } from './bundled.mjs';
import { putBetweenMarkers } from './page.mjs';
import { markdownTable } from './table.mjs';
import { exitWhenInterrupted, inTemporaryFolder } from './temporary.mjs';

const QUESTIONS = 150;
const WARM_UP = 150;

const { values: options } = parseArgs({
  options: {
    vault: { type: 'string' },
    cache: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});
if (!options.vault) throw new Error('--vault is needed');
exitWhenInterrupted();
const { openBrain } = await bundled('bench/brain-over.ts');
const folder = resolve(options.vault);
const table = await (options.cache ? measure(resolve(options.cache)) : inTemporaryFolder(measure));
process.stdout.write(`${table}\n`);
if (options.write) await putBetweenMarkers('bench:brain', table);

async function measure(cache) {
  const rows = [];
  const taught = await openBrain({ folder, cache });
  const questions = await withMeaning(taught, questionsFrom(await taught.titles(QUESTIONS + WARM_UP)));
  for (const [label, mode] of [
    ['by words', 'keyword'],
    ['by meaning', 'semantic'],
    ['by both', 'hybrid'],
  ])
    rows.push([label, ...(await timesOf(questions, (query) => ask(taught, query, mode)))]);
  await taught.close();
  const brain = await openBrain({ folder, cache, embedder: 'hashes' });
  for (const [label, mode] of [
    ['by an embedding model', 'semantic'],
    ['by words and an embedding model', 'hybrid'],
  ])
    rows.push([label, ...(await timesOf(questions, (query) => ask(brain, query, mode)))]);
  const { notes, passages } = brain.status();
  const title = `${count(notes)} notes, ${count(passages)} passages`;
  await brain.close();
  return markdownTable([title, 'p10, ms', 'p50, ms', 'p95, ms', 'processor time, ms'], rows);
}

/** A few words, or a whole question. */
function questionsFrom(titles) {
  const words = titles
    .map((title) => title.replace(/[^A-Za-z ]+/g, ' ').trim())
    .filter((title) => title !== '');
  return words.map((title, at) => {
    const few = title.split(/\s+/).slice(0, 3).join(' ');
    return at % 2 === 0 ? few : `what did we decide about ${few}?`;
  });
}

/** Without those of stop words alone (a page may be called "not"), which mean nothing and are looked for as words. */
async function withMeaning({ retriever }, questions) {
  const meant = [];
  for (const query of questions) {
    const { modeUsed } = await retriever.retrieve({ query, limit: 1, mode: 'semantic', scope: {} });
    if (modeUsed === 'semantic') meant.push(query);
  }
  return meant;
}

async function ask({ retriever }, query, mode) {
  const found = await retriever.retrieve({ query, limit: 10, mode, scope: {} });
  if (found.modeUsed !== mode) throw new Error(found.warnings.join(' '));
}

async function timesOf(questions, work) {
  const warmUp = Math.min(WARM_UP, questions.length >> 1);
  for (const question of questions.slice(0, warmUp)) await work(question);
  const times = [];
  const before = process.cpuUsage();
  for (const question of questions.slice(warmUp)) {
    const begun = performance.now();
    await work(question);
    times.push(performance.now() - begun);
  }
  const { user, system } = process.cpuUsage(before);
  times.sort((a, b) => a - b);
  const at = (share) => times[Math.floor(times.length * share)].toFixed(1);
  return [at(0.1), at(0.5), at(0.95), ((user + system) / 1000 / times.length).toFixed(1)];
}

function count(number) {
  return number.toLocaleString('en-US');
}

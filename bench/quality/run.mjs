// npm run bench:quality -- --set DIR,DIR [--half even] [--peers DIR] [--write]
// How well searches rank, by judgements of what answers a question. Our own by words, by meaning and by both, in this
// process; then servers, as clients see them. A set is a folder with vault/, queries.tsv and qrels.tsv (or --vault,
// --queries and --qrels name the three). queries.tsv: question id, text, and perhaps the language, which then has a
// column of its own in a second table. qrels.tsv: question id, note, grade; the note is a file name without .md that is
// unique in the vault. --half takes the questions whose id has an even hash, or an odd one.
import { readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { bundled } from '../bundled.mjs';
import { launch, prepareIndex } from '../launch.mjs';
import { median } from '../median.mjs';
import { putBetweenMarkers } from '../page.mjs';
import { availableServers } from '../servers.mjs';
import { markdownTable } from '../table.mjs';
import { exitWhenInterrupted, inTemporaryFolder } from '../temporary.mjs';
import { complain } from '../turns.mjs';
import { notesIn } from '../vault.mjs';
import { bm25Over } from './bm25.mjs';
import { isInHalf, readGrades, readRows } from './judgements.mjs';
import { qualityOf } from './ranking-quality.mjs';

/** Questions asked before those that count, so that times are of compiled code. */
const WARM_UP = 50;
const LEARNING_LIMIT_MS = 60_000;
const LEARNING_POLL_MS = 200;

const { values: options } = parseArgs({
  options: {
    set: { type: 'string' },
    vault: { type: 'string' },
    queries: { type: 'string' },
    qrels: { type: 'string' },
    half: { type: 'string' },
    peers: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});
if (!options.set && !(options.vault && options.queries && options.qrels))
  throw new Error('--set, or --vault, --queries and --qrels are needed');
if (![undefined, 'odd', 'even'].includes(options.half)) throw new Error('--half is odd or even');
exitWhenInterrupted();
const { openSearch, isStopWord } = await bundled('bench/search-over.ts');
const servers = availableServers(options.peers).filter((server) => server.ranking);
const tables = [];
for (const set of setsOf(options)) {
  const table = await judgeSet(set);
  tables.push(table);
  process.stdout.write(`${table}\n\n`);
}
if (options.write) await putBetweenMarkers('bench:quality', tables.join('\n\n'));

function setsOf({ set, vault, queries, qrels }) {
  if (!set) return [{ name: basename(resolve(vault)), vault: resolve(vault), queries, qrels }];
  return set.split(',').map((given) => {
    const folder = resolve(given);
    const file = (name) => join(folder, name);
    return {
      name: basename(folder),
      vault: file('vault'),
      queries: file('queries.tsv'),
      qrels: file('qrels.tsv'),
    };
  });
}

/** The table of one set, and one by language where its questions have several. */
async function judgeSet({ name, vault, queries, qrels }) {
  const grades = await readGrades(qrels);
  const isAsked = (id) => grades.has(id) && (options.half === undefined || isInHalf(id, options.half));
  const questions = (await readRows(queries)).filter(([id]) => isAsked(id));
  const languages = [...new Set(questions.flatMap(([, , language]) => language ?? []))];
  const notes = await readNotes(vault);
  const results = [];
  const judged = async (label, rank) => results.push([label, await judge(questions, grades, rank)]);

  for (const [label, isLeftOut] of [
    ['plain BM25, stems', undefined],
    ['the same without stop words', isStopWord],
  ]) {
    const reference = bm25Over(notes, isLeftOut);
    await judged(label, (text) => reference(text, 20));
  }
  await inProcess(vault, judged);
  for (const server of servers)
    await inTemporaryFolder((homes) => asServer(server, vault, homes, judged)).catch((error) => {
      complain(server.name, error);
      results.push([server.name, undefined]);
    });

  const half = options.half === undefined ? '' : ` of the ${options.half} half`;
  const title = `${name}: ${questions.length} questions${half}, ${notes.size} notes`;
  const measures = ['nDCG@10', 'MRR@10', 'recall@20', 'search, p50 ms'];
  const rows = results.map(([label, result]) => [label, ...(result?.means ?? measures.map(() => '–'))]);
  const byLanguage = results.map(([label, result]) => [
    label,
    ...languages.map((language) => result?.ndcgOf(language) ?? '–'),
  ]);
  const whole = markdownTable([title, ...measures], rows);
  return languages.length < 2
    ? whole
    : `${whole}\n\n${markdownTable([`${name}: nDCG@10`, ...languages], byLanguage)}`;
}

async function inProcess(vault, judged) {
  const { search, close } = await openSearch(vault);
  for (const [label, mode] of [
    ['our words', 'words'],
    ['our meaning', 'meaning'],
    ['our words and meaning', 'auto'],
  ])
    await judged(label, async (text) => (await search(text, mode, 20)).map((path) => basename(path, '.md')));
  await close();
}

async function asServer(server, vault, homes, judged) {
  if (server.prepare) await prepareIndex(server, vault, homes);
  const { client } = await launch(server, vault, homes);
  try {
    await learned(server, client);
    await judged(server.name, async (text) => {
      const answer = await client.ask(server.search(text));
      return server.ranking(answer).map((path) => basename(path, '.md'));
    });
  } finally {
    await client.stop(server.stopMs);
  }
}

/** Until the server ranks as it will from then on. */
async function learned({ searchWhileLearning, isLearning }, client) {
  if (!searchWhileLearning) return;
  const deadline = performance.now() + LEARNING_LIMIT_MS;
  while (isLearning(await client.ask(searchWhileLearning())) && performance.now() < deadline)
    await sleep(LEARNING_POLL_MS);
}

async function judge(questions, grades, rank) {
  for (const [, text] of questions.slice(0, WARM_UP)) await rank(text);
  const judgements = [];
  for (const [id, text, language] of questions) {
    const begun = performance.now();
    const ranked = await rank(text);
    const ms = performance.now() - begun;
    judgements.push({ ...qualityOf(ranked, grades.get(id)), ms, language });
  }
  const meanOf = (list, measure) =>
    (list.reduce((sum, each) => sum + each[measure], 0) / list.length).toFixed(3);
  return {
    means: [
      ...['ndcg', 'mrr', 'recall'].map((measure) => meanOf(judgements, measure)),
      median(judgements.map(({ ms }) => ms)).toFixed(1),
    ],
    ndcgOf: (language) =>
      meanOf(
        judgements.filter((each) => each.language === language),
        'ndcg',
      ),
  };
}

async function readNotes(vault) {
  const notes = (await notesIn(vault)).map(async (path) => [
    basename(path, '.md'),
    await readFile(join(vault, path), 'utf8'),
  ]);
  return new Map(await Promise.all(notes));
}

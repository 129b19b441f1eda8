// npm run bench:quality -- --vault DIR --queries Q.tsv --qrels R.tsv [--peers DIR] [--write]
// How well searches rank, by judgements of what answers a question. Our own by words, by meaning and by both, in this
// process; then servers, as clients see them. Q.tsv: question id, text, and perhaps the language,
// which then has a column of its own in a second table. R.tsv: question
// id, note, grade; the note is a file name without .md that is unique in the vault.
import { readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
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
import { readGrades, readRows } from './judgements.mjs';
import { qualityOf } from './ranking-quality.mjs';

const { values: options } = parseArgs({
  options: {
    vault: { type: 'string' },
    queries: { type: 'string' },
    qrels: { type: 'string' },
    peers: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});
if (!options.vault || !options.queries || !options.qrels)
  throw new Error('--vault, --queries and --qrels are needed');
exitWhenInterrupted();
const vault = resolve(options.vault);
const grades = await readGrades(options.qrels);
const questions = (await readRows(options.queries)).filter(([id]) => grades.has(id));
const rows = [];
/** nDCG@10 by language, a row for each search. */
const languageRows = [];
const languages = [...new Set(questions.flatMap(([, , language]) => language ?? []))];

const reference = bm25Over(await readNotes());
rows.push(await judge('plain BM25, stems', (text) => reference(text, 20)));
await judgeModes();
const ranking = availableServers(options.peers).filter((server) => server.ranking);
for (const server of ranking) {
  try {
    rows.push(await inTemporaryFolder((homes) => judgeServer(server, homes)));
  } catch (error) {
    complain(server.name, error);
    rows.push([server.name, '–', '–', '–', '–']);
  }
}
const head = [`${questions.length} questions`, 'nDCG@10', 'MRR@10', 'recall@20', 'search, p50 ms'];
const byLanguage = languages.length > 0 ? markdownTable(['nDCG@10', ...languages], languageRows) : '';
const table = [markdownTable(head, rows), byLanguage].filter((part) => part !== '').join('\n\n');
process.stdout.write(`${table}\n`);
if (options.write) await putBetweenMarkers('bench:quality', table);

async function judgeModes() {
  const { openSearch } = await bundled('bench/search-over.ts');
  const { search, close } = await openSearch(vault);
  for (const [label, mode] of [
    ['our words', 'words'],
    ['our meaning', 'meaning'],
    ['our words and meaning', 'auto'],
  ])
    rows.push(
      await judge(label, async (text) => (await search(text, mode, 20)).map((path) => basename(path, '.md'))),
    );
  await close();
}

async function judgeServer(server, homes) {
  if (server.prepare) await prepareIndex(server, vault, homes);
  const { client } = await launch(server, vault, homes);
  try {
    return await judge(server.name, async (text) => {
      const answer = await client.ask(server.search(text));
      return server.ranking(answer).map((path) => basename(path, '.md'));
    });
  } finally {
    await client.stop(server.stopMs);
  }
}

async function judge(name, rank) {
  const sums = { ndcg: 0, mrr: 0, recall: 0 };
  const times = [];
  const found = new Map(languages.map((language) => [language, []]));
  for (const [id, text, language] of questions) {
    const begun = performance.now();
    const ranked = await rank(text);
    times.push(performance.now() - begun);
    const quality = qualityOf(ranked, grades.get(id));
    for (const measure of Object.keys(sums)) sums[measure] += quality[measure];
    found.get(language)?.push(quality.ndcg);
  }
  const meanOf = (values) => (values.reduce((sum, value) => sum + value, 0) / values.length).toFixed(3);
  languageRows.push([name, ...languages.map((language) => meanOf(found.get(language)))]);
  const means = Object.values(sums).map((sum) => (sum / questions.length).toFixed(3));
  return [name, ...means, median(times).toFixed(1)];
}

async function readNotes() {
  const notes = (await notesIn(vault)).map(async (path) => [
    basename(path, '.md'),
    await readFile(join(vault, path), 'utf8'),
  ]);
  return new Map(await Promise.all(notes));
}

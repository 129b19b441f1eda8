// npm run bench:recall [-- --vault DIR --queries Q.tsv --qrels R.tsv] [--cache DIR] [--write]
// How well the second brain's retrieval ranks notes: by words, by the meaning that the notes teach, and by both, beside
// plain BM25. Always over the conversations in memory/. When another judged set is given, over that too, and over the
// conversations among its notes.
import { cp, readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bundled } from '../bundled.mjs';
import { median } from '../median.mjs';
import { putBetweenMarkers } from '../page.mjs';
import { markdownTable } from '../table.mjs';
import { exitWhenInterrupted, inTemporaryFolder } from '../temporary.mjs';
import { notesIn } from '../vault.mjs';
import { bm25Over } from './bm25.mjs';
import { readGrades, readRows } from './judgements.mjs';
import { qualityOf } from './ranking-quality.mjs';

const MEMORY = fileURLToPath(new URL('memory', import.meta.url));
/** Passages asked for; the first ten notes among them are judged. */
const PASSAGES = 30;

const { values: options } = parseArgs({
  options: {
    vault: { type: 'string' },
    queries: { type: 'string' },
    qrels: { type: 'string' },
    cache: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});
exitWhenInterrupted();
const { openBrain } = await bundled('bench/brain-over.ts');
const conversations = {
  name: 'conversations',
  vault: join(MEMORY, 'sessions'),
  queries: join(MEMORY, 'questions.tsv'),
  qrels: join(MEMORY, 'answers.tsv'),
};
const tables = await (options.cache ? judgeAll(resolve(options.cache)) : inTemporaryFolder(judgeAll));
process.stdout.write(`${tables.join('\n\n')}\n`);
if (options.write) await putBetweenMarkers('bench:recall', tables.join('\n\n'));

async function judgeAll(cache) {
  const judged = [await judgeSet(conversations, cache)];
  if (!options.vault || !options.queries || !options.qrels) return judged;
  const vault = resolve(options.vault);
  const name = basename(resolve(vault, '..'));
  const among = join(cache, 'among');
  for (const folder of [vault, conversations.vault])
    await cp(folder, among, { recursive: true, preserveTimestamps: true });
  judged.push(await judgeSet({ ...conversations, name: `conversations among ${name}`, vault: among }, cache));
  judged.push(await judgeSet({ name, vault, queries: options.queries, qrels: options.qrels }, cache));
  return judged;
}

async function judgeSet({ name, vault, queries, qrels }, cache) {
  // Some sets give the best answer a grade of its own below 0.
  const grades = await readGrades(qrels, (grade) => Number(Number(grade) !== 0));
  const questions = (await readRows(queries)).filter(([id]) => grades.has(id));
  const reference = bm25Over(await readNotes(vault));
  const brain = await openBrain({ folder: vault, cache });
  const asking = (mode) => async (query) => {
    const found = await brain.retriever.retrieve({ query, limit: PASSAGES, mode, scope: {} });
    return [...new Set(found.passages.map(({ passage }) => nameOf(passage.sourcePath)))];
  };
  try {
    const rows = [
      await judge('plain BM25, stems', questions, grades, async (query) => reference(query, 10)),
      await judge('words', questions, grades, asking('keyword')),
      await judge('meaning', questions, grades, asking('semantic')),
      await judge('words and meaning', questions, grades, asking('hybrid')),
    ];
    const kinds = [...new Set(questions.map(([, , kind]) => kind).filter(Boolean))];
    const title = `${name}: ${questions.length} questions, ${(await notesIn(vault)).length} notes`;
    const byKind = kinds.map((kind) => `recall@10, ${kind}`);
    return markdownTable(
      [title, 'recall@10', 'nDCG@10', 'MRR@10', ...byKind],
      rows.map(({ label, all, of }) => [
        label,
        ...figures(all),
        ...kinds.map((kind) => of(kind).recall.toFixed(3)),
      ]),
    );
  } finally {
    await brain.close();
  }
}

function figures({ recall, ndcg, mrr }) {
  return [recall, ndcg, mrr].map((figure) => figure.toFixed(3));
}

async function judge(label, questions, grades, rank) {
  const judged = [];
  const times = [];
  for (const [id, text, kind] of questions) {
    const begun = performance.now();
    const ranked = (await rank(text)).slice(0, 10);
    times.push(performance.now() - begun);
    judged.push({ kind, ...qualityOf(ranked, grades.get(id)) });
  }
  process.stderr.write(`${label}: ${median(times).toFixed(1)} ms\n`);
  const of = (kind) => meanOf(judged.filter((one) => kind === undefined || one.kind === kind));
  return { label, all: of(undefined), of };
}

function meanOf(judged) {
  const mean = (pick) => judged.reduce((sum, one) => sum + pick(one), 0) / judged.length;
  return { recall: mean((one) => one.recall), ndcg: mean((one) => one.ndcg), mrr: mean((one) => one.mrr) };
}

function nameOf(path) {
  return basename(path, '.md');
}

async function readNotes(vault) {
  const notes = (await notesIn(vault)).map(async (path) => [
    nameOf(path),
    await readFile(join(vault, path), 'utf8'),
  ]);
  return new Map(await Promise.all(notes));
}

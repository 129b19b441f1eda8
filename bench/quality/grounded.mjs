// npm run bench:grounded [-- --write]
// Results of sb_grounded_answer for the questions of memory/, and for questions about the same things that no note
// answers: without a model, by words alone and with the packaged embeddings.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { BenchClient } from '../client.mjs';
import { putBetweenMarkers } from '../page.mjs';
import { markdownTable } from '../table.mjs';
import { exitWhenInterrupted, inTemporaryFolder } from '../temporary.mjs';
import { readGrades, readRows } from './judgements.mjs';

const MEMORY = fileURLToPath(new URL('memory', import.meta.url));
const QUIRE = fileURLToPath(new URL('../../dist/quire.cjs', import.meta.url));
const MOST_LOOKS = 240;

const { values: options } = parseArgs({ options: { write: { type: 'boolean', default: false } } });
exitWhenInterrupted();
const questions = await readRows(join(MEMORY, 'questions.tsv'));
const unanswerable = await readRows(join(MEMORY, 'unanswerable.tsv'));
const answers = await readGrades(join(MEMORY, 'answers.tsv'));
const lines = [
  ['by words', await inTemporaryFolder((home) => judge(home, 'off'))],
  ['by words and meaning', await inTemporaryFolder((home) => judge(home, 'packaged'))],
].map(([label, { answered, right, invented }]) => [
  label,
  `${answered} of ${questions.length}`,
  `${right} of ${answered}`,
  `${invented} of ${unanswerable.length}`,
]);
const table = markdownTable(['', 'answered', 'with the right note', 'answered though no note does'], lines);
process.stdout.write(`${table}\n`);
if (options.write) await putBetweenMarkers('bench:grounded', table);

async function judge(home, embeddings) {
  await mkdir(home, { recursive: true });
  const args = [QUIRE, 'brain', join(MEMORY, 'sessions'), '--embeddings', embeddings];
  const env = { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8' };
  const { client } = await BenchClient.start(process.execPath, args, { env });
  const call = async (name, given) =>
    (await client.request('tools/call', { name, arguments: given })).structuredContent;
  try {
    if (embeddings !== 'off') await embedded(call);
    const ask = (question) => call('sb_grounded_answer', { question });
    const sum = { answered: 0, right: 0, invented: 0 };
    for (const [id, question] of questions) {
      const { grounded, citations } = await ask(question);
      if (!grounded) continue;
      sum.answered++;
      if (citations.some(({ source_path: path }) => answers.get(id)?.has(path.replace(/\.md$/, ''))))
        sum.right++;
    }
    for (const [, question] of unanswerable) if ((await ask(question)).grounded) sum.invented++;
    return sum;
  } finally {
    await client.stop();
  }
}

async function embedded(call) {
  for (let look = 0; look < MOST_LOOKS; look++) {
    const { mode_used: mode } = await call('sb_recall', { query: 'knee' });
    if (mode === 'hybrid') return;
    await sleep(500);
  }
  throw new Error('the notes were not embedded: is the optional package installed?');
}

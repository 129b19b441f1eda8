// npm run bench:grounded [-- --vault DIR --questions FILE.json [--half odd]] [--write]
// Results of sb_grounded_answer without any model. Always for the questions of memory/, and for questions about the same
// things that no note answers. When a set of conversations is given, for its questions too, as conversations.mjs sorts
// them, with the confidence of sb_ask: the odd half of the questions was used to choose thresholds, the even half is
// published.
import { mkdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { BenchClient } from '../client.mjs';
import { median } from '../median.mjs';
import { putBetweenMarkers } from '../page.mjs';
import { markdownTable } from '../table.mjs';
import { exitWhenInterrupted, inTemporaryFolder } from '../temporary.mjs';
import { readConversations } from './conversations.mjs';
import { readGrades, readRows } from './judgements.mjs';

const MEMORY = fileURLToPath(new URL('memory', import.meta.url));
const QUIRE = fileURLToPath(new URL('../../dist/quire.cjs', import.meta.url));

const { values: options } = parseArgs({
  options: {
    vault: { type: 'string' },
    questions: { type: 'string' },
    half: { type: 'string', default: 'even' },
    write: { type: 'boolean', default: false },
  },
});
if (!options.vault !== !options.questions) throw new Error('--vault and --questions are needed together');
if (!['odd', 'even'].includes(options.half)) throw new Error('--half is odd or even');
exitWhenInterrupted();
const tables = [await asking(join(MEMORY, 'sessions'), judgeMemory)];
if (options.vault) {
  const vault = resolve(options.vault);
  const set = await readConversations({ vault, questions: options.questions, half: options.half });
  tables.push(...(await asking(vault, (call) => judgeConversations(call, set))));
}
process.stdout.write(`${tables.join('\n\n')}\n`);
if (options.write) await putBetweenMarkers('bench:grounded', tables.join('\n\n'));

/** `judge` gets a function that calls a tool and says how long it took. */
async function asking(vault, judge) {
  return inTemporaryFolder(async (home) => {
    await mkdir(home, { recursive: true });
    const env = { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8' };
    const args = [QUIRE, 'brain', vault, '--embeddings', 'off'];
    const { client } = await BenchClient.start(process.execPath, args, { env });
    const call = async (name, given) => {
      const begun = performance.now();
      const answer = await client.request('tools/call', { name, arguments: given });
      return { ...answer.structuredContent, took: performance.now() - begun };
    };
    try {
      await call('sb_recall', { query: 'the first one waits for the index' });
      return await judge(call);
    } finally {
      await client.stop();
    }
  });
}

async function judgeMemory(call) {
  const questions = await readRows(join(MEMORY, 'questions.tsv'));
  const unanswerable = await readRows(join(MEMORY, 'unanswerable.tsv'));
  const notesFor = await readGrades(join(MEMORY, 'answers.tsv'));
  const answers = [];
  for (const [id, question] of questions) {
    const answer = await call('sb_grounded_answer', { question });
    answers.push({ ...answer, isRight: notesOf(answer).some((note) => notesFor.get(id)?.has(note)) });
  }
  let invented = 0;
  for (const [, question] of unanswerable)
    if ((await call('sb_grounded_answer', { question })).grounded) invented++;
  const answered = answers.filter(({ grounded }) => grounded);
  const right = answered.filter(({ isRight }) => isRight);
  return markdownTable(
    ['own conversations', 'answered', 'with the right note', 'answered though no note does'],
    [
      [
        'by words',
        `${answered.length} of ${questions.length}`,
        `${right.length} of ${answered.length}`,
        `${invented} of ${unanswerable.length}`,
      ],
    ],
  );
}

async function judgeConversations(call, set) {
  const refusals = [];
  for (const [label, questions] of [
    ['about somebody who stands in no note', set.strangers],
    ['about something that stands in no note', set.things],
    ['that mix two people up', set.adversarial],
  ]) {
    const answers = await answersTo(questions, (question) => call('sb_grounded_answer', { question }));
    const refused = answers.filter(({ grounded }) => !grounded);
    refusals.push([label, questions.length, share(refused, answers), tookOf(answers)]);
  }
  const answers = await answersTo(set.answerable, (question) => call('sb_grounded_answer', { question }));
  const answered = answers.filter(({ grounded }) => grounded);
  const right = answered.filter(({ notes, ev }) => notes.some((note) => ev.includes(note)));
  const first = answered.filter(({ notes, ev }) => ev.includes(notes[0]));
  const claims = answered.flatMap(({ claims: all, evidence }) => all.map(({ text }) => ({ text, evidence })));
  const told = claims.filter(({ text, evidence }) => evidence.some((turn) => holds(turn, text)));
  return [
    markdownTable(['questions', 'number', 'refused', 'p50, ms'], refusals),
    markdownTable(
      [
        `${answers.length} questions that a note answers`,
        'answered',
        'from a right note',
        'first citation right',
        'first citation right, of the answered',
        'sentences',
        'sentences of the evidence',
        'p50, ms',
      ],
      [
        [
          'by words',
          share(answered, answers),
          share(right, answers),
          share(first, answers),
          share(first, answered),
          (claims.length / answered.length).toFixed(1),
          share(told, claims),
          tookOf(answers),
        ],
      ],
    ),
    await judgeConfidence(call, set),
  ];
}

/** How often the first citation is right, by the confidence of `sb_ask`, among all questions that it answered. */
async function judgeConfidence(call, { answerable, adversarial }) {
  const ask = (question) => call('sb_ask', { question, mode: 'extractive' });
  const asked = await answersTo([...answerable, ...adversarial], ask);
  const answered = asked
    .filter(({ insufficient_evidence: isRefused }) => !isRefused)
    .map(({ confidence, notes, ev, category }) => ({
      confidence,
      isRight: category !== 5 && ev.includes(notes[0]),
    }));
  const ordered = answered.toSorted((a, b) => a.confidence - b.confidence);
  const fifth = Math.ceil(ordered.length / 5);
  const groups = [0, 1, 2, 3, 4].map((at) => ordered.slice(at * fifth, (at + 1) * fifth));
  const mean = (group, of) => group.reduce((sum, one) => sum + of(one), 0) / group.length;
  return markdownTable(
    [
      `confidence, ${answered.length} answers, AUC ${areaUnder(answered).toFixed(2)}`,
      ...groups.map((_, at) => `fifth ${at + 1}`),
    ],
    [
      ['mean confidence', ...groups.map((group) => mean(group, ({ confidence }) => confidence).toFixed(2))],
      ['first citation right', ...groups.map((group) => mean(group, ({ isRight }) => +isRight).toFixed(2))],
    ],
  );
}

async function answersTo(questions, ask) {
  const answers = [];
  for (const each of questions) {
    const answer = await ask(each.question);
    answers.push({ ...each, ...answer, notes: notesOf(answer) });
  }
  return answers;
}

function notesOf({ citations }) {
  return citations.map(({ source_path: path }) => basename(path, '.md'));
}

/** Whether a paragraph has a claim, whoever is said to have said it. */
function holds(paragraph, claim) {
  return paragraph.includes(claim.replace(/^\p{Lu}\p{L}+: /u, ''));
}

function share(some, all) {
  return `${((100 * some.length) / Math.max(1, all.length)).toFixed(1)} %`;
}

function tookOf(answers) {
  return median(answers.map(({ took }) => took)).toFixed(1);
}

/** Of the ROC curve: how often a right answer has more confidence than a wrong one. */
function areaUnder(answers) {
  const [right, wrong] = [true, false].map((is) => answers.filter(({ isRight }) => isRight === is));
  let won = 0;
  for (const { confidence: a } of right)
    for (const { confidence: b } of wrong) won += a > b ? 1 : a === b ? 0.5 : 0;
  return won / Math.max(1, right.length * wrong.length);
}

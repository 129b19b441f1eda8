/** `quire brain eval` as a person runs it. */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { BINARY } from '../kit/server.ts';
import { CLEAN_ENVIRONMENT, temporaryFolder } from '../kit/temp.ts';

function evaluate(cwd: string, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BINARY, 'brain', 'eval', ...args], {
    cwd,
    encoding: 'utf8',
    env: { ...CLEAN_ENVIRONMENT, HOME: cwd },
  });
  return { code: status, stdout, stderr };
}

const NOTES = Object.fromEntries(
  Array.from({ length: 12 }, (_, n) => [
    `notes/Pottery${n} glaze${n}.md`,
    `Kiln${n} bakes the glaze${n} overnight, and the yard is swept in the morning. `.repeat(3),
  ]),
);

test('prints a table and one line of advice', async () => {
  const { code, stdout, stderr } = evaluate(await temporaryFolder(NOTES), 'notes');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.replace(/ +\d+\.\d ms/, '  # ms').split('\n')).toEqual([
    '12 questions from 12 notes: 0 sentences with a link, 0 headings, 12 titles.',
    '',
    expect.stringMatching(/^Found by {5}nDCG@10 {2}First {2}First five {2,}Time$/),
    'words alone    1.000  100 %       100 %  # ms',
    '',
    'Too few questions to tell the ways apart: 12, and 30 are needed. Keep the settings as they are, and measure again with more notes.',
    '',
  ]);
});

test('with a server that is down: the rest as JSON, what to do, and an exit code', async () => {
  const folder = await temporaryFolder({
    ...NOTES,
    'quire.yaml':
      'notebooks:\n  mine: { folder: notes }\nbrain:\n  embeddings: { base_url: "http://127.0.0.1:1/v1", model: wise }\n',
  });
  const { code, stdout, stderr } = evaluate(folder, '--json');
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    notes: 12,
    measured: 12,
    questions: { link: 0, heading: 0, title: 12 },
    ways: [{ name: 'words alone', ndcg10: 1, hit1: 1, hit5: 1, msPerQuestion: expect.any(Number) }],
    recommendation: expect.stringContaining('Too few questions'),
    failure: 'The embedding model could not be measured: wise',
  });
  expect(stderr).toBe(
    'quire: embedding 12 notes with wise, which may take minutes\nquire: The embedding model could not be measured: wise\nCannot reach the embedding model. Check that its server runs, and base_url, model and api_key of brain.embeddings.\n',
  );
});

test('without notes it says what is needed', async () => {
  const folder = await temporaryFolder({ 'empty/a.png': '' });
  expect(evaluate(folder, 'empty')).toEqual({
    code: 2,
    stdout: '',
    stderr: 'quire: There are no notes to measure with\nName a folder with .md, .markdown or .txt files.\n',
  });
  expect(evaluate(folder, 'none')).toMatchObject({ code: 2, stdout: '' });
});

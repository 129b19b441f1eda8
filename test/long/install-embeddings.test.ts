/** The embedding model is not part of the package: what Quire says without it, and that its command installs it. */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { BINARY, startProgram, type ToolClient } from '../kit/server.ts';
import { temporaryFolder } from '../kit/temp.ts';

const NOTES = {
  'login.md': '# Access\n\nSteps to recover a forgotten credential: ask for a new one by mail.\n',
  'garden.md': '# Garden\n\nThe tomatoes want water every morning.\n',
};

/** As an installed package is: the programs, and no packages beside them. */
async function installed(): Promise<string> {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'dist'));
  for (const name of await readdir(dirname(BINARY)))
    if (name.endsWith('.cjs')) await copyFile(join(dirname(BINARY), name), join(folder, 'dist', name));
  return join(folder, 'dist/quire.cjs');
}

test('the command that is printed installs the model, and notes are found by meaning', async () => {
  const [binary, notes, cache] = [await installed(), await temporaryFolder(NOTES), await temporaryFolder()];
  const env = { XDG_CACHE_HOME: join(cache, 'a folder with spaces') };
  const start = (...more: string[]) =>
    startProgram(['brain', notes, ...more, '--log-format', 'json'], { binary, env });

  const before = await start('--embeddings', 'packaged');
  await expect.poll(() => before.stderr()).toContain('the embedding model is not installed');
  // A sentence for people at the start, and a line of the log when the notes are embedded.
  await expect.poll(() => before.stderr().trim().split('\n')).toHaveLength(2);
  const [sentence = '', line = ''] = before.stderr().trim().split('\n');
  const { install } = JSON.parse(line) as { install: string };
  expect(sentence).toMatch(/^quire: warning: the embedding model is not installed/);
  expect(sentence.endsWith(`Install it with: ${install}`)).toBe(true);
  await before.client.close();

  const quiet = await start();
  expect(await recall(quiet)).toContain('"mode_used":"keyword"');
  expect(quiet.stderr()).toBe('');
  await quiet.client.close();

  // By a shell, as a person runs it, in a folder that has nothing to do with it.
  await promisify(execFile)('sh', ['-c', install], { cwd: await temporaryFolder() });

  const after = await start('--embeddings', 'packaged');
  await expect.poll(() => recall(after)).toContain('"mode_used":"hybrid"');
  expect(await recall(after)).toContain('login.md');
  expect(after.stderr()).toBe('');
});

/** A question that has no word in common with the note it is about. */
async function recall({ call }: ToolClient): Promise<string> {
  return JSON.stringify((await call('sb_recall', { query: 'I do not know my password any more' })).json);
}

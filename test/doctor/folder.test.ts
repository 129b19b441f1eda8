/** What the doctor finds in a folder of notes. */
import { chmod, mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { examineNotebooks } from '../../src/app/doctor/notebook-checks.ts';
import { snapshotFileOf } from '../../src/app/open-notes.ts';
import { configSchema, type NotebookSettings } from '../../src/config/schema.ts';
import { portabilityProblem } from '../../src/notes/path.ts';
import { type CheckResult, resultsFor } from '../../src/shared/checks.ts';
import { watchCheck, writableCheck } from '../../src/stores/folder/doctor.ts';
import { putFile, temporaryFolder } from '../kit/temp.ts';

async function examine(folder: string, settings: NotebookSettings = {}, cacheFolder?: string) {
  const config = configSchema.parse({ notebooks: { n: { folder, ...settings } } });
  const before = await readdir(folder).catch(() => []);
  const results = await examineNotebooks(config, { cacheFolder });
  expect(await readdir(folder).catch(() => [])).toEqual(before);
  for (const { status, fix } of results)
    expect(status === 'ok' || status === 'skip' || (fix ?? '').length > 10).toBe(true);
  return results;
}

const of = (results: readonly CheckResult[], check: string) =>
  results.filter((result) => result.check === check);

test('a healthy folder', async () => {
  const folder = await temporaryFolder({ 'a.md': 'a', 'sub/b.md': 'b', 'c.png': 'c' });
  const results = await examine(folder);
  expect(results.map(({ check, status }) => `${check} ${status}`)).toEqual([
    'folder ok',
    'writable ok',
    'notes ok',
    'names ok',
    'case ok',
    expect.stringMatching(/^watch (ok|skip)$/),
  ]);
  expect(of(results, 'notes')[0]?.detail).toBe('2 notes in 2 folders, 1 other file.');
});

test('a folder without notes, and with notes of another extension', async () => {
  const folder = await temporaryFolder({ 'a.org': 'a' });
  expect(of(await examine(folder), 'notes')[0]).toMatchObject({
    status: 'warn',
    fix: expect.stringContaining('--extensions'),
  });
  expect(of(await examine(folder, { extensions: ['.org'] }), 'notes')[0]?.status).toBe('ok');
});

test('a folder that is not there, and one that is a file', async () => {
  const folder = await temporaryFolder({ 'a.md': 'a' });
  for (const name of ['nowhere', 'a.md']) {
    const results = await examine(join(folder, name));
    expect(results).toHaveLength(1);
    expect(results[0]).toMatchObject({ check: 'folder', status: 'fail' });
    expect(results[0]?.detail).toContain(join(folder, name));
  }
});

test('a folder that cannot be written is found by writing, and read-only asks for no such thing', async () => {
  const folder = await temporaryFolder({ 'a.md': 'a' });
  const results = resultsFor('n');
  const none = { unwritable: { count: 0, examples: [] } };
  // Nothing is forbidden to root, so the folder is one that no file can be made in.
  expect(await writableCheck(results, join(folder, 'a.md'), none, false)).toMatchObject({
    status: 'warn',
    detail: 'The folder cannot be written: ENOTDIR.',
    fix: expect.stringContaining('--read-only'),
  });
  expect(of(await examine(folder, { readOnly: true }), 'writable')[0]?.status).toBe('skip');
});

describe('names that other systems cannot hold', () => {
  test.each([
    ['con.md', 'device name'],
    ['AUX', 'device name'],
    ['a:b.md', 'colon'],
    ['what?.md', 'Windows does not allow'],
    ['a<b>.md', 'Windows does not allow'],
    ['back\\slash.md', 'Windows does not allow'],
    ['ends.', 'dot or a space'],
    ['ends ', 'dot or a space'],
    ['tab\t.md', 'control character'],
    [`${'é'.repeat(200)}.md`, 'longer than 255 bytes'],
  ])('%j', (name, words) => {
    expect(portabilityProblem(name)).toContain(words);
  });

  test('are counted, with a few examples and without control characters', async () => {
    const folder = await temporaryFolder();
    for (let at = 0; at < 5; at++) await writeFile(join(folder, `what ${at}?.md`), 'x');
    await writeFile(join(folder, 'bell\u0007.md'), 'x');
    const [finding] = of(await examine(folder), 'names');
    expect(finding).toMatchObject({ status: 'warn' });
    expect(finding?.detail).toMatch(/^Names that other systems cannot hold: 6\. .*and more\.$/);
    expect(finding?.detail).not.toContain('\u0007');
  });

  test('also those that differ in case or Unicode form only, and long paths', async () => {
    const folder = await temporaryFolder();
    for (const name of ['Plan.md', 'plan.md', 'caf\u00e9.md', 'cafe\u0301.md'])
      await writeFile(join(folder, name), name);
    await putFile(folder, `${'deep/'.repeat(45)}a.md`, 'x');
    const details = of(await examine(folder), 'names').map(({ detail }) => detail);
    // A file system that does not tell them apart holds fewer.
    const { length } = await readdir(folder);
    if (length === 5) expect(details[0]).toMatch(/^Names that differ in case or Unicode form only: 2\./);
    expect(details.at(-1)).toMatch(/^Long paths: 1\./);
  });

  test('ordinary names are fine', async () => {
    for (const name of ['a.md', 'Über uns (2).md', '日本語.md', '.hidden', 'console.md', 'a.b.c'])
      expect(portabilityProblem(name)).toBeUndefined();
  });
});

test('the saved index: none, up to date, older than the notes', async () => {
  const folder = await temporaryFolder({ 'a.md': 'a' });
  const cache = await temporaryFolder();
  const { notebooks } = configSchema.parse({ notebooks: { n: { folder } } });
  const file = snapshotFileOf(notebooks.n!, { cacheFolder: cache })!;
  const index = async () => of(await examine(folder, {}, cache), 'index')[0]?.detail;
  expect(await index()).toBe(
    `No index is saved. Each start makes it; that of many notes is saved in ${cache}.`,
  );
  await writeFile(file, Buffer.alloc(2_500_000));
  expect(await index()).toBe(`The saved index has 2.5 MB, up to date: ${file}`);
  await utimes(file, new Date(0), new Date(0));
  expect(await index()).toContain('notes have changed since, which the next start reads');
});

test('the limit on watched folders', () => {
  const results = resultsFor('n');
  expect(watchCheck(results, 10, 8192).status).toBe('ok');
  expect(watchCheck(results, 10, undefined).status).toBe('skip');
  expect(watchCheck(results, 8000, 8192)).toMatchObject({
    status: 'warn',
    fix: 'Raise the limit: sudo sysctl fs.inotify.max_user_watches=524288',
  });
});

test('folders that cannot be read', async () => {
  const folder = await temporaryFolder({ 'a.md': 'a' });
  await mkdir(join(folder, 'closed'));
  await chmod(join(folder, 'closed'), 0o000);
  const [notes] = of(await examine(folder), 'notes');
  // Nothing is forbidden to root.
  if (process.getuid?.() === 0) expect(notes?.status).toBe('ok');
  else expect(notes).toMatchObject({ status: 'warn', detail: expect.stringContaining('closed') });
  await chmod(join(folder, 'closed'), 0o700);
});

/** Requests to the process that holds a state folder. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { AppError } from '../../src/shared/errors.ts';
import { silentLog } from '../../src/shared/log.ts';
import { answerRequests, requestOf } from '../../src/state/requests.ts';
import { temporaryFolder } from '../kit/temp.ts';

async function answering(handle: (request: unknown) => Promise<unknown>): Promise<string> {
  const folder = await temporaryFolder();
  onTestFinished(await answerRequests(folder, handle, silentLog));
  return folder;
}

test('each is answered, in the order in which they came, and nothing is left', async () => {
  const folder = await answering(async (request) => ({ echo: request }));
  const answers = await Promise.all([1, 2, 3].map((count) => requestOf(folder, { count })));
  expect(answers).toEqual([1, 2, 3].map((count) => ({ echo: { count } })));
  expect(await readdir(join(folder, 'requests'))).toEqual([]);
  expect((await stat(join(folder, 'requests'))).mode & 0o077).toBe(0);
});

test('an error comes back as it is, and an unknown one says nothing of the inside', async () => {
  const folder = await answering(async (request) => {
    if (request === 'known') throw new AppError('not_found', 'No such', { subject: 'kim', hint: 'Look.' });
    throw new Error('inside');
  });
  await expect(requestOf(folder, 'known')).rejects.toMatchObject({
    code: 'not_found',
    title: 'No such',
    subject: 'kim',
    hint: 'Look.',
  });
  await expect(requestOf(folder, 'other')).rejects.toMatchObject({
    code: 'internal',
    title: 'Something went wrong',
  });
});

test('one that nobody takes is taken back, and what was left before a start is not carried out', async () => {
  const folder = await temporaryFolder();
  await expect(requestOf(folder, 'x', 1)).rejects.toMatchObject({
    code: 'timeout',
    subject: 'nothing was changed',
  });
  const waiting = requestOf(folder, 'left', 400).catch((error: AppError) => error.subject);
  await expect.poll(() => readdir(join(folder, 'requests'))).toHaveLength(1);
  const seen: unknown[] = [];
  onTestFinished(await answerRequests(folder, async (request) => seen.push(request), silentLog));
  expect(await waiting).toBe('it is not known whether it was done');
  expect(seen).toEqual([]);
});

/** The short way to append: written at once, noted a moment later, and never at the cost of the chain. */
import { readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openAudit } from '../../src/governance/audit/audit.ts';
import { temporaryFolder } from '../kit/temp.ts';

const event = (call: string) =>
  ({ event: 'started', call, server: 's', capability: 'c', kind: 'tool' }) as const;
const linesIn = async (folder: string) =>
  (await readFile(join(folder, 'audit.jsonl'), 'utf8')).trimEnd().split('\n');
const endIn = async (folder: string) =>
  (JSON.parse(await readFile(join(folder, 'audit.end'), 'utf8')) as { seq: number }).seq;

test('a line is in the file when it is acknowledged, and noted when it is flushed', async () => {
  const folder = await temporaryFolder();
  const audit = openAudit({ folder, quick: true });
  for (let at = 1; at <= 5; at++) {
    await audit.record(event(`call-${at}`));
    expect(await linesIn(folder)).toHaveLength(at);
  }
  await audit.flush();
  expect(await endIn(folder)).toBe(5);
  expect(await audit.verify()).toMatchObject({ isWhole: true, lines: 5 });
});

test('two writers that take turns stay one chain', async () => {
  const folder = await temporaryFolder();
  const [one, other] = [openAudit({ folder, quick: true }), openAudit({ folder })];
  for (let at = 0; at < 10; at++) {
    await Promise.all([one.record(event('a'), event('b')), other.record(event('c')), one.record(event('d'))]);
    await one.record(event('e'));
  }
  await one.flush();
  expect(await one.verify()).toMatchObject({ isWhole: true, lines: 50 });
});

test('a log goes on from an end that was never noted, and the noted end is never far behind', async () => {
  const folder = await temporaryFolder();
  const gone = openAudit({ folder, quick: true });
  for (let at = 0; at < 300; at++) await gone.record(event('a'));
  expect(await endIn(folder)).toBeGreaterThan(300 - 256);
  await openAudit({ folder }).record(event('b'));
  expect(await gone.verify()).toMatchObject({ isWhole: true, lines: 301 });
  await gone.flush();
});

test('a log that was cut, or a lock that another process holds, ends the fast path', async () => {
  const folder = await temporaryFolder();
  const audit = openAudit({ folder, quick: true });
  await audit.record(event('a'));
  await audit.record(event('b'));
  await audit.flush();
  const lock = join(folder, 'audit.jsonl.lock');
  await writeFile(lock, JSON.stringify({ pid: 2 ** 30, place: 'elsewhere', mark: 'x' }));
  const waiting = audit.record(event('c'));
  expect(await linesIn(folder)).toHaveLength(2);
  await rm(lock);
  await waiting;
  expect(await linesIn(folder)).toHaveLength(3);
  await audit.flush();
  await truncate(join(folder, 'audit.jsonl'), 0);
  await expect(audit.record(event('d'))).rejects.toThrow('The audit log was changed outside Quire');
});

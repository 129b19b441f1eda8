import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isAbandoned, processTag } from '../../src/shared/fs/file-holder.ts';
import { acquireLock, openSyncLock, tryLock } from '../../src/shared/fs/lock-file.ts';
import { temporaryFolder } from '../kit/temp.ts';

const busy = (holder: string) => new Error(`busy: ${holder}`);
const options = { heartbeatMs: 20, busy };

async function deadPid(): Promise<number | undefined> {
  const gone = spawn(process.execPath, ['-e', '']);
  await once(gone, 'exit');
  return gone.pid;
}

test('is held by one at a time; a waiter has it as soon as it is released', async () => {
  const file = join(await temporaryFolder(), 'lock');
  const first = await acquireLock(file, options);
  await expect(acquireLock(file, options)).rejects.toThrow(`busy: process ${process.pid}`);
  await expect(acquireLock(file, { ...options, waitMs: 30 })).rejects.toThrow('busy');
  const waiting = acquireLock(file, { ...options, waitMs: 5_000 });
  first.release();
  const second = await waiting;
  expect([first.isHeld(), second.isHeld()]).toEqual([false, true]);
  first.release();
  expect(second.isHeld()).toBe(true);
  second.release();
  expect(readdirSync(join(file, '..'))).toEqual([]);
});

test('of a dead process is taken over at once, also as older versions wrote it', async () => {
  const file = join(await temporaryFolder(), 'lock');
  const host = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
  const pid = await deadPid();
  symlinkSync(`${host}-${pid}-00000000`, file);
  (await acquireLock(file, { busy })).release();
  tryLock(file);
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), pid }));
  (await acquireLock(file, { busy })).release();
});

test('of a holder elsewhere is stale once its heartbeat stops', async () => {
  const file = join(await temporaryFolder(), 'lock');
  symlinkSync('00000000-1-00000000', file);
  await expect(acquireLock(file, { ...options, waitMs: 10 })).rejects.toThrow('another machine');
  const lock = await acquireLock(file, { ...options, waitMs: 5_000 });
  utimesSync(file, 1, 1);
  await expect.poll(() => statSync(file).mtimeMs).toBeGreaterThan(1_000);
  lock.release();
});

test('a tag names this process and no other', async () => {
  expect(isAbandoned(processTag(), 0)).toBe(false);
  expect(isAbandoned(processTag(), 61_000)).toBe(true);
  expect(isAbandoned(processTag().replace(/[0-9a-f]{8}$/, '00000000'), 0)).toBe(true);
  expect(isAbandoned(processTag().replace(`-${process.pid}-`, `-${await deadPid()}-`), 0)).toBe(true);
});

test('the synchronous lock excludes the other one, and leaves nothing behind', async () => {
  const folder = await temporaryFolder();
  const file = join(folder, 'lock');
  const [one, other] = [openSyncLock(file), openSyncLock(file)];
  const held = one.tryAcquire();
  expect([other.tryAcquire(), tryLock(file)]).toEqual([undefined, undefined]);
  held?.release();
  const again = tryLock(file);
  expect(one.tryAcquire()).toBeUndefined();
  again?.release();
  other.tryAcquire()?.release();
  one.close();
  other.close();
  expect(readdirSync(folder)).toEqual([]);
});

/** A server killed while it writes 30 MB: the note is whole, the old one or the new one, and the next start cleans up. */
import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { bytesOf } from '../holes/served.ts';
import { startBinary } from '../kit/server.ts';
import { temporaryFolder } from '../kit/temp.ts';

const SIZE = 30 * 1024 * 1024;
const line = (letter: string) => `${letter.repeat(63)}\n`;
const textOf = (letter: string) => line(letter).repeat(SIZE / 64);
const hashOf = (text: string | Uint8Array) => createHash('sha256').update(text).digest('hex');
const litterIn = (folder: string) => readdirSync(folder).filter((name) => name.startsWith('.quire-'));

/** Resolves when a temporary file has grown beyond `bytes`, or when it was written and `answered` says so. */
async function untilWriting(folder: string, bytes: number, answered: Promise<unknown>): Promise<void> {
  let isOver = false;
  void answered.then(() => {
    isOver = true;
  });
  for (; !isOver; await sleep(1)) {
    const size = litterIn(folder).reduce((most, name) => Math.max(most, sizeOf(join(folder, name))), -1);
    if (size >= bytes) return;
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? -1;
}

async function noLitterWithin(folder: string, ms: number): Promise<string[]> {
  for (const end = Date.now() + ms; Date.now() < end && litterIn(folder).length > 0; ) await sleep(25);
  return litterIn(folder);
}

test('a note of 30 MB is whole after kill -9 at any moment of its overwriting', async () => {
  const folder = await temporaryFolder({ 'big.md': textOf('a'), 'other.md': 'other\n' });
  const letters = ['b', 'c'].map((letter) => ({ text: textOf(letter), hash: hashOf(textOf(letter)) }));
  let standing = hashOf(bytesOf(folder, 'big.md'));
  let interrupted = 0;
  const moments: ((answered: Promise<unknown>) => Promise<unknown>)[] = [
    ...[5, 40, 90, 150, 220, 300, 400].map((ms) => () => sleep(ms)),
    (answered) => untilWriting(folder, 0, answered),
    (answered) => untilWriting(folder, 1, answered),
    (answered) => untilWriting(folder, SIZE / 2, answered),
    (answered) => untilWriting(folder, SIZE, answered),
    (answered) => untilWriting(folder, SIZE, answered).then(() => sleep(10)),
  ];
  for (const [at, moment] of moments.entries()) {
    const { call, pid } = await startBinary(folder);
    const wanted = letters[at % 2]!;
    const answered = call('write_note', { path: 'big.md', content: wanted.text }).then(
      () => true,
      () => false,
    );
    await moment(answered);
    process.kill(pid, 'SIGKILL');
    const acknowledged = await answered;
    const now = hashOf(bytesOf(folder, 'big.md'));
    expect([standing, wanted.hash]).toContain(now);
    if (acknowledged) expect(now).toBe(wanted.hash);
    if (litterIn(folder).length > 0) interrupted++;
    standing = now;
  }
  expect(interrupted).toBeGreaterThan(0);
  const { call } = await startBinary(folder);
  expect(await noLitterWithin(folder, 30_000)).toEqual([]);
  expect((await call('write_note', { path: 'big.md', content: 'small' })).isError).toBe(false);
  expect(bytesOf(folder, 'big.md').toString()).toBe('small');
  expect(readdirSync(folder)).toEqual(['big.md', 'other.md']);
});

test('a lock left by a killed server blocks no write, and temporary files go from folders below as well', async () => {
  const folder = await temporaryFolder({ 'deep/er/big.md': textOf('a') });
  const writing = join(folder, 'deep/er');
  let left: string[] = [];
  // On a busy machine the writing may be over before the blow falls.
  for (let blow = 0; blow < 10 && left.length === 0; blow++) {
    const { call, pid } = await startBinary(folder);
    const answered = call('write_note', { path: 'deep/er/big.md', content: textOf('b') }).catch(() => {});
    await untilWriting(writing, 1, answered);
    process.kill(pid, 'SIGKILL');
    await answered;
    left = litterIn(writing);
  }
  expect(left.length).toBeGreaterThan(0);
  const next = await startBinary(folder);
  // A write that waits for a lock too long is refused.
  const patched = await next.call('write_note', { path: 'deep/er/big.md', content: 'end', mode: 'append' });
  expect(patched.isError).toBe(false);
  expect(await noLitterWithin(writing, 30_000)).toEqual([]);
  expect(bytesOf(folder, 'deep/er/big.md').toString('latin1').slice(-5)).toBe('\nend\n');
});

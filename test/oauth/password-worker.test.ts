/** Passwords are compared in a thread, as the built program has it. */
import { fileURLToPath } from 'node:url';
import { genSaltSync, hashSync } from 'bcryptjs';
import { expect, it, onTestFinished } from 'vitest';
import { openPasswordWorker } from '../../src/oauth/passwords.ts';
import { PASSWORD, USERS } from './kit.ts';

const THREAD = fileURLToPath(new URL('../../dist/quire-passwords.cjs', import.meta.url));
const HASH = USERS.get('alex') ?? '';

function open(file = THREAD) {
  const worker = openPasswordWorker(file);
  onTestFinished(() => worker.close());
  return worker;
}

it('tells right from wrong, side by side', async () => {
  const { compare } = open();
  const tried = [PASSWORD, 'wrong', '', PASSWORD].map((password) => compare(password, HASH));
  expect(await Promise.all(tried)).toEqual([true, false, false, true]);
});

it('leaves the thread that answers requests free', async () => {
  const { compare } = open();
  const dear = hashSync(PASSWORD, genSaltSync(10));
  await compare(PASSWORD, HASH);
  let turns = 0;
  const count = () => {
    turns++;
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);
  await compare(PASSWORD, dear);
  clearImmediate(timer);
  // On this thread, bcrypt gives way a few times only.
  expect(turns).toBeGreaterThan(100);
});

it('fails what it cannot do, and goes on with the next', async () => {
  const worker = open();
  await expect(worker.compare(PASSWORD, null as never)).rejects.toMatchObject({ code: 'internal' });
  expect(await worker.compare(PASSWORD, HASH)).toBe(true);
  const waiting = worker.compare(PASSWORD, hashSync('x', genSaltSync(10)));
  const gone = expect(waiting).rejects.toMatchObject({ title: 'A password could not be checked' });
  await worker.close();
  await gone;
  expect(await worker.compare(PASSWORD, HASH)).toBe(true);
});

it('says so when its program is not there', async () => {
  await expect(open('/nowhere/quire-passwords.cjs').compare(PASSWORD, HASH)).rejects.toMatchObject({
    code: 'internal',
  });
});

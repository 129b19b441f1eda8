/**
 * Requests to the process that holds a state folder, from other processes on the same machine: files in a folder below
 * it. Who may write there may do anything with the state anyway, so this needs no key, no port and no address.
 */
import { readdir, readFile, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { AppError, isAppError } from '../shared/errors.ts';
import { ifPresent } from '../shared/fs/errno.ts';
import { makeFolders } from '../shared/fs/make-folders.ts';
import { replaceFile } from '../shared/fs/replace-file.ts';
import { ulid } from '../shared/ids.ts';
import type { Log } from '../shared/log.ts';

const FOLDER = 'requests';
const ASKED = '.request';
const TAKEN = '.taken';
const ANSWERED = '.answer';
const LOOK_MS = 300;
const PATIENCE_MS = 15_000;
const ASK_MS = 50;

type Answer =
  | { readonly result: unknown }
  | { readonly problem: Pick<AppError, 'code' | 'title' | 'subject' | 'hint'> };

/** Answers requests until the returned function is called. What an earlier process left is dropped. */
export async function answerRequests(
  stateFolder: string,
  handle: (request: unknown) => Promise<unknown>,
  log: Log,
): Promise<() => Promise<void>> {
  const folder = join(stateFolder, FOLDER);
  await makeFolders(folder, 0o700);
  for (const name of await readdir(folder)) await ifPresent(unlink(join(folder, name)));

  const answer = async (name: string) => {
    const id = name.slice(0, -ASKED.length);
    const taken = join(folder, id + TAKEN);
    // Whoever asked may have given up in this moment.
    if ((await ifPresent(rename(join(folder, name), taken).then(() => true))) === undefined) return;
    const given = await readFile(taken, 'utf8');
    await unlink(taken);
    const answered = await handle(JSON.parse(given)).then(
      (result): Answer => ({ result }),
      (error: unknown): Answer => ({ problem: problemOf(error, log) }),
    );
    await replaceFile(join(folder, id + ANSWERED), JSON.stringify(answered), { flush: false });
  };
  let looking: Promise<void> | undefined;
  const look = async () => {
    const names = (await readdir(folder)).filter((name) => name.endsWith(ASKED));
    for (const name of names.sort()) await answer(name);
  };
  const timer = setInterval(() => {
    looking ??= look()
      .catch((error: unknown) => log('error', 'a request could not be answered', { error: String(error) }))
      .finally(() => {
        looking = undefined;
      });
  }, LOOK_MS).unref();
  return async () => {
    clearInterval(timer);
    await looking;
  };
}

/** Asks the process that holds the state folder. */
export async function requestOf<Result>(
  stateFolder: string,
  request: unknown,
  patienceMs = PATIENCE_MS,
): Promise<Result> {
  const folder = join(stateFolder, FOLDER);
  await makeFolders(folder, 0o700);
  const id = ulid(Date.now());
  const [asked, answered] = [join(folder, id + ASKED), join(folder, id + ANSWERED)];
  await replaceFile(asked, JSON.stringify(request), { flush: false });
  const latest = Date.now() + patienceMs;
  for (;;) {
    const text = await ifPresent(readFile(answered, 'utf8'));
    if (text !== undefined) {
      await ifPresent(unlink(answered));
      return resultIn<Result>(JSON.parse(text) as Answer);
    }
    if (Date.now() > latest) throw await unanswered(asked);
    await pause(ASK_MS);
  }
}

function resultIn<Result>(answer: Answer): Result {
  if ('result' in answer) return answer.result as Result;
  const { code, title, subject, hint } = answer.problem;
  throw new AppError(code, title, { subject, hint });
}

/** A request that was not taken is taken back. */
async function unanswered(asked: string): Promise<AppError> {
  const isTakenBack = (await ifPresent(unlink(asked).then(() => true))) === true;
  return new AppError('timeout', 'The server that uses this state folder does not answer', {
    subject: isTakenBack ? 'nothing was changed' : 'it is not known whether it was done',
    hint: isTakenBack
      ? 'Is it of an older version? Start it again, or stop it and repeat the command.'
      : 'Look at the list before you repeat it.',
  });
}

function problemOf(error: unknown, log: Log): Extract<Answer, { problem: unknown }>['problem'] {
  if (isAppError(error)) {
    const { code, title, subject, hint } = error;
    return { code, title, subject, hint };
  }
  log('error', 'a request failed', { error: String(error) });
  return {
    code: 'internal',
    title: 'Something went wrong',
    subject: undefined,
    hint: 'The log has the details.',
  };
}

/** The folders of what must survive a restart, and of what makes the next start fast. */
import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type CheckResult, resultsFor } from '../../shared/checks.ts';
import { isAppError } from '../../shared/errors.ts';
import { ifPresent } from '../../shared/fs/errno.ts';
import { tryWriting } from '../../shared/fs/replace-file.ts';
import { probeState } from '../state-store.ts';

interface StatePlaces {
  /** Undefined where the state is kept in memory. */
  readonly stateFolder: string | undefined;
  /** A start fails where the state folder cannot be used. */
  readonly isNeeded: boolean;
  readonly cacheFolder: string;
  /** A Quire that is running with this configuration. */
  readonly runningPid?: number;
}

const { ok, skip, warn, failWith } = resultsFor('State');
const LITTLE_BYTES = 200e6;

export async function stateChecks(places: StatePlaces): Promise<CheckResult[]> {
  return [...(await stateFolderChecks(places)), await cacheCheck(places.cacheFolder)];
}

async function stateFolderChecks(places: StatePlaces): Promise<CheckResult[]> {
  const { stateFolder, isNeeded, runningPid } = places;
  if (stateFolder === undefined)
    return [skip('folder', 'Nothing is kept: logins end when the server ends (state.dir is memory).')];
  try {
    await probeState(stateFolder);
  } catch (error) {
    // The server that is running holds the lock.
    if (runningPid !== undefined && isAppError(error, 'conflict'))
      return [ok('folder', `In use by the server that is running (process ${runningPid}): ${stateFolder}`)];
    const result = failWith('folder', error, 'Choose another folder with --state-dir.');
    return [isNeeded ? result : { ...result, status: 'warn' }];
  }
  return [ok('folder', `The state folder can be written: ${stateFolder}`), await spaceCheck(stateFolder)];
}

async function spaceCheck(folder: string): Promise<CheckResult> {
  const { bavail, bsize } = await statfs(await existing(folder));
  const bytes = bavail * bsize;
  return bytes < LITTLE_BYTES
    ? warn(
        'space',
        `Only ${Math.round(bytes / 1e6)} MB are free on its disk.`,
        'Make room: changes that cannot be recorded are refused.',
      )
    : ok(
        'space',
        `${bytes > 1e9 ? `${Math.round(bytes / 1e9)} GB` : `${Math.round(bytes / 1e6)} MB`} are free on its disk.`,
      );
}

async function cacheCheck(folder: string): Promise<CheckResult> {
  try {
    await tryWriting(await existing(folder));
    return ok('cache', `Saved indexes are in ${folder}`);
  } catch {
    return warn(
      'cache',
      `The cache folder cannot be written: ${folder}`,
      'Every start indexes all notes again. Give the user that runs Quire the right to write there, or set XDG_CACHE_HOME.',
    );
  }
}

/** The folder, or the nearest one above that exists. */
async function existing(folder: string): Promise<string> {
  return (await ifPresent(stat(folder))) || dirname(folder) === folder ? folder : existing(dirname(folder));
}

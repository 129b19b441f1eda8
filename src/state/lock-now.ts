/**
 * The lock of a folder for work that is done before anything else can happen here, and too short for a heartbeat. Whose
 * it is was written once, beside it; taking it gives that file a second name, which is one cheap step, and so is giving
 * it back.
 */
import { randomBytes } from 'node:crypto';
import { linkSync, readdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isErrno } from '../shared/fs/errno.ts';
import { held, isAlive, ownerText } from './folder-lock.ts';

interface LockNow {
  /** Undefined when it is taken; whether by somebody who is gone, the long way finds out. */
  take(): { release(): void } | undefined;
}

interface OwnName {
  readonly path: string;
  readonly ino: number;
  readonly mark: string;
}

export function openLockNow(file: string): LockNow {
  let own: OwnName | undefined;
  let hasLinks = true;

  const take = (): { release(): void } | undefined => {
    if (!hasLinks) return takeByWriting(file);
    own ??= createOwnName(file);
    const { path, ino, mark } = own;
    linkSync(path, file);
    held.add(mark);
    return {
      release() {
        held.delete(mark);
        if (statSync(file, { throwIfNoEntry: false })?.ino === ino) unlinkSync(file);
      },
    };
  };

  return {
    take() {
      try {
        return take();
      } catch (error) {
        if (isErrno(error, 'EEXIST')) return undefined;
        // Somebody has tidied up, or there are no second names on this disk.
        if (isErrno(error, 'ENOENT')) own = undefined;
        else hasLinks = false;
        return undefined;
      }
    },
  };
}

/** Where files have one name only. */
function takeByWriting(file: string): { release(): void } {
  const mark = randomBytes(12).toString('hex');
  const text = ownerText(mark);
  writeFileSync(file, text, { flag: 'wx', mode: 0o600 });
  held.add(mark);
  return {
    release() {
      held.delete(mark);
      if (readFileSync(file, 'utf8') === text) unlinkSync(file);
    },
  };
}

const made = new Set<string>();

function createOwnName(file: string): OwnName {
  const folder = dirname(file);
  const stem = `${basename(file)}.own-`;
  tidy(folder, stem);
  const mark = randomBytes(12).toString('hex');
  const path = join(folder, `${stem}${process.pid}-${mark}`);
  writeFileSync(path, ownerText(mark), { flag: 'wx', mode: 0o600 });
  if (made.size === 0) process.once('exit', () => [...made].forEach(removeQuietly));
  made.add(path);
  return { path, ino: statSync(path).ino, mark };
}

/** What processes left behind that ended without a word. Who lives in another container makes its name anew. */
function tidy(folder: string, stem: string): void {
  for (const name of readdirSync(folder).filter((one) => one.startsWith(stem))) {
    const pid = Number.parseInt(name.slice(stem.length), 10);
    if (!isAlive(pid)) removeQuietly(join(folder, name));
  }
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It is gone already, or stays for the next to tidy up.
  }
}

/**
 * Writes, removals and moves of pages. A removal copies the page to the trash, verifies the copy, and then deletes
 * the page if it is still what was copied.
 */
import { isTrashed, stampedPath, trashPathOf } from '../../notes/ops/trash.ts';
import type { NotePath } from '../../notes/path.ts';
import type { NoteMeta, WrittenNote } from '../../notes/store.ts';
import { AppError, isAppError } from '../../shared/errors.ts';
import { assertCondition, movedOn, targetExists, versionOf } from '../condition.ts';
import { isUncertain } from '../remote.ts';
import { MAX_FILE_BYTES } from './client.ts';
import { assertMayCreate, currentFor, missing, type Space, toMeta } from './space.ts';
import type { Snapshot } from './stable-read.ts';
import { tooLarge } from './wire.ts';

/** Must be called while holding the page's mutex. */
export async function writeNote(
  space: Space,
  path: NotePath,
  content: string | Uint8Array,
  { ifVersion }: { ifVersion?: string | null },
): Promise<WrittenNote> {
  const bytes = Buffer.from(content);
  if (bytes.length > MAX_FILE_BYTES) throw tooLarge(path, MAX_FILE_BYTES / 1048576);
  const current = await currentFor(space, path);
  assertCondition(path, current, ifVersion);
  if (!current) await assertMayCreate(space, path);
  if (current?.version === versionOf(bytes)) return written(path, current);
  return written(path, await saveNote(space, path, bytes, current));
}

/** Saves, and updates the index. */
async function saveNote(
  { saver, index, gate }: Space,
  path: NotePath,
  bytes: Uint8Array,
  before: Snapshot | undefined,
): Promise<Snapshot> {
  try {
    const saved = await index.whileWriting(path, () => saver.save(path, bytes, before));
    index.put(toMeta(path, saved));
    return saved;
  } catch (error) {
    // Servers before 2.10 answer a full disk and read-only mode with the same status.
    if (isAppError(error, 'upstream_failed'))
      await gate.recheck(path).catch((reason: unknown) => {
        if (isAppError(reason, 'read_only')) throw reason;
      });
    throw error;
  }
}

function written(path: NotePath, snapshot: Snapshot): WrittenNote {
  return { ...toMeta(path, snapshot), version: snapshot.version };
}

const TRIES = 2;

/** Must be called while holding the page's mutex. */
export async function removeNote(
  space: Space,
  path: NotePath,
  { ifVersion }: { ifVersion?: string },
): Promise<{ trashedTo?: NotePath }> {
  const current = await currentFor(space, path);
  if (!current) throw missing(path);
  if (ifVersion !== undefined && current.version !== ifVersion) throw movedOn(path);
  const trashedTo = await copyToTrash(space, path, current);
  await discard(space, path, current).catch(async (error: unknown) => {
    if (trashedTo && (await hasStayed(space, path))) await takeBack(space, trashedTo, current);
    throw error;
  });
  return { trashedTo };
}

/** Undefined where no trash is kept. */
async function copyToTrash(space: Space, path: NotePath, { bytes }: Snapshot): Promise<NotePath | undefined> {
  if (!space.keepsTrash || isTrashed(path)) return undefined;
  const place = await freePlace(space, path);
  await saveNote(space, place, bytes, undefined);
  return place;
}

async function freePlace({ client }: Space, path: NotePath): Promise<NotePath> {
  const now = Date.now();
  const plain = trashPathOf(path, now);
  let place = plain;
  for (let stamp = now; (await client.meta(place)) !== undefined; stamp++) place = stampedPath(plain, stamp);
  return place;
}

/** Deletes the page if it still equals `seen`. */
async function discard({ client, reader, index }: Space, path: NotePath, seen: Snapshot): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const last = await reader.read(path, { accepts: ({ version }) => version === seen.version });
    if (last && last.version !== seen.version) throw movedOn(path);
    try {
      if (last) await client.remove(path);
      return index.drop(path);
    } catch (error) {
      if (!isUncertain(error)) throw error;
      if (attempt === TRIES) return afterFailure();
    }
  }

  async function afterFailure(): Promise<void> {
    const isThere = await client.meta(path).catch((cause: unknown) => {
      throw new AppError('upstream_failed', 'It is unknown whether the note was removed', {
        subject: path,
        hint: 'SilverBullet stopped answering. Look whether it is still there before you repeat it.',
        cause,
      });
    });
    if (!isThere) return index.drop(path);
    throw new AppError('upstream_failed', 'SilverBullet could not remove the note', {
      subject: path,
      hint: 'It is as it was. Look at the server’s log, then try again.',
    });
  }
}

/** Whether the page is known to exist after a failed deletion. */
async function hasStayed({ client }: Space, path: NotePath): Promise<boolean> {
  return client.meta(path).then(
    (meta) => meta !== undefined,
    () => false,
  );
}

/** Removes a copy that is no longer needed. */
async function takeBack(space: Space, copy: NotePath, copied: Snapshot): Promise<void> {
  await discard(space, copy, copied).catch((error: unknown) =>
    space.log('warn', 'an unneeded copy of a page could not be removed', {
      path: copy,
      error: String(error),
    }),
  );
}

/**
 * A move is a verified copy followed by the deletion of the original, if that is still what was copied. Must be called
 * while holding the mutexes of both pages.
 */
export async function moveNote(
  space: Space,
  from: NotePath,
  to: NotePath,
  { overwrite = false }: { overwrite?: boolean },
): Promise<NoteMeta> {
  const source = await currentFor(space, from);
  if (!source) throw missing(from);
  if (from === to) return toMeta(from, source);
  const target = await currentFor(space, to);
  if (target && !overwrite) throw targetExists(to);
  if (target) await copyToTrash(space, to, target);
  else await assertMayCreate(space, to);
  const copy = await saveNote(space, to, source.bytes, target);
  await discard(space, from, source).catch(async (error: unknown) => {
    if (await hasStayed(space, from)) await undo(space, to, copy, target);
    throw error;
  });
  return toMeta(to, copy);
}

/** Restores the target after the original could not be deleted. */
async function undo(space: Space, to: NotePath, copy: Snapshot, target: Snapshot | undefined): Promise<void> {
  if (!target) return takeBack(space, to, copy);
  try {
    const there = await space.reader.read(to);
    if (there?.version === copy.version) await saveNote(space, to, target.bytes, there);
  } catch (error) {
    space.log('warn', 'a replaced page could not be restored after a failed move', {
      path: to,
      error: String(error),
    });
  }
}

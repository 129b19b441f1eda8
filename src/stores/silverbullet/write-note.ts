import type { NotePath } from '../../notes/path.ts';
import type { WrittenNote } from '../../notes/store.ts';
import { isAppError } from '../../shared/errors.ts';
import { assertCondition } from '../condition.ts';
import { MAX_FILE_BYTES } from './client.ts';
import { tooLarge } from './errors.ts';
import { assertMayCreate, currentFor, type Space, toMeta } from './space.ts';
import { type Snapshot, versionOf } from './stable-read.ts';

/** To be called by the page's one writer. */
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

/** Saves, and lets the index know. */
export async function saveNote(
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
    // The older server says the same to a full disk and to being read-only.
    if (isAppError(error, 'upstream_failed'))
      await gate.recheck(path).catch((reason: unknown) => throwIfReadOnly(reason));
    throw error;
  }
}

function throwIfReadOnly(reason: unknown): void {
  if (isAppError(reason, 'read_only')) throw reason;
}

function written(path: NotePath, snapshot: Snapshot): WrittenNote {
  return { ...toMeta(path, snapshot), version: snapshot.version };
}

/** The parts a store works with, and what every change of a page goes by. */
import { type NotePath, pathKey } from '../../notes/path.ts';
import type { NoteMeta } from '../../notes/store.ts';
import { isTrashed } from '../../notes/trash-path.ts';
import { AppError } from '../../shared/errors.ts';
import type { KeyedQueue } from '../../shared/keyed-queue.ts';
import type { Log } from '../../shared/log.ts';
import { movedOn } from '../condition.ts';
import type { SilverBulletClient } from './client.ts';
import type { Gate } from './gate.ts';
import { assertPageName } from './page-name.ts';
import type { Saver } from './save.ts';
import type { SpaceIndex } from './space-index.ts';
import type { Snapshot, StableReader } from './stable-read.ts';
import type { RemoteMeta } from './wire.ts';

export interface Space {
  readonly client: SilverBulletClient;
  readonly reader: StableReader;
  readonly saver: Saver;
  readonly index: SpaceIndex;
  readonly gate: Gate;
  /** One writer per page. */
  readonly queue: KeyedQueue;
  readonly log: Log;
  readonly keepsTrash: boolean;
  readonly anyName: boolean;
}

/** What stands there now, ready to be changed: it is whole, and it may be written. */
export async function currentFor(space: Space, path: NotePath): Promise<Snapshot | undefined> {
  await space.gate.assertOpen(path);
  await space.saver.heal(path);
  const current = await space.reader.read(path);
  if (current?.isReadOnly)
    throw new AppError('forbidden', 'Page is read-only in SilverBullet', {
      subject: path,
      hint: 'It comes with SilverBullet. Nothing was changed. Copy it to a page of your own and change that.',
    });
  return current;
}

/** For pages about to be made: a name SilverBullet can open, and no second spelling of one that is there. */
export async function assertMayCreate({ index, anyName, client }: Space, path: NotePath): Promise<void> {
  // What goes to the trash keeps the name it had.
  if (anyName || isTrashed(path)) return;
  assertPageName(path);
  await index.fresh();
  const key = pathKey(path);
  for (const { path: other } of index.files())
    if (other !== path && pathKey(other) === key)
      throw new AppError('already_exists', 'Note already exists in another spelling', {
        subject: other,
        hint: 'SilverBullet cannot tell them apart everywhere. Use that note, or choose another name.',
      });
  // The listing took a while.
  if (await client.meta(path)) throw movedOn(path);
}

export function toMeta(path: NotePath, { size, lastModified, contentType }: RemoteMeta): NoteMeta {
  return { path, size, lastModified, contentType };
}

export function missing(path: NotePath): AppError {
  return new AppError('not_found', 'File not found', { subject: path });
}

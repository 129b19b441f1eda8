/** The parts of an open SilverBullet store, and the checks before every change. */
import { isTrashed } from '../../notes/ops/trash.ts';
import { fileNameProblem, pageNameProblem, suggestPageName } from '../../notes/page-path.ts';
import { extensionOf, type NotePath, pathKey } from '../../notes/path.ts';
import type { NoteMeta } from '../../notes/store.ts';
import type { KeyedMutex } from '../../shared/async/keyed-mutex.ts';
import { AppError } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import { movedOn } from '../condition.ts';
import type { SilverBulletClient } from './client.ts';
import type { Saver } from './save.ts';
import type { SpaceIndex } from './space-index.ts';
import type { Snapshot, StableReader } from './stable-read.ts';
import type { RemoteMeta } from './wire.ts';

/**
 * Knows whether the server accepts changes at all. A read-only server still reports every page as writable, so only its
 * configuration tells.
 */
export function createGate(client: SilverBulletClient) {
  let isOpen = false;
  /** Reads the configuration; throws `read_only`. */
  const recheck = async (path: string) => {
    isOpen = !(await client.config()).readOnly;
    if (!isOpen)
      throw new AppError('read_only', 'SilverBullet is read-only', {
        subject: path,
        hint: 'The server runs with SB_READ_ONLY. Nothing was changed.',
      });
  };
  return {
    recheck,
    /** Throws `read_only`. A positive answer is cached, a negative one is not. */
    assertOpen: async (path: string) => {
      if (!isOpen) await recheck(path);
    },
  };
}

const PAGE = '.md';

/** Refuses names of new files that SilverBullet's editor could not open. Existing files stay reachable. */
export function assertPageName(path: NotePath): void {
  const extension = extensionOf(path);
  if (extension === '')
    throw invalid(path, 'has no extension, and SilverBullet does not show such files', `${path}${PAGE}`);
  const stem = path.slice(0, -extension.length);
  const problem = extension === PAGE ? pageNameProblem(stem) : fileNameProblem(stem);
  if (problem === undefined) return;
  const suggestion = suggestPageName(stem);
  throw invalid(path, problem, suggestion === undefined ? undefined : `${suggestion}${extension}`);
}

function invalid(path: NotePath, problem: string, suggestion: string | undefined): AppError {
  const next = suggestion === undefined ? 'Use another name.' : `Use "${suggestion}" instead.`;
  return new AppError('invalid_input', 'Invalid page name', {
    subject: path,
    hint: `SilverBullet could not open it: the name ${problem}. ${next}`,
  });
}

export interface Space {
  readonly client: SilverBulletClient;
  readonly reader: StableReader;
  readonly saver: Saver;
  readonly index: SpaceIndex;
  readonly gate: ReturnType<typeof createGate>;
  /** Serializes writers per page. */
  readonly queue: KeyedMutex;
  readonly log: Log;
  readonly keepsTrash: boolean;
  readonly anyName: boolean;
}

/** The page's current content, restored if it was damaged, and checked to be writable. */
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

/** For new pages: a name SilverBullet can open, and none that differs only in spelling from an existing page. */
export async function assertMayCreate({ index, anyName, client }: Space, path: NotePath): Promise<void> {
  // A page in the trash keeps the name it had.
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
  // The page may have been created while the listing was loading.
  if (await client.meta(path)) throw movedOn(path);
}

export function toMeta(path: NotePath, { size, lastModified, contentType }: RemoteMeta): NoteMeta {
  return { path, size, lastModified, contentType };
}

export function missing(path: NotePath): AppError {
  return new AppError('not_found', 'File not found', { subject: path });
}

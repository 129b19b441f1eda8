/**
 * Moves a folder with all that is in it, and keeps every link to and within it leading where it led. No file moves over
 * another one: one that cannot move stays where it is and is named in the answer. A store that can makes all of it one
 * change, up to a size.
 */
import { mapConcurrently } from '../../shared/async/semaphore.ts';
import { AppError, isAppError } from '../../shared/errors.ts';
import { nearest } from '../../shared/nearest.ts';
import { fitsOneChange } from '../one-change.ts';
import {
  type NotePath,
  parentOf,
  parseFolderPath,
  parseNotePath,
  pathKey,
  ROOT,
  shownPath,
} from '../path.ts';
import type { Notebook, NoteMeta } from '../store.ts';
import { relocate } from './links.ts';
import { linkTest, type MoveResult, moveWithLinks, notMoved, updateLinks } from './update-links.ts';

export interface FolderMove extends MoveResult {
  readonly from: NotePath;
  readonly to: NotePath;
  /** New paths of the files that moved, or would. */
  readonly moved: readonly NotePath[];
  /** What is left of the old folder: files that could not move, hidden ones, empty folders. */
  readonly leaves: boolean;
}

interface FolderRequest {
  readonly folder: string;
  readonly to: string;
  readonly dryRun: boolean;
}

export async function moveFolder(
  notebook: Pick<Notebook, 'files' | 'searcher'>,
  request: FolderRequest,
  signal?: AbortSignal,
): Promise<FolderMove> {
  const { files } = notebook;
  const before = await files.list({ signal });
  const plan = planOf(before, request);
  const together =
    files.changeAll && !request.dryRun && isOneChange(before, plan.moves)
      ? await moveWithLinks(notebook, files.changeAll, {
          plan: (metas) => planOf(metas, request).moves,
          signal,
        })
      : undefined;
  const { moves, ...links } =
    together ?? (await moveEach(notebook, before, plan.moves, request.dryRun, signal));
  return {
    ...links,
    from: plan.from,
    to: plan.to,
    moved: [...moves.values()].sort(),
    leaves: !request.dryRun && (await leavesFolder(files, plan.from, [...moves.keys()])),
  };
}

function planOf(metas: readonly NoteMeta[], { folder, to: target }: FolderRequest) {
  const from = folderAmong(metas, parseFolderPath(folder));
  const to = parseNotePath(target);
  assertTarget(metas, from, to);
  const inside = metas.map(({ path }) => path).filter((path) => path.startsWith(`${from}/`));
  return {
    from,
    to,
    moves: new Map(inside.map((path) => [path, (to + path.slice(from.length)) as NotePath])),
  };
}

function isOneChange(metas: readonly NoteMeta[], moves: Moves): boolean {
  const bytes = metas.reduce((sum, { path, size }) => (moves.has(path) ? sum + size : sum), 0);
  return fitsOneChange(moves.size, bytes);
}

type Moves = ReadonlyMap<NotePath, NotePath>;

async function moveEach(
  { files, searcher }: Pick<Notebook, 'files' | 'searcher'>,
  before: readonly NoteMeta[],
  planned: Moves,
  dryRun: boolean,
  signal: AbortSignal | undefined,
): Promise<MoveResult & { readonly moves: Moves }> {
  const inside = [...planned.keys()];
  const moves = new Map<NotePath, NotePath>();
  const failed: { path: NotePath; error: string }[] = [];
  let first: AppError | undefined;
  const mayHold = await linkTest(searcher, before, inside, signal);
  signal?.throwIfAborted();
  // A move that was begun is finished, with its links.
  const moveOne = async (path: NotePath) => {
    const target = planned.get(path)!;
    try {
      if (!dryRun) await relocate(files, path, target);
      moves.set(path, target);
    } catch (error) {
      if (!isAppError(error)) throw error;
      first ??= error;
      failed.push({ path, error: notMoved(error) });
    }
  };
  // The move that makes a folder is recorded before the others into it, so that an undo, which goes backwards, finds it empty.
  const [openers, others] = firstOfEachFolder(inside);
  for (const path of openers) await moveOne(path);
  await mapConcurrently(others, PARALLEL, moveOne);
  if (first && moves.size === 0) throw first;
  const links = await updateLinks({ files }, { moves, dryRun, mayHold }, before);
  return { moves, updated: links.updated, failed: [...failed, ...links.failed] };
}

const PARALLEL = 8;

function firstOfEachFolder(paths: readonly NotePath[]): [first: NotePath[], others: NotePath[]] {
  const seen = new Set<NotePath>();
  const [first, others]: [NotePath[], NotePath[]] = [[], []];
  for (const path of paths) {
    (seen.has(parentOf(path)) ? others : first).push(path);
    seen.add(parentOf(path));
  }
  return [first, others];
}

/** The folder in the spelling of the listing. */
function folderAmong(metas: readonly NoteMeta[], wanted: NotePath): NotePath {
  if (wanted === ROOT)
    throw new AppError('invalid_input', 'The notebook itself cannot be moved', {
      hint: 'Name a folder in it.',
    });
  const folders = foldersOf(metas);
  const found =
    (folders.has(wanted) ? wanted : undefined) ??
    [...folders].find((folder) => pathKey(folder) === pathKey(wanted));
  if (found !== undefined) return found;
  const near = nearest(wanted, [...folders]);
  throw new AppError('not_found', 'No such folder, or nothing is in it', {
    subject: shownPath(wanted),
    hint: near === undefined ? 'A single note is moved with move_note.' : `Did you mean ${near}?`,
  });
}

function foldersOf(metas: readonly NoteMeta[]): Set<NotePath> {
  const folders = new Set<NotePath>();
  for (const { path } of metas)
    for (let folder = parentOf(path); folder !== ROOT && !folders.has(folder); folder = parentOf(folder))
      folders.add(folder);
  return folders;
}

function assertTarget(metas: readonly NoteMeta[], from: NotePath, to: NotePath): void {
  const refuse = (title: string, hint: string, code: 'invalid_input' | 'already_exists' = 'invalid_input') =>
    new AppError(code, title, { subject: shownPath(to), hint: `${hint} Nothing was moved.` });
  if (to === from) throw refuse('The folder is there already', 'Give another path.');
  const [key, own] = [pathKey(to), pathKey(from)];
  if (key.startsWith(`${own}/`))
    throw refuse('A folder cannot go into itself', 'Choose a place outside of it.');
  if (key === own) return;
  const isTaken = metas.some(({ path }) => pathKey(path) === key || pathKey(path).startsWith(`${key}/`));
  if (isTaken)
    throw refuse(
      'The target exists',
      'Folders are not merged: choose a path that is free.',
      'already_exists',
    );
}

/** Removes the folders that are empty now. */
async function leavesFolder(
  files: Notebook['files'],
  from: NotePath,
  gone: readonly NotePath[],
): Promise<boolean> {
  const parents = new Map(gone.map((path) => [parentOf(path), path]));
  const deepest = [...parents.keys()].sort((a, b) => b.split('/').length - a.split('/').length);
  for (const folder of deepest) await files.pruneFolders?.(parents.get(folder)!, from);
  if (!files.listFolder) return false;
  return files.listFolder(from).then(
    () => true,
    (error: unknown) => {
      if (isAppError(error, 'not_found')) return false;
      throw error;
    },
  );
}

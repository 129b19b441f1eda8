/**
 * Moves a note and keeps every link that led to it, and every link it holds, leading where it led. The note
 * moves first; then each note with a link in need of change is edited on its own, so that one that cannot be
 * edited blocks nothing and is named in the answer.
 */

import { mapConcurrently } from '../../shared/async/semaphore.ts';
import { AppError, isAppError } from '../../shared/errors.ts';
import { rewriteCanvas } from '../links/canvas.ts';
import { createLinkResolver } from '../links/resolve.ts';
import { type RewriteContext, rewriteLinks } from '../links/rewrite.ts';
import { extensionOf, type NotePath, pathKey, stemOf } from '../path.ts';
import type { Notebook, NoteMeta } from '../store.ts';
import { textOf } from '../text/text.ts';
import { relocate } from './links.ts';
import { suggestingWhenMissing } from './read-note.ts';
import { updateNote } from './update-note.ts';

interface Move {
  readonly from: NotePath;
  readonly to: NotePath;
  readonly overwrite: boolean;
  readonly updateLinks: boolean;
  readonly dryRun: boolean;
  /** The version of the note at the new path that the caller has seen. */
  readonly expectedVersion?: string;
}

interface LinkUpdate {
  readonly path: NotePath;
  readonly links: number;
}

export interface MoveResult {
  readonly updated: readonly LinkUpdate[];
  /** Notes whose links could not be brought up to date, and why. */
  readonly failed: readonly { readonly path: NotePath; readonly error: string }[];
}

const LINKING = new Set(['.md', '.markdown', '.txt', '.canvas', '.mdx', '.qmd', '.org']);
const PARALLEL = 8;

export async function moveNote(notebook: Notebook, move: Move, signal?: AbortSignal): Promise<MoveResult> {
  const { from, to } = move;
  const { notes, files } = notebook;
  if (move.overwrite && !notes.move)
    throw new AppError('unsupported', 'A move cannot replace a note here', { subject: notes.name });
  await suggestingWhenMissing(notes, from, () => (notes.stat ?? notes.read)(from));
  if (from === to) return { updated: [], failed: [] };
  await assertTarget(notebook, move);
  const before = move.updateLinks ? await files.list({ signal }) : [];
  signal?.throwIfAborted();
  if (!move.dryRun) {
    if (notes.move) await notes.move(from, to, { overwrite: move.overwrite });
    else await relocate(notes, from, to, signal);
  }
  if (!move.updateLinks) return { updated: [], failed: [] };
  const moves = new Map([[spellingAmong(before, from), to]]);
  return updateLinks(
    notebook,
    { moves, dryRun: move.dryRun, replaced: move.overwrite ? to : undefined },
    before,
  );
}

/** The path as the listing has it: the one asked for may be in another Unicode form or, where that is one file, letter case. */
function spellingAmong(metas: readonly NoteMeta[], path: NotePath): NotePath {
  const isListed = (same: (listed: NotePath) => boolean) => metas.find((meta) => same(meta.path))?.path;
  return (
    isListed((listed) => listed === path) ??
    isListed((listed) => listed.normalize('NFC') === path.normalize('NFC')) ??
    isListed((listed) => pathKey(listed) === pathKey(path)) ??
    path
  );
}

async function assertTarget({ notes, keepsAll, guard }: Notebook, move: Move): Promise<void> {
  const { from, to, overwrite } = move;
  if (overwrite && keepsAll) {
    throw new AppError('read_only', 'Overwriting is switched off', {
      subject: to,
      hint: 'This notebook is served with --no-delete. Choose a newPath that is free.',
    });
  }
  const taken = await (notes.stat ?? notes.read)(to).catch((error: unknown) => {
    if (isAppError(error, 'not_found')) return undefined;
    throw error;
  });
  if (taken && overwrite && guard) await guard.assertSeen(to, await notes.read(to), move.expectedVersion);
  if (taken && !overwrite && pathKey(from) !== pathKey(to)) {
    throw new AppError('already_exists', 'Target file already exists', {
      subject: to,
      hint: 'Use overwrite=true to replace it, or choose another newPath.',
    });
  }
}

interface LinkMoves {
  /** Old and new path of every file that moved, or would. */
  readonly moves: ReadonlyMap<NotePath, NotePath>;
  readonly dryRun: boolean;
  /** A note that another one took the place of. */
  readonly replaced?: NotePath;
  /** False for files that are known to hold no link that could change; else all are read. */
  readonly mayHold?: (path: NotePath) => boolean;
}

/** Brings all links up to date after files moved. `metas` is the listing before. */
export async function updateLinks(
  { files }: Pick<Notebook, 'files'>,
  { moves, dryRun, replaced, mayHold = () => true }: LinkMoves,
  metas: readonly NoteMeta[],
): Promise<MoveResult> {
  const paths = metas.map((meta) => meta.path);
  const moved = (path: NotePath): NotePath => moves.get(path) ?? path;
  const before = createLinkResolver(paths);
  const after = createLinkResolver(new Set(paths.map(moved)));
  const mayLink = linkCandidate([...moves].flat());
  const updated: LinkUpdate[] = [];
  const failed: { path: NotePath; error: string }[] = [];

  const updateOne = async (from: NotePath): Promise<void> => {
    const to = moved(from);
    const at = dryRun ? from : to;
    const context: RewriteContext = { from, to, before, after, moved };
    let links = 0;
    let stale = 0;
    const compute = async (bytes: Uint8Array): Promise<string | undefined> => {
      links = stale = 0;
      if (!moves.has(from) && !mayLink(bytes)) return undefined;
      const text = textOf({ path: at, bytes });
      const rewritten =
        extensionOf(from) === '.canvas' ? rewriteCanvas(text, context) : rewriteLinks(text, context);
      links = rewritten.count;
      stale = rewritten.stale;
      return rewritten.count > 0 && rewritten.text !== text ? rewritten.text : undefined;
    };
    try {
      if (dryRun) await compute((await files.read(at)).bytes);
      else await updateNote(files, at, async (note) => (note ? compute(note.bytes) : undefined));
      if (links > 0) updated.push({ path: to, links });
      if (stale > 0)
        failed.push({ path: to, error: `${stale} link${stale === 1 ? '' : 's'} cannot hold the new name` });
    } catch (error) {
      if (!isAppError(error)) throw error;
      if (error.code !== 'unsupported' || moves.has(from)) failed.push({ path: to, error: error.message });
      else failed.push({ path: to, error: `${error.title}: its links were not updated` });
    }
  };

  const sources = paths.filter(
    (path) => LINKING.has(extensionOf(path)) && path !== replaced && (moves.has(path) || mayHold(path)),
  );
  await mapConcurrently(sources, PARALLEL, updateOne);
  const byPath = (a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : 1);
  return { updated: updated.sort(byPath), failed: failed.sort(byPath) };
}

/** More names than this are not looked for one by one: then any link makes a candidate. */
const MOST_NAMES = 24;

/** A quick look that spares most notes the full scan: a link must name one of the notes somehow. */
function linkCandidate(paths: readonly NotePath[]): (bytes: Uint8Array) => boolean {
  const stems = [...new Set(paths.map((path) => pathKey(stemOf(path))))];
  const isPlain = stems.length <= MOST_NAMES && stems.every((stem) => /^[\w.-]*$/.test(stem));
  return (bytes) => {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1').toLowerCase();
    if (isPlain && stems.some((stem) => text.includes(stem))) return true;
    // Escapes and other Unicode forms can spell a name in several ways; then any link makes a candidate.
    if (isPlain && !/[\\%]/.test(text)) return false;
    return text.includes('[[') || text.includes('](') || text.includes(']:') || text.includes('"file"');
  };
}

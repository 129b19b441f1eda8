/** Brings links up to date when files move: each file on its own, or all together with the move where the store can. */
import { mapConcurrently } from '../../shared/async/semaphore.ts';
import { type AppError, isAppError } from '../../shared/errors.ts';
import { rewriteCanvas } from '../links/canvas.ts';
import { createLinkResolver } from '../links/resolve.ts';
import { type RewriteContext, rewriteLinks } from '../links/rewrite.ts';
import { fitsOneChange } from '../one-change.ts';
import { extensionOf, type NotePath, nameOf, pathKey, stemOf } from '../path.ts';
import type { JointChange, Notebook, NoteMeta, NoteStore } from '../store.ts';
import { textOf } from '../text/text.ts';
import { readIfThere, updateNote } from './update-note.ts';

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
/** Of a store that reads many at once. */
const PARALLEL_READS = 64;

interface LinkMoves {
  /** Old and new path of every file that moved, or would. */
  readonly moves: ReadonlyMap<NotePath, NotePath>;
  /** A note that another one took the place of. */
  readonly replaced?: NotePath;
  /** False for files that are known to hold no link that could change; else all are read. */
  readonly mayHold?: (path: NotePath) => boolean;
}

/** Finds and rewrites the links that moves change. `metas` is the listing before. */
function linkRewriter({ moves, replaced, mayHold = () => true }: LinkMoves, metas: readonly NoteMeta[]) {
  const paths = metas.map((meta) => meta.path);
  const moved = (path: NotePath): NotePath => moves.get(path) ?? path;
  const before = createLinkResolver(paths);
  const after = createLinkResolver(new Set(paths.map(moved)));
  const mayLink = linkCandidate([...moves].flat());
  return {
    moved,
    /** The files whose links may have to change, by their paths before. */
    sources: paths.filter(
      (path) => LINKING.has(extensionOf(path)) && path !== replaced && (moves.has(path) || mayHold(path)),
    ),
    /** `at` is where the file is now. The text is undefined when it stays as it is. */
    rewrite(from: NotePath, at: NotePath, bytes: Uint8Array): Rewritten {
      if (!moves.has(from) && !mayLink(bytes)) return { links: 0, stale: 0 };
      const context: RewriteContext = { from, to: moved(from), before, after, moved };
      const text = textOf({ path: at, bytes });
      const {
        count,
        stale,
        text: result,
      } = extensionOf(from) === '.canvas' ? rewriteCanvas(text, context) : rewriteLinks(text, context);
      return { links: count, stale, text: count > 0 && result !== text ? result : undefined };
    },
  };
}

interface Rewritten {
  readonly links: number;
  /** Links that cannot hold the new name. */
  readonly stale: number;
  readonly text?: string | undefined;
}

/** Collects what became of each file, for the answer. */
function createTally(moves: LinkMoves['moves']) {
  const updated: LinkUpdate[] = [];
  const failed: { path: NotePath; error: string }[] = [];
  const byPath = (a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : 1);
  return {
    done(path: NotePath, { links, stale }: Rewritten): void {
      if (links > 0) updated.push({ path, links });
      if (stale > 0)
        failed.push({ path, error: `${stale} link${stale === 1 ? '' : 's'} cannot hold the new name` });
    },
    stays(path: NotePath, error: AppError): void {
      failed.push({ path, error: notMoved(error) });
    },
    failed(from: NotePath, path: NotePath, error: unknown): void {
      if (!isAppError(error)) throw error;
      if (error.code !== 'unsupported' || moves.has(from)) failed.push({ path, error: error.message });
      else failed.push({ path, error: `${error.title}: its links were not updated` });
    },
    result: (): MoveResult => ({ updated: updated.sort(byPath), failed: failed.sort(byPath) }),
  };
}

/** Brings all links up to date after files moved, each file on its own. */
export async function updateLinks(
  { files }: Pick<Notebook, 'files'>,
  links: LinkMoves & { readonly dryRun: boolean },
  metas: readonly NoteMeta[],
): Promise<MoveResult> {
  const { sources, moved, rewrite } = linkRewriter(links, metas);
  const tally = createTally(links.moves);
  await mapConcurrently(sources, PARALLEL, async (from) => {
    const to = moved(from);
    const at = links.dryRun ? from : to;
    let rewritten: Rewritten = { links: 0, stale: 0 };
    try {
      if (links.dryRun) rewritten = rewrite(from, at, (await files.read(at)).bytes);
      else
        await updateNote(files, at, async (note) => {
          rewritten = note ? rewrite(from, at, note.bytes) : { links: 0, stale: 0 };
          return rewritten.text;
        });
      tally.done(to, rewritten);
    } catch (error) {
      tally.failed(from, to, error);
    }
  });
  return tally.result();
}

/** How often moves and their links are planned anew because a note changed meanwhile, or must stay as it is. */
const MOST_PLANS = 5;

type Moves = ReadonlyMap<NotePath, NotePath>;

interface JointMove {
  /** Old and new path of every file that shall move, as the notebook is now. Asked again when it changed meanwhile. */
  readonly plan: (metas: readonly NoteMeta[]) => Moves;
  /** The note that a single move replaces; asked again, too. */
  readonly replaced?: () => Promise<ReplacedNote | undefined>;
  readonly signal?: AbortSignal | undefined;
}

export interface ReplacedNote {
  readonly path: NotePath;
  /** Undefined when it is too large to be read as a note. */
  readonly version?: string;
}

/**
 * Moves files together with all links to them and in them, in one change of the store: whoever looks sees all of it or
 * nothing. Notes whose links cannot be edited block nothing, and are named in the answer. Undefined, with nothing
 * changed, when it is too much for one change, or when notes go on changing meanwhile.
 */
export async function moveWithLinks(
  { files, searcher }: Pick<Notebook, 'files' | 'searcher'>,
  changeAll: NonNullable<NoteStore['changeAll']>,
  { plan: planMoves, replaced: findReplaced, signal }: JointMove,
): Promise<(MoveResult & { readonly moves: Moves }) | undefined> {
  /** Files that must stay where they are, and notes whose links must stay as they are, and why. */
  const [unmovable, locked] = [new Map<NotePath, AppError>(), new Map<NotePath, AppError>()];
  for (let plan = 1; plan <= MOST_PLANS; plan++) {
    const metas = await files.list({ signal });
    const moves = new Map([...planMoves(metas)].filter(([from]) => !unmovable.has(from)));
    const mayHold = await linkTest(searcher, metas, [...moves].flat(), signal);
    const replaced = await findReplaced?.();
    const links = { moves, replaced: replaced && spellingAmong(metas, replaced.path), mayHold };
    const { sources, moved, rewrite } = linkRewriter(links, metas);
    const tally = createTally(moves);
    for (const [from, error] of unmovable) tally.stays(from, error);
    const linking = new Set(sources);
    const versions = new Map<NotePath, string>();
    const writes: Extract<JointChange, { kind: 'write' }>[] = [];
    let bytes = 0;
    const isTooMuch = () => !fitsOneChange(moves.size + writes.length, bytes);
    try {
      await mapConcurrently([...new Set([...moves.keys(), ...sources])], PARALLEL_READS, async (source) => {
        signal?.throwIfAborted();
        if (isTooMuch()) return;
        const path = moved(source);
        try {
          const note = await (moves.has(source) ? files.read(source) : readIfThere(files, source));
          if (!note) return;
          versions.set(source, note.version);
          if (!linking.has(source)) return;
          const rewritten = rewrite(source, source, note.bytes);
          const error = rewritten.text !== undefined && locked.get(path);
          if (error) return tally.failed(source, path, error);
          if (rewritten.text !== undefined) {
            const content = Buffer.from(rewritten.text);
            writes.push({ kind: 'write', path, content, ifVersion: note.version });
            bytes += content.length;
          }
          tally.done(path, rewritten);
        } catch (error) {
          if (moves.has(source) && isAppError(error, 'not_found')) throw error;
          // Too large to be read as a note, and movable all the same.
          if (linking.has(source) || !isAppError(error, 'unsupported')) tally.failed(source, path, error);
        }
      });
      if (isTooMuch()) return undefined;
      const overwriting = { overwrite: replaced !== undefined, replaces: replaced?.version };
      const relocations = [...moves].map(
        ([from, to]): JointChange => ({
          kind: 'move',
          from,
          to,
          ifVersion: versions.get(from),
          ...overwriting,
        }),
      );
      await changeAll([...relocations, ...writes]);
      return { ...tally.result(), moves };
    } catch (error) {
      if (!isAppError(error)) throw error;
      const subject = (error.details.path ?? error.subject) as NotePath;
      // When the one file that was asked for is gone, nothing is left to be moved.
      const isGone = error.code === 'not_found' && moves.size === 1 && moves.has(subject);
      if (error.code === 'conflict' || (error.code === 'not_found' && !isGone)) continue;
      // Another note has come to where the one that gives way shall be.
      if (error.code === 'already_exists' && findReplaced) continue;
      if (!REFUSALS.has(error.code)) throw error;
      const [mover] = [...moves].find((pair) => pair.includes(subject)) ?? [];
      if (mover !== undefined && moves.size > 1) unmovable.set(mover, error);
      else if (mover === undefined && writes.some(({ path }) => path === subject)) locked.set(subject, error);
      else throw error;
    }
  }
  return undefined;
}

/** What is said of one file, and of no other. */
const REFUSALS = new Set(['invalid_input', 'forbidden', 'already_exists', 'unsupported']);

export const notMoved = (error: AppError) => `not moved: ${error.message}`;

/**
 * Whether a file may hold a link that a move changes: one that names a moved file, whether it leads there or could lead
 * there then. The index knows the links of notes; whatever it has not read as it is now is read.
 */
export async function linkTest(
  searcher: Notebook['searcher'],
  before: readonly NoteMeta[],
  inside: readonly NotePath[],
  signal?: AbortSignal,
): Promise<(path: NotePath) => boolean> {
  let isWhole = true;
  const onWarning = () => {
    isWhole = false;
  };
  const graph = await searcher.links({ signal, onWarning });
  const indexed = new Map((await searcher.notes({ signal, onWarning })).map((note) => [note.path, note]));
  if (!isWhole) return () => true;
  const names = new Set(inside.flatMap((path) => [pathKey(nameOf(path)), pathKey(stemOf(path))]));
  const current = new Set(
    before.flatMap(({ path, size, lastModified }) => {
      const note = indexed.get(path);
      return note && note.size === size && note.lastModified === lastModified ? path : [];
    }),
  );
  return (path) =>
    !current.has(path) || graph.outgoing(path).some(({ target }) => names.has(pathKey(nameOf(target))));
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

/** The path as the listing has it: the one asked for may be in another Unicode form or, where that is one file, letter case. */
export function spellingAmong(metas: readonly NoteMeta[], path: NotePath): NotePath {
  const isListed = (same: (listed: NotePath) => boolean) => metas.find((meta) => same(meta.path))?.path;
  return (
    isListed((listed) => listed === path) ??
    isListed((listed) => listed.normalize('NFC') === path.normalize('NFC')) ??
    isListed((listed) => pathKey(listed) === pathKey(path)) ??
    path
  );
}

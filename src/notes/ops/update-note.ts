/**
 * The one way a note is changed: read, compute, write if it is still what was read. Edits of one note queue
 * up inside the process; when another process or an editor came first, the edit is computed anew on its text.
 */

import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { KeyedMutex } from '../../shared/async/keyed-mutex.ts';
import { AppError, isAppError } from '../../shared/errors.ts';
import type { TtlCache } from '../../shared/memoize.ts';
import { parseFrontmatter } from '../frontmatter/parse.ts';
import { ruleProblems } from '../frontmatter/rules.ts';
import { takesFrontmatter } from '../frontmatter/values.ts';
import type { BlockInsertion } from '../insert-block.ts';
import { type NotePath, pathKey } from '../path.ts';
import type { Note, Notebook, NoteStore, WrittenNote } from '../store.ts';
import { textOf } from '../text/text.ts';
import { missing } from './read-note.ts';

/** How often an edit is computed anew, and how long it waits before that at the most. */
interface RetryPolicy {
  readonly tries: number;
  /** A random part of it, so that two who collide do not collide again. */
  readonly pauseMs: number;
}

const USUAL: RetryPolicy = { tries: 12, pauseMs: 0 };
/** The mutexes of a store live as long as the store. A member of it would be a new mutex in every wrapper. */
const queues = new WeakMap<NoteStore, KeyedMutex>();

/**
 * `compute` gets the note as it stands, or undefined when there is none, and returns its new text, or
 * undefined to leave it. It may run several times. Resolves to what was written, undefined for nothing.
 */
export function updateNote(
  store: NoteStore,
  path: NotePath,
  compute: (current: Note | undefined) => Promise<string | undefined>,
  signal?: AbortSignal,
  patience: RetryPolicy = USUAL,
): Promise<WrittenNote | undefined> {
  return queueOf(store).run(pathKey(path), async () => {
    for (let attempt = 1; ; attempt++) {
      signal?.throwIfAborted();
      const current = await readIfThere(store, path);
      const text = await compute(current);
      if (text === undefined) return undefined;
      try {
        return await store.write(path, text, { ifVersion: current?.version ?? null });
      } catch (error) {
        const overtaken =
          isAppError(error, 'conflict') ||
          isAppError(error, 'already_exists') ||
          (current && isAppError(error, 'not_found'));
        if (!overtaken || attempt === patience.tries) throw error;
        if (patience.pauseMs > 0) await sleep(Math.random() * patience.pauseMs * attempt);
      }
    }
  });
}

function queueOf(view: NoteStore): KeyedMutex {
  const store = view.base ?? view;
  const queue = queues.get(store) ?? new KeyedMutex();
  queues.set(store, queue);
  return queue;
}

export async function readIfThere(store: NoteStore, path: NotePath): Promise<Note | undefined> {
  try {
    return await store.read(path);
  } catch (error) {
    if (isAppError(error, 'not_found')) return undefined;
    throw error;
  }
}

/** For edits of notes that must exist. */
export function existing(path: NotePath, note: Note | undefined): Note {
  if (!note) throw missing(path);
  return note;
}

interface TextEdit {
  readonly before: string;
  readonly after: string;
  /** Absent when nothing was written. */
  readonly version?: string;
}

/**
 * Edits the text of a note that must exist. `edit` returns the new text, which must keep the notebook's rules, or
 * undefined to leave the note. Equal text is not written.
 */
export async function editText(
  { notes, rules }: Pick<Notebook, 'notes' | 'rules'>,
  path: NotePath,
  edit: (text: string, note: Note) => Promise<string | undefined> | string | undefined,
  { dryRun = false, signal }: { readonly dryRun?: boolean; readonly signal?: AbortSignal } = {},
): Promise<TextEdit> {
  let result = { before: '', after: '' };
  const compute = async (current: Note | undefined): Promise<string | undefined> => {
    const note = existing(path, current);
    const before = textOf(note);
    const after = await edit(before, note);
    if (after !== undefined) await assertRules({ rules }, path, after);
    result = { before, after: after ?? before };
    return dryRun || after === before ? undefined : after;
  };
  const written = await updateNote(notes, path, compute, signal);
  return { ...result, version: written?.version };
}

/** Refuses a change whose frontmatter breaks the notebook's own rules or stops being YAML. */
export async function assertRules(
  notebook: Pick<Notebook, 'rules'>,
  path: NotePath,
  text: string,
): Promise<void> {
  if (notebook.rules.length === 0 || !takesFrontmatter(path)) return;
  const { data, problem } = await parseFrontmatter(text);
  const problems = problem === undefined ? ruleProblems(notebook.rules, path, data) : [problem];
  if (problems.length > 0) {
    throw new AppError('invalid_input', 'Invalid frontmatter', {
      subject: problems.join('; '),
      hint: 'Nothing was changed. The notebook has rules for its frontmatter.',
    });
  }
}

/** An edit must not turn readable frontmatter into something that is not. */
export async function assertStillReadable(path: NotePath, before: string, after: string): Promise<void> {
  if (!takesFrontmatter(path)) return;
  const then = await parseFrontmatter(before);
  if (then.problem !== undefined) return;
  const now = await parseFrontmatter(after);
  if (now.problem !== undefined) {
    throw new AppError('invalid_input', 'Invalid frontmatter', {
      subject: now.problem,
      hint: 'Nothing was changed. The edit would leave frontmatter that is not valid YAML.',
    });
  }
}

interface Insertion {
  /** Whether the block is already at its place. */
  readonly isIn: (text: string) => boolean;
  /** How often the block stands in the note, wherever. */
  readonly countIn: (text: string) => number;
  readonly insert: (text: string) => BlockInsertion;
  /** Throws when the note would become too large. */
  readonly assertSize: (text: string) => void;
}

export interface InsertAttempt {
  /** Hash of the whole note as it should be then. */
  readonly result: string;
  /** The block can only stand there because of this attempt. */
  readonly isSure: boolean;
  /** How often the block stood in the note before. */
  readonly countBefore: number;
  /** True until the write is acknowledged: it may have happened or not. */
  readonly isOpen: boolean;
}

export interface InsertResult {
  readonly deduplicated: boolean;
  readonly afterFrontmatter: boolean;
}

const PATIENCE = { tries: 6, pauseMs: 60 };

/**
 * Adds a block of text to a note that the caller need not have read. A call repeated because its answer was lost adds
 * nothing: attempts are remembered for a while, and recognized by the block being at its place.
 */
export async function insertIntoNote(
  notebook: Pick<Notebook, 'notes' | 'rules'>,
  path: NotePath,
  insertion: Insertion,
  repeat: { readonly key: string; readonly recent: TtlCache<InsertAttempt> },
  signal?: AbortSignal,
): Promise<InsertResult> {
  const { key, recent } = repeat;
  let result: InsertResult = { deduplicated: false, afterFrontmatter: false };
  let attempt: InsertAttempt | undefined;
  const compute = async (text: string): Promise<string | undefined> => {
    const before = recent.get(key);
    const isThere = insertion.isIn(text);
    const count = insertion.countIn(text);
    const { text: after, afterFrontmatter } = insertion.insert(text);
    // Others may have added to the note since; one more of the block than before is then ours.
    const hasLanded = before?.isOpen === true && count > before.countBefore;
    const deduplicated =
      hasLanded || (isThere && before !== undefined && (before.isSure || before.result === hashOf(text)));
    result = { deduplicated, afterFrontmatter };
    if (deduplicated) return undefined;
    insertion.assertSize(after);
    await assertRules(notebook, path, after);
    attempt = { result: hashOf(after), isSure: !isThere, countBefore: count, isOpen: true };
    // Before the write, so that one that was not acknowledged is recognized too.
    recent.set(key, attempt);
    return after;
  };
  const written = await updateNote(
    notebook.notes,
    path,
    async (current) => compute(textOf(existing(path, current))),
    signal,
    PATIENCE,
  );
  const last = attempt ?? recent.get(key);
  if (last && (written || last.isOpen))
    recent.set(key, { ...last, isSure: last.isSure || written !== undefined, isOpen: false });
  return result;
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

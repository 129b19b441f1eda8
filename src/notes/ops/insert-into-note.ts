/**
 * Adds a block of text to a note without anybody having read it. A call that is repeated, because its answer
 * was lost, adds nothing a second time: what was tried is remembered for a while, and recognised by the block
 * standing where it was put.
 */
import { createHash } from 'node:crypto';
import type { TtlCache } from '../../shared/memoize.ts';
import type { BlockInsertion } from '../insert-block.ts';
import type { Notebook } from '../notebook.ts';
import type { NotePath } from '../path.ts';
import { textOf } from '../text/text.ts';
import { assertRules, existing, updateNote } from './update-note.ts';

interface Insertion {
  /** Whether the block stands where it would be put. */
  readonly isIn: (text: string) => boolean;
  /** How often the block stands in the note, wherever. */
  readonly countIn: (text: string) => number;
  readonly insert: (text: string) => BlockInsertion;
  /** Throws when the note would become too large. */
  readonly assertSize: (text: string) => void;
}

/** What is remembered of an attempt. */
export interface InsertAttempt {
  /** Hash of the whole note as it should be then. */
  readonly result: string;
  /** The block can only stand there because of this attempt. */
  readonly isSure: boolean;
  /** How often the block stood in the note before. */
  readonly countBefore: number;
  /** Nobody was told that it worked, and it may have worked all the same. */
  readonly isOpen: boolean;
}

export interface InsertResult {
  readonly deduplicated: boolean;
  readonly afterFrontmatter: boolean;
}

const PATIENCE = { tries: 6, pauseMs: 60 };

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
    // Before the write, so that one that was written without an answer is recognised too.
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

/** Finds the changes of notes that were not made through Quire, by the texts before and after those that were. */
import type { Change, RecordedEdit } from './change.ts';
import type { TextHash } from './text-pack.ts';

/** A note was changed outside Quire between two of our changes. */
export interface OutsideChange {
  readonly path: string;
  /** The change that found the note other than the one before had left it. */
  readonly foundBy: string;
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly until: number;
}

/** Changes of two processes that overlap in time are not always recorded in the order in which they were made. */
const OVERLAP_MS = 10_000;

interface LastText {
  /** Undefined where our change left no note. */
  readonly text: TextHash | undefined;
  readonly at: number;
}

export function outsideChanges(changes: readonly Change[]): OutsideChange[] {
  const oldestFirst = [...changes].sort((a, b) => (a.id < b.id ? -1 : 1));
  const found: OutsideChange[] = [];
  const last = new Map<string, LastText>();
  const wasLeftNear = textsLeft(oldestFirst);
  for (const { id, at, edits } of oldestFirst)
    for (const edit of edits) {
      const compare = (path: string, text: TextHash | undefined) => {
        const known = last.get(keyOf(edit, path));
        if (!known || known.text === text || wasLeftNear(keyOf(edit, path), text, at)) return;
        found.push({ path, foundBy: id, since: known.at, until: at });
      };
      const { path, to, kind } = edit;
      if (edit.state !== 'done') {
        last.delete(keyOf(edit, path));
        if (to !== undefined) last.delete(keyOf(edit, to));
      } else if (kind === 'move' && to !== undefined) {
        if (edit.before !== undefined) compare(path, edit.before);
        if (edit.replaced !== undefined) compare(to, edit.replaced);
        const { text = edit.after } = last.get(keyOf(edit, path)) ?? {};
        last.set(keyOf(edit, path), { text: undefined, at });
        if (text === undefined) last.delete(keyOf(edit, to));
        else last.set(keyOf(edit, to), { text: edit.after ?? text, at });
      } else {
        compare(path, edit.before);
        // The state of what a server made may lack what the server chose.
        if (edit.form !== undefined && kind === 'create') last.delete(keyOf(edit, path));
        else last.set(keyOf(edit, path), { text: edit.after, at });
      }
    }
  return found;
}

/** States of another form than texts are compared among themselves, part by part. */
function keyOf({ form = '', part = '' }: RecordedEdit, path: string): string {
  return `${form} ${part} ${path}`;
}

function textsLeft(changes: readonly Change[]) {
  const times = new Map<string, number[]>();
  for (const { at, edits } of changes)
    for (const edit of edits) {
      const key = `${keyOf(edit, edit.path)} ${edit.after}`;
      times.set(key, [...(times.get(key) ?? []), at]);
    }
  return (key: string, text: TextHash | undefined, at: number): boolean =>
    (times.get(`${key} ${text}`) ?? []).some((time) => time !== at && Math.abs(time - at) < OVERLAP_MS);
}

/** Creates notes, and replaces notes that a caller has read. A call repeated because its answer was lost does no harm. */
import { AppError, isAppError } from '../../shared/errors.ts';
import type { TtlCache } from '../../shared/memoize.ts';
import type { NotePath } from '../path.ts';
import type { Note, Notebook, WrittenNote } from '../store.ts';
import { textOf } from '../text/text.ts';
import { assertRules, readIfThere } from './update-note.ts';

export async function createNote(
  { notes, rules }: Pick<Notebook, 'notes' | 'rules'>,
  path: NotePath,
  text: string,
  repeat: { readonly key: string; readonly recent: TtlCache<true> },
): Promise<{ note: WrittenNote; deduplicated: boolean }> {
  await assertRules({ rules }, path, text);
  const { key, recent } = repeat;
  const isRepeat = recent.get(key) === true;
  try {
    const writing = notes.write(path, text, { ifVersion: null });
    // Before the result, so that a note whose creation was not acknowledged is recognized too.
    recent.set(key, true);
    return { note: await writing, deduplicated: false };
  } catch (error) {
    if (!isAppError(error, 'already_exists')) throw error;
    const current = isRepeat ? await readIfThere(notes, path) : undefined;
    if (current && Buffer.compare(current.bytes, Buffer.from(text)) === 0)
      return { note: current, deduplicated: true };
    if (!isRepeat) recent.delete(key);
    throw error;
  }
}

type MarkerVerdict =
  /** Issued by this process, for this version. */
  | { readonly kind: 'issued'; readonly version: string }
  /** Markers of the page were issued, but not this one to this caller. */
  | { readonly kind: 'foreign' }
  /** No marker of the page was issued, as after a restart. */
  | { readonly kind: 'unknown' };

const MOST = 10_000;

/**
 * Version markers: the modification time of a page, given to a caller with its text. The version each one stands for
 * is remembered, so that a bare number is never trusted for a known page: clocks are coarse, times repeat, and a
 * number may come from elsewhere.
 */
export class VersionMarkers {
  readonly #most: number;
  /** Oldest first. */
  readonly #issued = new Map<string, { readonly path: NotePath; readonly version: string }>();
  readonly #perPage = new Map<NotePath, number>();

  constructor(most: number = MOST) {
    this.#most = most;
  }

  get size(): number {
    return this.#issued.size;
  }

  /** The marker of the version that `caller` has just read; different versions get different ones, even within one tick. */
  issue(caller: string, seen: Pick<WrittenNote, 'path' | 'lastModified' | 'version'>): number {
    const { path, version } = seen;
    let marker = seen.lastModified;
    while ((this.#issued.get(keyOf(caller, path, marker))?.version ?? version) !== version) marker++;
    const key = keyOf(caller, path, marker);
    if (!this.#issued.delete(key)) this.#perPage.set(path, (this.#perPage.get(path) ?? 0) + 1);
    this.#issued.set(key, { path, version });
    this.#forgetOldest();
    return marker;
  }

  judge(caller: string, path: NotePath, marker: number): MarkerVerdict {
    const issued = this.#issued.get(keyOf(caller, path, marker));
    if (issued) return { kind: 'issued', version: issued.version };
    return { kind: this.#perPage.has(path) ? 'foreign' : 'unknown' };
  }

  #forgetOldest(): void {
    for (const [key, { path }] of this.#issued) {
      if (this.#issued.size <= this.#most) return;
      this.#issued.delete(key);
      const left = (this.#perPage.get(path) ?? 1) - 1;
      if (left > 0) this.#perPage.set(path, left);
      else this.#perPage.delete(path);
    }
  }
}

function keyOf(caller: string, path: NotePath, marker: number): string {
  return JSON.stringify([caller, path, marker]);
}

interface ReplaceRequest {
  readonly text: string;
  /** The version marker that the caller got with the text it has read. */
  readonly marker: number;
  readonly caller: string;
}

interface ReplaceResult {
  readonly note: WrittenNote;
  /** True when the note had this text already, and nothing was written. */
  readonly unchanged: boolean;
}

export async function replaceSeen(
  { notes, rules, guard }: Pick<Notebook, 'notes' | 'rules' | 'guard'>,
  path: NotePath,
  replacing: ReplaceRequest,
  markers: VersionMarkers,
): Promise<ReplaceResult> {
  const current = await notes.read(path);
  if (textOf(current) === replacing.text) return { note: current, unchanged: true };
  const version = await seenVersion(current, replacing, { markers, guard });
  if (version !== current.version)
    throw new AppError('conflict', 'Note changed meanwhile', { subject: path });
  await assertRules({ rules }, path, replacing.text);
  return { note: await notes.write(path, replacing.text, { ifVersion: version }), unchanged: false };
}

/**
 * A modification time is accepted as a marker only while none of the page was issued, as after a restart, or when the
 * session was shown this very version: another server may have issued it.
 */
async function seenVersion(
  current: Note,
  { caller, marker }: ReplaceRequest,
  { markers, guard }: { readonly markers: VersionMarkers } & Pick<Notebook, 'guard'>,
): Promise<string | undefined> {
  const verdict = markers.judge(caller, current.path, marker);
  if (verdict.kind === 'issued') return verdict.version;
  if (current.lastModified !== marker) return undefined;
  const isShown = verdict.kind === 'unknown' || (await guard?.seen(current.path)) === current.version;
  return isShown ? current.version : undefined;
}

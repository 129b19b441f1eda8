/**
 * Keeps a session from replacing text that it has not seen: it remembers the version of every note that it was shown,
 * and refuses to replace or remove a note that has another one by now.
 */
import { AppError } from '../shared/errors.ts';
import { LruMap } from '../shared/memoize.ts';
import type { NotePath } from './path.ts';
import type { Note, NoteStore, OverwriteGuard } from './store.ts';

/** `seen` also refuses to replace notes that the session was never shown; `free` refuses nothing. */
export type OverwritePolicy = 'guarded' | 'seen' | 'free';

const MOST_NOTES = 5_000;
/** Texts are kept to show a difference; all sessions together, so that they stay few. */
const MOST_TEXT_BYTES = 2 * 1024 * 1024;
const LONGEST_TEXT = 128 * 1024;

/**
 * The versions that one session was shown, by the path in the composed form of Unicode (NFC): a store may know a note in
 * one form and be asked for it in another. Two notes may differ in letter case alone.
 */
export interface SeenVersions {
  get(path: NotePath): Promise<string | undefined>;
  /** What a server has not told the others yet is there when this resolves; undefined where there are no others. */
  readonly settled?: () => Promise<void>;
  /** All that change something never reject, and resolve when every server knows. */
  set(path: NotePath, version: string): Promise<void>;
  /** As `set`, for what was read: other servers know soon, and nobody waits for it. */
  note(path: NotePath, version: string): void;
  /** Only over this version. */
  replace(path: NotePath, before: string, after: string): Promise<void>;
  delete(path: NotePath): Promise<void>;
}

/** Versions that this process remembers. */
export function createSeenVersions(): SeenVersions {
  const versions = new LruMap<string>(MOST_NOTES);
  return {
    get: async (path) => versions.get(path),
    set: async (path, version) => versions.set(path, version),
    note: (path, version) => versions.set(path, version),
    replace: async (path, before, after) => {
      if (versions.get(path) === before) versions.set(path, after);
    },
    delete: async (path) => void versions.delete(path),
  };
}

/** Texts of notes that were shown lately, by version. */
export class RecentTexts {
  readonly #texts = new Map<string, Uint8Array>();
  #bytes = 0;

  get(version: string): Uint8Array | undefined {
    return this.#texts.get(version);
  }

  set(version: string, text: Uint8Array): void {
    if (text.length > LONGEST_TEXT || this.#texts.has(version)) return;
    this.#texts.set(version, text);
    this.#bytes += text.length;
    for (const [oldest, { length }] of this.#texts) {
      if (this.#bytes <= MOST_TEXT_BYTES) break;
      this.#texts.delete(oldest);
      this.#bytes -= length;
    }
  }
}

interface GuardParts {
  readonly policy: OverwritePolicy;
  readonly seen: SeenVersions;
  readonly texts: RecentTexts;
  /** Who made the note what it is now, for a message: "the client Claude 1.2", "a program outside Quire". */
  readonly authorOf: (note: Note) => Promise<string>;
  /** The text of a note with a line for each piece that a difference is shown by. */
  readonly linesOf?: (text: string) => string;
}

export function createOverwriteGuard(parts: GuardParts): OverwriteGuard {
  const { policy, texts, authorOf, linesOf = (text: string) => text } = parts;
  const seen = byComposedPath(parts.seen);
  const differenceTo = async (version: string, current: Note): Promise<string> => {
    const before = texts.get(version);
    return before ? shortDiff(linesOf(textOfBytes(before)), linesOf(textOfBytes(current.bytes))) : '';
  };
  const shown: OverwriteGuard['shown'] = async ({ path, version, bytes }) => {
    if (bytes) texts.set(version, bytes);
    if (policy !== 'free') seen.note(path, version);
  };
  /** The session was shown this one, or another server may have more to tell. */
  const seenOf = async (path: NotePath, current: Note | undefined): Promise<string | undefined> => {
    if (policy === 'free') return undefined;
    const version = await seen.get(path);
    const isExpected = version === undefined ? policy !== 'seen' || !current : version === current?.version;
    if (isExpected || !seen.settled) return version;
    await seen.settled();
    return seen.get(path);
  };
  return {
    seen: async (path) => (policy === 'free' ? undefined : seen.get(path)),
    shown,
    async shownPart(note) {
      const known = await seen.get(note.path).catch(() => note.version);
      if (known === undefined) await shown(note);
    },
    async edited(path, before, after) {
      if (before === undefined) await seen.set(path, after);
      else await seen.replace(path, before, after);
    },
    async gone(path, to) {
      const version = to === undefined ? undefined : await seen.get(path).catch(() => undefined);
      await seen.delete(path);
      if (to === undefined) return;
      if (version === undefined) await seen.delete(to);
      else await seen.set(to, version);
    },
    async assertSeen(path, current, expected) {
      const version = expected ?? (await seenOf(path, current));
      if (version === undefined) {
        if (policy === 'seen' && current) throw neverRead(path);
        return;
      }
      if (!current) {
        // The session knows it now.
        await seen.delete(path);
        throw removedSince(path);
      }
      if (current.version === version) return;
      throw changedSince(path, await authorOf(current), await differenceTo(version, current));
    },
  };
}

function byComposedPath(seen: SeenVersions): SeenVersions {
  const keyOf = (path: NotePath) => path.normalize('NFC') as NotePath;
  return {
    settled: seen.settled,
    get: (path) => seen.get(keyOf(path)),
    set: (path, version) => seen.set(keyOf(path), version),
    note: (path, version) => seen.note(keyOf(path), version),
    replace: (path, before, after) => seen.replace(keyOf(path), before, after),
    delete: (path) => seen.delete(keyOf(path)),
  };
}

const MOST_LINES = 12;
const LONGEST_LINE = 160;

/** Lines that were added and removed, few and short enough for a message. */
async function shortDiff(before: string, after: string): Promise<string> {
  const { structuredPatch } = await import('diff');
  const patch = structuredPatch('', '', before, after, '', '', {
    context: 0,
    timeout: 200,
  });
  const lines = patch?.hunks.flatMap((hunk) => hunk.lines.filter((line) => !line.startsWith('\\'))) ?? [];
  const shown = lines.slice(0, MOST_LINES).map((line) => {
    const text = `${line[0]} ${line.slice(1)}`;
    return text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE)}…` : text;
  });
  const rest = lines.length - shown.length;
  return [...shown, ...(rest > 0 ? [`… and ${rest} more lines`] : [])].join('\n');
}

function textOfBytes(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8');
}

function changedSince(path: NotePath, author: string, difference: string): AppError {
  const changes = difference === '' ? '' : ` What changed:\n${difference}\n`;
  return new AppError('conflict', 'Note changed since you read it', {
    subject: path,
    reason: 'unseen_text',
    hint: `It was changed by ${author}.${changes}${changes === '' ? ' ' : ''}Nothing was changed. Read it again, bring in what it says now, then repeat the call.`,
  });
}

function removedSince(path: NotePath): AppError {
  return new AppError('conflict', 'Note was deleted or moved since you read it', {
    subject: path,
    reason: 'unseen_text',
    hint: 'Nothing was changed. Look where it is now. To create it again under this name, repeat the call without a version.',
  });
}

function neverRead(path: NotePath): AppError {
  return new AppError('conflict', 'Note was not read in this session', {
    subject: path,
    reason: 'unseen_text',
    hint: 'Nothing was changed. Here a note is replaced or deleted only after it was read: read it, then repeat the call.',
  });
}

/** Tells the guard what the session itself changes. */
export function withGuard(store: NoteStore, guard: OverwriteGuard): NoteStore {
  const { move, changeAll } = store;
  return {
    ...store,
    base: store.base ?? store,
    async write(path, content, options) {
      const written = await store.write(path, content, options);
      await guard.edited(path, options?.ifVersion ?? undefined, written.version);
      return written;
    },
    async remove(path, options) {
      const removed = await store.remove(path, options);
      await guard.gone(path);
      return removed;
    },
    move: move
      ? async (from, to, options) => {
          const moved = await move(from, to, options);
          await guard.gone(from, to);
          return moved;
        }
      : undefined,
    changeAll: changeAll
      ? async (changes, options) => {
          const made = await changeAll(changes, options);
          for (const [at, change] of changes.entries()) {
            if (change.kind === 'move') await guard.gone(change.from, change.to);
            else if (change.kind === 'remove') await guard.gone(change.path);
            else await guard.edited(change.path, change.ifVersion ?? undefined, made[at]!.version);
          }
          return made;
        }
      : undefined,
  };
}

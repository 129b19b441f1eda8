/** The text of notes as they were indexed, the most recently used ones up to a limit; the rest is read again. */
import { extensionOf, type NotePath } from '../../notes/path.ts';
import type { Note, NoteStore } from '../../notes/store.ts';
import { textOf } from '../../notes/text/text.ts';
import { isAppError } from '../../shared/errors.ts';
import type { Reach } from '../reach.ts';

const LIMIT_CHARACTERS = 16 * 1024 * 1024;
/** A few giants would push out everything else. */
const LARGEST = 512 * 1024;

/** Without a text, the note is there and is not text. */
interface ReadText {
  readonly text?: string | undefined;
}

interface SharedRead {
  readonly text: Promise<ReadText | undefined>;
  /** The note was changed while it was read: the text may be the old one. */
  isStale: boolean;
}

export class TextCache {
  readonly #store: NoteStore;
  readonly #reach: Reach;
  readonly #texts = new Map<NotePath, string>();
  /** Reads under way: an indexer and a search often want the same note at the same time. */
  readonly #reading = new Map<NotePath, SharedRead>();
  #characters = 0;

  constructor(store: NoteStore, reach: Reach) {
    this.#store = store;
    this.#reach = reach;
  }

  get readsAtOnce(): number {
    return this.#store.readsAtOnce ?? 1;
  }

  /** What is here already. */
  peek(path: NotePath): string | undefined {
    const known = this.#texts.get(path);
    if (known === undefined) return undefined;
    // Last used goes last, so that the first is the one to drop.
    this.#texts.delete(path);
    this.#texts.set(path, known);
    return known;
  }

  /** Undefined when the note is gone or is not text. Throws when nobody could tell. */
  async get(path: NotePath): Promise<string | undefined> {
    const known = this.peek(path);
    if (known !== undefined) return known;
    return (await this.#readAndKeep(path, () => true))?.text;
  }

  /**
   * The same for the index, which will not ask again: what others asked for stays. A note that is not text is an
   * empty one; undefined is one that is gone. While there is room, texts from far away are kept for the excerpts.
   */
  async getOnce(path: NotePath): Promise<string | undefined> {
    const known = this.#texts.get(path);
    if (known !== undefined) return known;
    const hasRoom = (text: string) => this.#characters + text.length <= LIMIT_CHARACTERS;
    const read = await this.#readAndKeep(path, (text) => this.#reach.isFar && text !== '' && hasRoom(text));
    return read && (read.text ?? '');
  }

  /** A note that was changed while it was read is not kept: the text may be the old one. */
  async #readAndKeep(
    path: NotePath,
    isWorthKeeping: (text: string) => boolean,
  ): Promise<ReadText | undefined> {
    const shared = this.#reading.get(path) ?? this.#beginReading(path);
    const read = await shared.text;
    if (read?.text !== undefined && !shared.isStale && isWorthKeeping(read.text)) this.#set(path, read.text);
    return read;
  }

  #beginReading(path: NotePath): SharedRead {
    const shared: SharedRead = {
      text: this.#read(path).finally(() => {
        if (this.#reading.get(path) === shared) this.#reading.delete(path);
      }),
      isStale: false,
    };
    this.#reading.set(path, shared);
    return shared;
  }

  /** Undefined when there is no such note. */
  async #read(path: NotePath): Promise<ReadText | undefined> {
    try {
      return { text: searchableText(await this.#reach.ask(() => this.#store.read(path))) };
    } catch (error) {
      if (isAppError(error, 'not_found')) return undefined;
      if (isAppError(error, 'unsupported')) return {};
      throw error;
    }
  }

  #set(path: NotePath, text: string): void {
    this.#drop(path);
    if (text.length > LARGEST) return;
    this.#texts.set(path, text);
    this.#characters += text.length;
    for (const oldest of this.#texts.keys()) {
      if (this.#characters <= LIMIT_CHARACTERS) break;
      this.#drop(oldest);
    }
  }

  /** The note has changed: its text must be read again. */
  forget(path: NotePath): void {
    const shared = this.#reading.get(path);
    if (shared) shared.isStale = true;
    this.#reading.delete(path);
    this.#drop(path);
  }

  #drop(path: NotePath): void {
    const text = this.#texts.get(path);
    if (text === undefined) return;
    this.#texts.delete(path);
    this.#characters -= text.length;
  }
}

/** Undefined for data. */
export function searchableText(note: Pick<Note, 'path' | 'bytes'>): string | undefined {
  const text = textOf(note);
  return text.includes('\0') && isUnknownKind(note.path) ? undefined : text;
}

/** A note may hold anything its author put there; of other files, those with a NUL are data. */
function isUnknownKind(path: NotePath): boolean {
  return !['.md', '.markdown', '.txt'].includes(extensionOf(path));
}

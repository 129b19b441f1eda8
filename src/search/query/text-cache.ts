/** A cache of the texts of notes that were used lately. */
import { extensionOf, type NotePath } from '../../notes/path.ts';
import type { Note, NoteMeta, NoteStore } from '../../notes/store.ts';
import { textOf } from '../../notes/text/text.ts';
import { isAppError } from '../../shared/errors.ts';
import type { Reach } from '../reach.ts';

/** Of each of two generations: those used since the last change of generations, and those used in the one before. */
const LIMIT_CHARACTERS = 8 * 1024 * 1024;
/** A few larger texts would evict all others. */
const LARGEST = 512 * 1024;

/** Without a text for a note that is not text. */
interface ReadText {
  readonly text?: string | undefined;
}

interface SharedRead {
  readonly text: Promise<ReadText | undefined>;
  /** True when the note was changed while it was read. */
  isStale: boolean;
}

export class TextCache {
  readonly #store: NoteStore;
  readonly #reach: Reach;
  /** Looking up a text changes nothing as long as it is in the first: a search looks up dozens. */
  #texts = new Map<NotePath, string>();
  #older = new Map<NotePath, string>();
  /** Reads under way: an indexer and a search often want the same note at the same time. */
  readonly #reading = new Map<NotePath, SharedRead>();
  /** Of the first generation. */
  #characters = 0;

  constructor(store: NoteStore, reach: Reach) {
    this.#store = store;
    this.#reach = reach;
  }

  get readsAtOnce(): number {
    return this.#store.readsAtOnce ?? 1;
  }

  /** Only from the cache. */
  peek(path: NotePath): string | undefined {
    const known = this.#texts.get(path);
    if (known !== undefined) return known;
    const older = this.#older.get(path);
    if (older !== undefined) this.#set(path, older);
    return older;
  }

  /** From the cache, or from a small file that is as it was listed: a promise takes as long as to read one. */
  now(note: Pick<NoteMeta, 'path' | 'size'>): string | undefined {
    const known = this.peek(note.path);
    if (known !== undefined) return known;
    const text = this.#readListed(note)?.text;
    if (text !== undefined) this.#set(note.path, text);
    return text;
  }

  /** Undefined when the note is gone or is not text. Throws when the store cannot be read. */
  async get(path: NotePath): Promise<string | undefined> {
    const known = this.peek(path);
    if (known !== undefined) return known;
    return (await this.#readAndKeep(path, () => true))?.text;
  }

  /**
   * For the indexer, which reads each note once, and so evicts nothing: only texts of a far server are cached, for
   * excerpts, while there is room. Empty for a note that is not text, undefined for one that is gone.
   */
  async getOnce({ path, size }: Pick<NoteMeta, 'path' | 'size'>): Promise<string | undefined> {
    const known = this.#texts.get(path) ?? this.#older.get(path);
    if (known !== undefined) return known;
    const listed = this.#readListed({ path, size });
    if (listed) return listed.text ?? '';
    const hasRoom = (text: string) =>
      this.#older.size === 0 || this.#characters + text.length <= LIMIT_CHARACTERS;
    const read = await this.#readAndKeep(path, (text) => this.#reach.isFar && text !== '' && hasRoom(text));
    return read && (read.text ?? '');
  }

  #readListed({ path, size }: Pick<NoteMeta, 'path' | 'size'>): ReadText | undefined {
    const bytes = this.#store.readListed?.({ path, size });
    return bytes && textIn({ path, bytes });
  }

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
      return textIn(await this.#reach.ask(() => this.#store.read(path)));
    } catch (error) {
      if (isAppError(error, 'not_found')) return undefined;
      throw error;
    }
  }

  #set(path: NotePath, text: string): void {
    this.#drop(path);
    if (text.length > LARGEST) return;
    if (this.#characters + text.length > LIMIT_CHARACTERS) {
      this.#older = this.#texts;
      this.#texts = new Map();
      this.#characters = 0;
    }
    this.#texts.set(path, text);
    this.#characters += text.length;
  }

  /** For a note that has changed, or is gone. */
  forget(path: NotePath): void {
    const shared = this.#reading.get(path);
    if (shared) shared.isStale = true;
    this.#reading.delete(path);
    this.#drop(path);
  }

  #drop(path: NotePath): void {
    this.#characters -= this.#texts.get(path)?.length ?? 0;
    this.#texts.delete(path);
    this.#older.delete(path);
  }
}

function textIn(note: Pick<Note, 'path' | 'bytes'>): ReadText {
  try {
    return { text: searchableText(note) };
  } catch (error) {
    if (isAppError(error, 'unsupported')) return {};
    throw error;
  }
}

/** Undefined for a file that is not text. */
export function searchableText(note: Pick<Note, 'path' | 'bytes'>): string | undefined {
  const text = textOf(note);
  return text.includes('\0') && isUnknownKind(note.path) ? undefined : text;
}

/** A note may contain a NUL; another file that does is binary. */
function isUnknownKind(path: NotePath): boolean {
  return !['.md', '.markdown', '.txt'].includes(extensionOf(path));
}

/** The text of notes as they were indexed, the most recently used ones up to a limit; the rest is read again. */

import { extensionOf, type NotePath } from '../notes/path.ts';
import type { Note, NoteStore } from '../notes/store.ts';
import { textOf } from '../notes/text.ts';
import { isAppError } from '../shared/errors.ts';
import type { Reach } from './reach.ts';

const LIMIT_CHARACTERS = 16 * 1024 * 1024;
/** A few giants would push out everything else. */
const LARGEST = 512 * 1024;

export class TextCache {
  readonly #store: NoteStore;
  readonly #reach: Reach;
  readonly #texts = new Map<NotePath, string>();
  #characters = 0;
  #epoch = 0;

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
    const epoch = this.#epoch;
    const { text } = (await this.#read(path)) ?? {};
    // Something was changed while this was read: it may be this note, and the text the old one.
    if (text !== undefined && epoch === this.#epoch) this.#set(path, text);
    return text;
  }

  /**
   * The same for the index, which will not ask again: what others asked for stays. A note that is not text is an
   * empty one; undefined is one that is gone. While there is room, texts from far away are kept for the excerpts.
   */
  async getOnce(path: NotePath): Promise<string | undefined> {
    const known = this.#texts.get(path);
    if (known !== undefined) return known;
    const epoch = this.#epoch;
    const read = await this.#read(path);
    if (!read) return undefined;
    const { text = '' } = read;
    const hasRoom = this.#characters + text.length <= LIMIT_CHARACTERS;
    if (this.#reach.isFar && text !== '' && hasRoom && epoch === this.#epoch) this.#set(path, text);
    return text;
  }

  /** Undefined when there is no such note; without a text when it is there and is not text. */
  async #read(path: NotePath): Promise<{ readonly text?: string | undefined } | undefined> {
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
    this.#epoch++;
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

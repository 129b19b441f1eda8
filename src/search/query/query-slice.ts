/** An index of some notes that has what one query asks for, and nothing else. */
import { isAscii } from 'node:buffer';
import type { NoteMeta } from '../../notes/store.ts';
import { fold, SEARCH_FOLDING } from '../../notes/text/fold.ts';
import { countAsciiTokens, forEachToken } from '../../notes/text/tokens.ts';
import { runAtOnce } from '../../shared/async/time-slices.ts';
import { documentOf } from '../index/document.ts';
import { NoteIndex, type PackedIndex } from '../index/note-index.ts';
import { LARGEST_FOLDED } from './occurrences.ts';
import { searchableText } from './text-cache.ts';
import { createWantedWords, type QueryWords, type WantedWords } from './wanted-words.ts';

export interface PackedSlice {
  readonly index: PackedIndex;
  /** How many notes have nothing of it, and how many tokens they have. */
  readonly others: { readonly notes: number; readonly tokens: number };
}

export class QuerySlice {
  readonly #wanted: WantedWords;
  readonly #index: NoteIndex;
  readonly #added: NoteMeta[] = [];
  readonly #others = { notes: 0, tokens: 0 };

  constructor(words: QueryWords) {
    this.#wanted = createWantedWords(words);
    this.#index = new NoteIndex(undefined, undefined, this.#wanted);
  }

  /**
   * Most notes are passed over without being made a text of. `breathe` is awaited between pieces of a long one. Throws
   * for what is not UTF-8.
   */
  async add(
    meta: NoteMeta,
    bytes: Uint8Array,
    breathe: () => Promise<unknown> = async () => {},
  ): Promise<void> {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    const isPlain = isAscii(buffer) && !buffer.includes(0);
    const text = isPlain ? buffer.toString('latin1') : (searchableText({ path: meta.path, bytes }) ?? '');
    const folded = isPlain || text.length > LARGEST_FOLDED ? text : fold(text, SEARCH_FOLDING).text;
    if (folded.length > LARGEST_FOLDED || this.#wanted.mayStandIn(folded) || this.#isNamedSo(meta))
      return this.#put(meta, text, breathe);
    this.#others.notes++;
    this.#others.tokens += isPlain ? countAsciiTokens(buffer) : tokensIn(folded);
  }

  pack(): PackedSlice {
    return { index: runAtOnce(this.#index.pack(this.#added)), others: this.#others };
  }

  #isNamedSo({ path }: NoteMeta): boolean {
    return this.#wanted.mayStandIn(fold(path, SEARCH_FOLDING).text);
  }

  async #put(meta: NoteMeta, text: string, breathe: () => Promise<unknown>): Promise<void> {
    const { path, size, lastModified } = meta;
    await this.#index.put({ path, size, lastModified }, text, await documentOf(path, text), breathe);
    this.#added.push(meta);
  }
}

function tokensIn(folded: string): number {
  let tokens = 0;
  forEachToken(folded, () => tokens++);
  return tokens;
}

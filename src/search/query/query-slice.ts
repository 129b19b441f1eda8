/** An index of some notes that has what one query asks for, and nothing else. */
import { isAscii } from 'node:buffer';
import type { NoteMeta } from '../../notes/store.ts';
import { fold, SEARCH_FOLDING } from '../../notes/text/fold.ts';
import { countAsciiTokens, forEachToken } from '../../notes/text/tokens.ts';
import { runAtOnce } from '../../shared/async/time-slices.ts';
import { documentOf } from '../index/document.ts';
import { NoteIndex, type PackedIndex } from '../index/note-index.ts';
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

  /** Most notes are passed over without being made a text of. Throws for what is not UTF-8. */
  async addBytes(meta: NoteMeta, bytes: Buffer): Promise<void> {
    if (!isAscii(bytes) || bytes.includes(0))
      return this.addText(meta, searchableText({ path: meta.path, bytes }) ?? '');
    const text = bytes.toString('latin1');
    if (this.#wanted.mayStandInAscii(text) || this.#isNamedSo(meta)) await this.#put(meta, text);
    else this.#pass(countAsciiTokens(bytes));
  }

  /** `breathe` is awaited between pieces of a long text. */
  async addText(meta: NoteMeta, text: string, breathe?: () => Promise<unknown>): Promise<void> {
    const folded = fold(text, SEARCH_FOLDING).text;
    if (this.#wanted.mayStandIn(folded) || this.#isNamedSo(meta)) return this.#put(meta, text, breathe);
    let tokens = 0;
    forEachToken(folded, () => tokens++);
    this.#pass(tokens);
  }

  pack(): PackedSlice {
    return { index: runAtOnce(this.#index.pack(this.#added)), others: this.#others };
  }

  #isNamedSo({ path }: NoteMeta): boolean {
    return this.#wanted.mayStandIn(fold(path, SEARCH_FOLDING).text);
  }

  async #put(meta: NoteMeta, text: string, breathe: () => Promise<unknown> = async () => {}): Promise<void> {
    const { path, size, lastModified } = meta;
    await this.#index.put({ path, size, lastModified }, text, await documentOf(path, text), breathe);
    this.#added.push(meta);
  }

  #pass(tokens: number): void {
    this.#others.notes++;
    this.#others.tokens += tokens;
  }
}

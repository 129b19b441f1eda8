/** An index of some notes that has what one query asks for, and nothing else. */
import { isAscii } from 'node:buffer';
import type { NoteMeta } from '../../notes/store.ts';
import { fold, SEARCH_FOLDING } from '../../notes/text/fold.ts';
import { surveyOf } from '../../notes/text/survey.ts';
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
    this.#wanted = wantedWordsOf(words);
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
    const { tokens, mayBecomeAscii } = surveyOf(buffer);
    const isFolded = text.length > LARGEST_FOLDED || (this.#wanted.skim ? !mayBecomeAscii : isPlain);
    const folded = isFolded ? text : fold(text, SEARCH_FOLDING).text;
    const weights = text.length > LARGEST_FOLDED ? undefined : await this.#weightsIn(meta, text, folded);
    if (!weights) return this.#put(meta, text, breathe);
    if (weights.size > 0) {
      this.#index.putWeights(stampOf(meta), weights, tokens);
      this.#added.push(meta);
      return;
    }
    this.#others.notes++;
    this.#others.tokens += tokens;
  }

  pack(): PackedSlice {
    return { index: runAtOnce(this.#index.pack(this.#added)), others: this.#others };
  }

  /** Of the wanted words; undefined where the note has to be read to know them. */
  async #weightsIn(
    { path }: NoteMeta,
    text: string,
    folded: string,
  ): Promise<ReadonlyMap<string, number> | undefined> {
    const { skim, mayStandIn } = this.#wanted;
    if (skim) return skim({ path, text, folded });
    return mayStandIn(folded) || mayStandIn(fold(path, SEARCH_FOLDING).text) ? undefined : NO_WEIGHTS;
  }

  async #put(meta: NoteMeta, text: string, breathe: () => Promise<unknown>): Promise<void> {
    await this.#index.put(stampOf(meta), text, await documentOf(meta.path, text), breathe);
    this.#added.push(meta);
  }
}

let latest: { readonly words: string; readonly wanted: WantedWords } | undefined;

/** Of one query for slice after slice: what it has learned of words is kept. */
function wantedWordsOf(words: QueryWords): WantedWords {
  const key = JSON.stringify(words);
  if (latest?.words !== key) latest = { words: key, wanted: createWantedWords(words) };
  return latest.wanted;
}

const NO_WEIGHTS: ReadonlyMap<string, number> = new Map();

function stampOf({ path, size, lastModified }: NoteMeta) {
  return { path, size, lastModified };
}

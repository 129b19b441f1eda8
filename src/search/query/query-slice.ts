/** What one query asks for of a batch of notes, and nothing else. */
import { isAscii } from 'node:buffer';
import type { NoteMeta } from '../../notes/store.ts';
import { fold, SEARCH_FOLDING } from '../../notes/text/fold.ts';
import { surveyOf } from '../../notes/text/survey.ts';
import { runAtOnce } from '../../shared/async/time-slices.ts';
import { documentOf } from '../index/document.ts';
import { NoteIndex, type PackedIndex, type SkimmedNotes } from '../index/note-index.ts';
import { LARGEST_FOLDED } from './occurrences.ts';
import { NO_WEIGHTS, type WordWeights } from './skim.ts';
import { searchableText } from './text-cache.ts';
import { createWantedWords, type QueryWords, type WantedWords } from './wanted-words.ts';

export interface PackedSlice {
  /** The notes that were read word by word. */
  readonly index?: PackedIndex;
  /** The notes that were skimmed, by their places in the batch. */
  readonly skimmed: SkimmedNotes;
  /** How many notes have nothing of it, and how many tokens they have. */
  readonly others: { readonly notes: number; readonly tokens: number };
}

export class QuerySlice {
  readonly #wanted: WantedWords;
  #index: NoteIndex | undefined;
  readonly #read: NoteMeta[] = [];
  readonly #words = new Map<string, number>();
  readonly #entries: number[] = [];
  readonly #others = { notes: 0, tokens: 0 };

  constructor(words: QueryWords) {
    this.#wanted = wantedWordsOf(words);
  }

  /**
   * Adds the note at a place in the batch. Most are passed over without being made a text of, and nothing is awaited.
   * `breathe` is awaited between pieces of a long one. Throws for what is not UTF-8.
   */
  add(
    place: number,
    meta: NoteMeta,
    bytes: Uint8Array,
    breathe: () => Promise<unknown> | true = async () => {},
  ): Promise<void> | undefined {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    const isPlain = isAscii(buffer) && !buffer.includes(0);
    const text = isPlain ? buffer.toString('latin1') : (searchableText({ path: meta.path, bytes }) ?? '');
    if (text.length > LARGEST_FOLDED) return this.#put(meta, text, breathe);
    const { tokens, mayBecomeAscii } = surveyOf(buffer);
    const isFolded = this.#wanted.skim ? !mayBecomeAscii : isPlain;
    const weights = this.#weightsIn(meta, text, isFolded ? text : fold(text, SEARCH_FOLDING).text);
    const take = (known: WordWeights | undefined) => {
      if (!known) return this.#put(meta, text, breathe);
      if (known.size === 0) {
        this.#others.notes++;
        this.#others.tokens += tokens;
      } else
        for (const [word, weight] of known) this.#entries.push(place, tokens, this.#placeOf(word), weight);
      return undefined;
    };
    return weights instanceof Promise ? weights.then(take) : take(weights);
  }

  pack(): PackedSlice {
    const index = this.#index && runAtOnce(this.#index.pack(this.#read));
    const skimmed = { words: [...this.#words.keys()], entries: Uint32Array.from(this.#entries) };
    return { skimmed, others: this.#others, ...(index && { index }) };
  }

  #placeOf(word: string): number {
    const place = this.#words.get(word) ?? this.#words.size;
    this.#words.set(word, place);
    return place;
  }

  /** The weights of the wanted words; undefined where the note has to be read to know them. */
  #weightsIn({ path }: NoteMeta, text: string, folded: string) {
    const { skim, mayStandIn } = this.#wanted;
    if (skim) return skim(path, text, folded);
    return mayStandIn(folded) || mayStandIn(fold(path, SEARCH_FOLDING).text) ? undefined : NO_WEIGHTS;
  }

  async #put(meta: NoteMeta, text: string, breathe: () => Promise<unknown> | true): Promise<void> {
    const { path, size, lastModified } = meta;
    this.#index ??= new NoteIndex(undefined, { filter: this.#wanted });
    await this.#index.put({ path, size, lastModified }, text, await documentOf(path, text), breathe);
    this.#read.push(meta);
  }
}

let latest: { readonly words: string; readonly wanted: WantedWords } | undefined;

/** The wanted words of the latest query: slice after slice uses what they have learned. */
function wantedWordsOf(words: QueryWords): WantedWords {
  const key = JSON.stringify(words);
  if (latest?.words !== key) latest = { words: key, wanted: createWantedWords(words) };
  return latest.wanted;
}

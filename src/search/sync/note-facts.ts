/** Facts cut from the text of each note, which is read once per change. */
import type { NotePath } from '../../notes/path.ts';
import type { SearchOptions } from '../../notes/searcher.ts';
import type { NoteIndex } from '../index/note-index.ts';
import type { IndexedNote } from '../index/note-table.ts';
import type { IndexedLibrary } from '../query/context.ts';
import { createTextReader, PREFETCHED } from '../text-reader.ts';
import { YieldTimer } from './scheduler.ts';

interface KnownFact<Fact> {
  /** Size and time of the note that the fact was cut from. */
  readonly size: number;
  readonly lastModified: number;
  /** Undefined for a note that has none. */
  readonly fact: Fact | undefined;
}

export interface CurrentFacts<Fact> {
  /** Of the notes that have any, in path order; the same array as long as no note changes. */
  readonly facts: readonly (readonly [NotePath, Fact])[];
  /** How many notes could not be read. */
  readonly unread: number;
}

export class NoteFacts<Fact> {
  readonly #library: () => IndexedLibrary;
  readonly #cut: (text: string, path: NotePath) => Fact | undefined;
  readonly #mayHave: (note: IndexedNote) => boolean;
  readonly #known = new Map<NotePath, KnownFact<Fact>>();
  #current: { readonly index: NoteIndex; readonly revision: number; facts: CurrentFacts<Fact> } | undefined;

  /** `cut` returns undefined for a text without facts. Notes that cannot have any are not read. */
  constructor(
    library: () => IndexedLibrary,
    cut: (text: string, path: NotePath) => Fact | undefined,
    mayHave: (note: IndexedNote) => boolean = () => true,
  ) {
    this.#library = library;
    this.#cut = cut;
    this.#mayHave = mayHave;
  }

  async current(asking: SearchOptions = {}): Promise<CurrentFacts<Fact>> {
    const { index } = this.#library();
    const { revision } = index;
    if (this.#current?.index === index && this.#current.revision === revision) return this.#current.facts;
    const unread = await this.#readChanged(index, asking);
    const facts: (readonly [NotePath, Fact])[] = [];
    for (const [path, { fact }] of this.#known) if (fact !== undefined) facts.push([path, fact]);
    facts.sort(([a], [b]) => (a < b ? -1 : 1));
    const current = { facts, unread };
    // What could not be read is tried again the next time.
    this.#current = unread === 0 ? { index, revision, facts: current } : undefined;
    return current;
  }

  async #readChanged(index: NoteIndex, { signal, onProgress }: SearchOptions): Promise<number> {
    const pace = new YieldTimer();
    const { texts, reach } = this.#library();
    const reader = createTextReader(texts, reach);
    for (const path of this.#known.keys()) if (!index.has(path)) this.#known.delete(path);
    const changed = [...index.paths()].filter((path) => {
      const [note, known] = [index.get(path), this.#known.get(path)];
      if (!note || (note.size === known?.size && note.lastModified === known.lastModified)) return false;
      if (this.#mayHave(note)) return true;
      const { size, lastModified } = note;
      this.#known.set(path, { size, lastModified, fact: undefined });
      return false;
    });
    for (const [at, path] of changed.entries()) {
      if (at % PREFETCHED === 0) await reader.prefetch(changed.slice(at, at + PREFETCHED));
      const note = index.get(path);
      // Most are small files, which are read sooner than a promise is made for each.
      const text = (note && reader.now(note)) ?? (await reader.get(path));
      if (text !== undefined && note)
        this.#known.set(path, {
          size: note.size,
          lastModified: note.lastModified,
          fact: this.#cut(text, path),
        });
      const pause = pace.breathe(signal);
      if (pause === true) continue;
      await pause;
      onProgress?.(at + 1, changed.length);
    }
    return reader.unread.size;
  }
}

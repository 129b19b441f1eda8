/** Types that the parts of the second brain share. */

import type { Range } from '../notes/markdown/regions.ts';
import { extensionOf } from '../notes/path.ts';
import type { SearchOptions } from '../notes/searcher.ts';
import type { Notebook } from '../notes/store.ts';
import type { Caller } from '../shared/principal.ts';

/** A notebook the brain reads. */
export interface Source {
  /** Its name in the configuration; the first part of its notes' paths when there are several. */
  readonly name: string;
  readonly notebook: Pick<Notebook, 'notes' | 'searcher'>;
  /** Whether notes may be added to it. */
  readonly writable: boolean;
  /** Notes may be appended to, but not replaced (`noDelete`). */
  readonly keepsAll?: boolean;
  /** Frontmatter rules for notes that are added. */
  readonly rules?: Notebook['rules'];
  /** The notes as one call may change them; without it, changes are not recorded. */
  readonly changesBy?: (caller: Caller) => ScopedChanges;
}

/** Notes whose changes are recorded and guarded for one call. */
interface ScopedChanges extends Pick<Notebook, 'notes' | 'guard'> {
  /** The id of the change in the history, once there is one. */
  changeId(): string | undefined;
  /** To be called when the notes were changed: where changes are reviewed, they become a proposal only then. */
  finish?(): Promise<{ readonly notices: readonly string[]; readonly proposal?: string }>;
}

export interface SearchScope {
  /** A folder; only notes below it. */
  readonly pathPrefix?: string;
  /** Only notes with all of these. */
  readonly tags?: readonly string[];
  /** Bounds of the last change, in milliseconds since 1970. */
  readonly since?: number;
  readonly until?: number;
}

export function isWholeLibrary(scope: SearchScope): boolean {
  return Object.values(scope).every((value) => value === undefined);
}

/** A note of any notebook. */
export interface NoteSummary {
  /** Begins with the notebook's name and "/" when there are several notebooks. */
  readonly sourcePath: string;
  readonly tags: readonly string[];
  readonly lastModified: number;
  readonly size: number;
}

export interface SourceNote extends NoteSummary {
  readonly title: string;
  readonly text: string;
}

/** All mounted notebooks as one body of notes. */
export interface Library {
  /** In path order. Throws only when no notebook can be reached. */
  notes(scope: SearchScope, options?: SearchOptions): Promise<readonly NoteSummary[]>;
  /** Throws `not_found`. */
  read(sourcePath: string, options?: SearchOptions): Promise<SourceNote>;
}

/** A part of a note under one heading, small enough to be read as evidence. */
export interface Passage {
  readonly sourcePath: string;
  readonly title: string;
  readonly tags: readonly string[];
  readonly lastModified: number;
  /** The heading over the passage, as a link spells it; empty above the first heading. */
  readonly anchor: string;
  /** All headings over the passage, outermost first. */
  readonly headings: readonly string[];
  /** Offsets in the note, frontmatter included. */
  readonly span: Range;
  readonly lineStart: number;
  readonly lineEnd: number;
  readonly text: string;
  /** Whether it is the note's frontmatter. */
  readonly isFrontmatter?: boolean;
  /** Hash of path, headings and text; independent of the lines above the passage. */
  readonly hash: string;
}

export interface RankedPassage {
  readonly passage: Passage;
  /** 0 to 1, comparable within one question. */
  readonly score: number;
  /** Share of the question's content words that the passage has, 0 to 1. */
  readonly coverage: number;
  /** Cosine of question and passage, when both were embedded. */
  readonly cosine?: number;
}

export type RetrievalMode = 'hybrid' | 'keyword' | 'semantic';

export interface RetrievalRequest {
  readonly query: string;
  readonly limit: number;
  readonly mode: RetrievalMode;
  readonly scope: SearchScope;
  /** Whether frontmatter counts as a passage. Default: false. */
  readonly withFrontmatter?: boolean;
  /** Words of the query of which the answer says whether any note has them. */
  readonly lookedUp?: readonly string[];
}

export interface RetrievalResult {
  readonly passages: readonly RankedPassage[];
  /** Number of matching notes, returned or not. */
  readonly total: number;
  readonly modeUsed: RetrievalMode;
  /** Those of the words looked up that no note has, whatever the scope. */
  readonly unknown?: readonly string[];
  /** Of these, the mistyped ones as the notes spell them. */
  readonly respelled?: ReadonlyMap<string, string>;
  /** IDF of the query's words among all notes of the scope, by stem; empty where no words were looked for. */
  readonly rarities?: ReadonlyMap<string, number>;
  readonly warnings: readonly string[];
}

export interface Retriever {
  retrieve(request: RetrievalRequest, options?: SearchOptions): Promise<RetrievalResult>;
  /** Cosine of `text` and each of `others`; undefined without an embedder. */
  similarity(
    text: string,
    others: readonly string[],
    options?: SearchOptions,
  ): Promise<readonly number[] | undefined>;
}

export interface Citation {
  /** Counted from 1 within the answer. */
  readonly index: number;
  readonly chunkHash: string;
  readonly sourcePath: string;
  readonly anchor: string;
  readonly lineStart: number;
  readonly lineEnd: number;
  /** An exact quote of these lines; at most 300 characters. */
  readonly textSpan: string;
  readonly score: number;
  /** ISO time. */
  readonly retrievedAt: string;
}

/** Types of the files that the brain reads. */
export const TEXT_EXTENSIONS: readonly string[] = ['.md', '.markdown', '.txt'];

export function isTextNote(path: string): boolean {
  return TEXT_EXTENSIONS.includes(extensionOf(path));
}

export function isMarkdown(path: string): boolean {
  return extensionOf(path) !== '.txt';
}

/** Converts keys to snake_case, as they are sent. */
export function snakeCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeCased);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      snakeCased(inner),
    ]),
  );
}

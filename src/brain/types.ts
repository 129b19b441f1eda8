/** What the parts of the second brain hand to each other. */

import type { Range } from '../notes/markdown/regions.ts';
import { extensionOf } from '../notes/path.ts';
import type { SearchOptions } from '../notes/searcher.ts';
import type { Notebook } from '../notes/store.ts';

/** A notebook the brain reads. */
export interface Source {
  /** Its name in the configuration; the first part of its notes' paths when there are several. */
  readonly name: string;
  readonly notebook: Pick<Notebook, 'notes' | 'searcher'>;
  /** Whether notes may be added to it. */
  readonly writable: boolean;
  /** No text may leave it: notes are added to, not replaced. */
  readonly keepsAll?: boolean;
  /** What it demands of the frontmatter of notes that are added. */
  readonly rules?: Notebook['rules'];
}

export interface SearchScope {
  /** Notes whose path begins so, at a folder's end. */
  readonly pathPrefix?: string;
  /** Notes with all of these. */
  readonly tags?: readonly string[];
  /** Milliseconds since 1970, of the last change. */
  readonly since?: number;
  readonly until?: number;
}

export function isWholeLibrary(scope: SearchScope): boolean {
  return Object.values(scope).every((value) => value === undefined);
}

/** A note of any notebook. */
export interface NoteSummary {
  /** With "/"; begins with the notebook's name when there are several. */
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
  read(sourcePath: string, asking?: SearchOptions): Promise<SourceNote>;
}

/** A part of a note under one heading, small enough to be read as evidence. */
export interface Passage {
  readonly sourcePath: string;
  readonly title: string;
  readonly tags: readonly string[];
  readonly lastModified: number;
  /** The heading it stands under, as a link writes it; empty above the first one. */
  readonly anchor: string;
  /** All headings over it, outermost first. */
  readonly headings: readonly string[];
  /** Where it stands in the note, frontmatter counted. */
  readonly span: Range;
  readonly lineStart: number;
  readonly lineEnd: number;
  readonly text: string;
  /** Of path, headings and text: the same after lines above have moved. */
  readonly hash: string;
}

export interface RankedPassage {
  readonly passage: Passage;
  /** 0 to 1, beside the others of the same question. */
  readonly score: number;
  /** Share of the question's words that have meaning and stand in the passage, 0 to 1. */
  readonly coverage: number;
  /** Of question and passage, when there is an embedder and both were embedded. */
  readonly cosine?: number;
}

export type RetrievalMode = 'hybrid' | 'keyword' | 'semantic';

export interface RetrievalRequest {
  readonly query: string;
  readonly limit: number;
  readonly mode: RetrievalMode;
  readonly scope: SearchScope;
}

export interface RetrievalResult {
  readonly passages: readonly RankedPassage[];
  /** Notes that match, shown or not. */
  readonly total: number;
  readonly modeUsed: RetrievalMode;
  readonly warnings: readonly string[];
}

export interface Retriever {
  retrieve(request: RetrievalRequest, asking?: SearchOptions): Promise<RetrievalResult>;
  /** How alike texts are to one, -1 to 1 each; undefined without an embedder. */
  similarity(
    text: string,
    others: readonly string[],
    asking?: SearchOptions,
  ): Promise<readonly number[] | undefined>;
}

/** What an answer shows of where it comes from. */
export interface Citation {
  /** Counted from 1 within the answer. */
  readonly index: number;
  readonly chunkHash: string;
  readonly sourcePath: string;
  readonly anchor: string;
  readonly lineStart: number;
  readonly lineEnd: number;
  /** Just as it stands in the note at these lines; at most 300 characters. */
  readonly textSpan: string;
  readonly score: number;
  /** ISO time. */
  readonly retrievedAt: string;
}

/** Which files the brain reads, and how. */

export const TEXT_EXTENSIONS: readonly string[] = ['.md', '.markdown', '.txt'];

export function isTextNote(path: string): boolean {
  return TEXT_EXTENSIONS.includes(extensionOf(path));
}

export function isMarkdown(path: string): boolean {
  return extensionOf(path) !== '.txt';
}

/** Results as they leave: plain data with keys in snake_case. */
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

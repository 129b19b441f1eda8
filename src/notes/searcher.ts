/** The interface of full-text search over a notebook. */
import type { NotePath } from './path.ts';
import type { Task } from './task.ts';

export interface NoteLink {
  readonly from: NotePath;
  /** The target as written. */
  readonly target: string;
  /** From the top of the file. */
  readonly line: number;
  /** Where it leads; absent when there is no such file. */
  readonly to?: NotePath;
}

/** The links between all notes. */
export interface LinkGraph {
  outgoing(path: NotePath): readonly NoteLink[];
  incoming(path: NotePath): readonly NoteLink[];
  /** Links that lead nowhere, in path order. */
  unresolved(): Iterable<NoteLink>;
  /** Notes no other note links to, in path order. */
  orphans(): Iterable<NotePath>;
}

export type SearchField = 'path' | 'title' | 'alias' | 'tag' | 'heading' | 'frontmatter' | 'text';

/**
 * `auto`: by words, and behind the first hits by meaning too. `words`: by words alone. `exact`: only notes that hold all
 * words as they are written. `meaning`: the notes nearest in meaning first, with or without words of the query.
 */
export type SearchMode = 'auto' | 'words' | 'exact' | 'meaning';

export interface SearchRequest {
  /** Words, and "phrases" in quotes. Empty only when a filter narrows the notes. */
  readonly query: string;
  /** Default: `auto`. */
  readonly mode?: SearchMode;
  /** Where a match counts. Default: everywhere. */
  readonly inText?: boolean;
  readonly inFrontmatter?: boolean;
  /** Case and accents must match too. */
  readonly caseSensitive?: boolean;
  readonly filter?: SearchFilter;
  /** `kind`: file names first, then tags, then text, each by relevance. Default: `relevance`. */
  readonly sort?: 'relevance' | 'modified' | 'name' | 'kind';
  readonly offset?: number;
  readonly limit: number;
  /** Hits name the section they are in, where there is room for it. */
  readonly withHeadings?: boolean;
  /** False where only the notes matter: then excerpts are empty, and no text is read to make them. Default: true. */
  readonly withExcerpts?: boolean;
  /**
   * How many bytes the paths, titles and excerpts of all hits should have together; the first hits get more of
   * them. Default: enough for two places of each.
   */
  readonly room?: number;
  /** Hits say what their scores are made of. */
  readonly withScores?: boolean;
}

export interface SearchFilter {
  readonly under?: NotePath;
  readonly notUnder?: NotePath;
  /** All of them, each with or without `#`; nested tags below one match too. */
  readonly tags?: readonly string[];
  /** With the dot, in lower case. */
  readonly extensions?: readonly string[];
  /** Frontmatter keys and the values they must have, alone or in a list. */
  readonly fields?: Readonly<Record<string, string | number | boolean>>;
  /** Milliseconds since 1970. */
  readonly modifiedAfter?: number;
  readonly modifiedBefore?: number;
  /** A regular expression the text must match somewhere. */
  readonly pattern?: string;
}

export interface SearchHit {
  readonly path: NotePath;
  readonly title: string;
  readonly field: SearchField;
  /** Of the match, from the top of the file; absent when only the name matches. */
  readonly line?: number;
  /** One line of text around the match. */
  readonly excerpt: string;
  /** Where the match stands in the excerpt; absent when it does not. */
  readonly match?: { readonly start: number; readonly end: number };
  /** Occurrences in the note; at least 1. */
  readonly count: number;
  /** The heading the match stands under, or is; absent above the first one. */
  readonly heading?: string;
  /** How well it matches, beside the other hits of the same search; higher is better. */
  readonly score: number;
  /** Only with `withScores`, and for notes that are indexed. */
  readonly parts?: ScoreParts;
  readonly lastModified: number;
}

/** The sum of all is the score. */
export interface ScoreParts {
  readonly words: readonly WordScore[];
  /** Added when the title or an alias of the note is the query. */
  readonly name: number;
  /** Added when the query stands in the note as it was written. */
  readonly literal: number;
  /** For words of the query that stand together, and for words that it does not have: similar ones, or such as the best notes use. */
  readonly others: number;
}

export interface WordScore {
  readonly word: string;
  /** By BM25; inflections count too. */
  readonly score: number;
  /** Where the word or an inflection of it stands, and how often. */
  readonly fields: readonly { readonly field: SearchField; readonly count: number }[];
}

export interface SearchAnswer {
  readonly hits: readonly SearchHit[];
  /** All notes that match, shown or not; of more than 200,000 notes by relevance, at least those that were ranked. */
  readonly total: number;
}

export interface FileEntry {
  readonly path: NotePath;
  readonly size: number;
  readonly lastModified: number;
  /** From frontmatter and text; empty for files that are not notes. */
  readonly tags: readonly string[];
  readonly frontmatterTags: readonly string[];
}

/** A note as the index knows it. */
export interface NoteEntry extends Pick<FileEntry, 'path' | 'size' | 'lastModified' | 'frontmatterTags'> {
  readonly title: string;
  readonly frontmatter: Readonly<Record<string, unknown>>;
  /** In the text, and not in the frontmatter too. */
  readonly inlineTags: readonly string[];
  /** In tokens, as searches count them. */
  readonly length: number;
}

/** The tasks of the notes that have any, in path order. */
export type NoteTasks = readonly (readonly [NotePath, readonly Task[]])[];

export interface SearchOptions {
  readonly signal?: AbortSignal;
  /** Called now and then while an answer waits for the indexing. */
  readonly onProgress?: (done: number, total: number) => void;
  /** Called when notes could not be reached or read, with what the answer leaves out and how old it is. */
  readonly onWarning?: (warning: string) => void;
}

export interface DocumentFrequencies {
  readonly notes: number;
  /** For each word: in about how many notes it stands, or an inflection of it. */
  readonly holders: readonly number[];
  /** For each word that no note has: the one of the notes that it is but for a slip of the hand, if there is one. */
  readonly respelled: readonly (string | undefined)[];
}

export interface NoteSearcher {
  /** Throws `upstream_failed` instead of finding nothing where it could not look everywhere. */
  search(request: SearchRequest, asking?: SearchOptions): Promise<SearchAnswer>;
  /** Every file of the notebook, from memory, in path order. */
  files(asking?: SearchOptions): Promise<readonly FileEntry[]>;
  /** Every note, from memory, in path order. */
  notes(asking?: SearchOptions): Promise<readonly NoteEntry[]>;
  /** Paths of all notes that are called so, by their path or its end, and of others. From memory. */
  maybeCalled(name: string, asking?: SearchOptions): Promise<readonly NotePath[]>;
  /** The notes with this title or alias, whatever its case and accents, in path order. */
  named(name: string, asking?: SearchOptions): Promise<readonly NotePath[]>;
  /** Read once per change of a note. */
  tasks(asking?: SearchOptions): Promise<NoteTasks>;
  /** For folded tokens, as `notes/text` makes them. */
  wordUse(words: readonly string[], asking?: SearchOptions): Promise<DocumentFrequencies>;
  /**
   * How near each text is to the query in meaning, as a cosine; undefined when the notes have not taught what a word of
   * the query means.
   */
  nearness(query: string, texts: readonly string[]): Promise<readonly number[] | undefined>;
  /** As of now. */
  links(asking?: SearchOptions): Promise<LinkGraph>;
  close(): Promise<void>;
}

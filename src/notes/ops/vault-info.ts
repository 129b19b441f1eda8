/** What is in a notebook, as far as a newcomer needs it. From memory. */
import { extensionOf, type NotePath, nameOf, parentOf } from '../path.ts';
import type { FileEntry, NoteEntry, NoteSearcher, SearchOptions } from '../searcher.ts';
import { guessLanguages, LANGUAGE_WORDS, type LanguageShare } from '../text/languages.ts';
import { countTags, taggedNotes } from './tag-index.ts';
import { isTrashed } from './trash.ts';

export interface VaultInfo {
  readonly notes: number;
  /** Of other kinds, where they are indexed. */
  readonly otherFiles: number;
  readonly folders: number;
  /** Of all notes, in bytes. */
  readonly size: number;
  readonly recent: readonly Pick<NoteEntry, 'path' | 'lastModified'>[];
  readonly largest: readonly Pick<NoteEntry, 'path' | 'size'>[];
  /** Each with the notes in it and below it. */
  readonly topFolders: readonly Counted[];
  readonly topTags: readonly Counted[];
  /** Frontmatter keys. */
  readonly topProperties: readonly Counted[];
  readonly languages: readonly LanguageShare[];
}

interface Counted {
  readonly name: string;
  readonly notes: number;
}

const FEW = 5;
const MORE = 10;

/** Gathered once for each state of the notes. */
const gathered = new WeakMap<readonly NoteEntry[], VaultInfo>();

export async function vaultInfo(searcher: NoteSearcher, asking?: SearchOptions): Promise<VaultInfo> {
  const all = await searcher.notes(asking);
  const info = gathered.get(all) ?? (await gather(searcher, all, asking));
  gathered.set(all, info);
  return info;
}

async function gather(
  searcher: NoteSearcher,
  all: readonly NoteEntry[],
  asking: SearchOptions | undefined,
): Promise<VaultInfo> {
  const notes = all.filter(({ path }) => !isTrashed(path));
  const files = (await searcher.files()).filter(({ path }) => !isTrashed(path));
  const { holders } = await searcher.wordUse(LANGUAGE_WORDS, asking);
  const tags = countTags(taggedNotes(all), { nested: false, isWanted: () => true });
  return {
    notes: notes.length,
    otherFiles: otherFiles(files, notes),
    folders: foldersOf(files).size,
    size: notes.reduce((sum, { size }) => sum + size, 0),
    recent: first(notes, FEW, (a, b) => b.lastModified - a.lastModified),
    largest: first(notes, FEW, (a, b) => b.size - a.size),
    topFolders: mostOf(
      notes.map(({ path }) => [topOf(path)]),
      MORE,
    ),
    topTags: first([...tags.values()], MORE, byNotes).map(({ tag, notes: count }) => ({
      name: tag,
      notes: count,
    })),
    topProperties: mostOf(
      notes.map(({ frontmatter }) => Object.keys(frontmatter)),
      MORE,
    ),
    languages: guessLanguages(
      holders,
      notes.map(({ title }) => title),
    ),
  };
}

function otherFiles(files: readonly FileEntry[], notes: readonly NoteEntry[]): number {
  const indexed = new Set(notes.map(({ path }) => path));
  return files.filter(({ path }) => !indexed.has(path) || !isText(path)).length;
}

function isText(path: string): boolean {
  return /^\.(md|markdown|txt)$/.test(extensionOf(path)) || !nameOf(path).includes('.');
}

/** All folders with a file in them or below. */
function foldersOf(files: readonly FileEntry[]): Set<NotePath> {
  const folders = new Set<NotePath>();
  for (const { path } of files)
    for (let folder = parentOf(path); folder !== '' && !folders.has(folder); folder = parentOf(folder))
      folders.add(folder);
  return folders;
}

function topOf(path: string): string {
  const slash = path.indexOf('/');
  return slash < 0 ? '/' : path.slice(0, slash);
}

function mostOf(names: readonly (readonly string[])[], most: number): Counted[] {
  const counts = new Map<string, number>();
  for (const each of names) for (const name of each) counts.set(name, (counts.get(name) ?? 0) + 1);
  const counted = [...counts].map(([name, notes]) => ({ name, notes }));
  return first(counted, most, byNotes);
}

function byNotes(a: { readonly notes: number }, b: { readonly notes: number }): number {
  return b.notes - a.notes;
}

/** The first few in an order, without sorting all. */
function first<T>(items: readonly T[], count: number, compare: (a: T, b: T) => number): T[] {
  const best: T[] = [];
  for (const item of items) {
    if (best.length === count && compare(item, best[count - 1]!) >= 0) continue;
    const at = best.findIndex((other) => compare(item, other) < 0);
    best.splice(at < 0 ? best.length : at, 0, item);
    if (best.length > count) best.pop();
  }
  return best;
}

/** What is in a notebook, as far as a newcomer needs it. From memory. */
import { forEachInSlices } from '../../shared/async/time-slices.ts';
import { extensionOf, type NotePath, nameOf, parentOf } from '../path.ts';
import type { FileEntry, NoteEntry, NoteSearcher, SearchOptions } from '../searcher.ts';
import { guessLanguages, LANGUAGE_WORDS, type LanguageShare } from '../text/languages.ts';
import { countTags, type TagCount, taggedNotes } from './tag-index.ts';
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
  const paths = new Set<NotePath>();
  const titles: string[] = [];
  const recent = best<NoteEntry>(FEW, (a, b) => b.lastModified - a.lastModified);
  const largest = best<NoteEntry>(FEW, (a, b) => b.size - a.size);
  const [folders, properties] = [new Map<string, number>(), new Map<string, number>()];
  let size = 0;
  await forEachInSlices(all, (note) => {
    if (isTrashed(note.path)) return;
    paths.add(note.path);
    titles.push(note.title);
    recent.offer(note);
    largest.offer(note);
    count(folders, topOf(note.path));
    for (const name of Object.keys(note.frontmatter)) count(properties, name);
    size += note.size;
  });
  const { others, folders: allFolders } = await lookAtFiles(await searcher.files(), paths);
  const { holders } = await searcher.wordUse(LANGUAGE_WORDS, asking);
  const tags = await countTags(await taggedNotes(all), { nested: false, isWanted: () => true });
  const topTags = best<TagCount>(MORE, byNotes);
  for (const tag of tags.values()) topTags.offer(tag);
  return {
    notes: paths.size,
    otherFiles: others,
    folders: allFolders,
    size,
    recent: recent.items,
    largest: largest.items,
    topFolders: mostOf(folders),
    topTags: topTags.items.map(({ tag, notes }) => ({ name: tag, notes })),
    topProperties: mostOf(properties),
    languages: await guessLanguages(holders, titles),
  };
}

/** How many are no notes, and how many folders have a file in them or below. */
async function lookAtFiles(files: readonly FileEntry[], notes: ReadonlySet<NotePath>) {
  const folders = new Set<NotePath>();
  let others = 0;
  await forEachInSlices(files, ({ path }) => {
    if (isTrashed(path)) return;
    if (!notes.has(path) || !isText(path)) others++;
    for (let folder = parentOf(path); folder !== '' && !folders.has(folder); folder = parentOf(folder))
      folders.add(folder);
  });
  return { others, folders: folders.size };
}

function isText(path: string): boolean {
  return /^\.(md|markdown|txt)$/.test(extensionOf(path)) || !nameOf(path).includes('.');
}

function topOf(path: string): string {
  const slash = path.indexOf('/');
  return slash < 0 ? '/' : path.slice(0, slash);
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function mostOf(counts: ReadonlyMap<string, number>): readonly Counted[] {
  const most = best<Counted>(MORE, byNotes);
  for (const [name, notes] of counts) most.offer({ name, notes });
  return most.items;
}

function byNotes(a: { readonly notes: number }, b: { readonly notes: number }): number {
  return b.notes - a.notes;
}

/** The first few of all that are offered, in an order, without sorting all. */
function best<T>(most: number, compare: (a: T, b: T) => number) {
  const items: T[] = [];
  return {
    items: items as readonly T[],
    offer(item: T): void {
      if (items.length === most && compare(item, items[most - 1]!) >= 0) return;
      const at = items.findIndex((other) => compare(item, other) < 0);
      items.splice(at < 0 ? items.length : at, 0, item);
      if (items.length > most) items.pop();
    },
  };
}

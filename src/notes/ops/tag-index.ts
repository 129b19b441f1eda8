/** The tags of all notes. Pages in the trash have none. */
import { forEachInSlices } from '../../shared/async/time-slices.ts';
import type { NotePath } from '../path.ts';
import type { NoteEntry } from '../searcher.ts';
import { tagKey } from '../tags.ts';
import { isTrashed } from './trash.ts';

export interface TaggedNote extends Pick<NoteEntry, 'path' | 'title' | 'lastModified'> {
  /** As written. */
  readonly tags: readonly string[];
  readonly keys: readonly string[];
  /** How many of them are in the frontmatter: these come first. */
  readonly inFrontmatter: number;
}

export interface TagCount {
  /** In the spelling that most notes have. */
  readonly tag: string;
  /** How many notes have it. */
  readonly notes: number;
  /** How many of these have it in their text only. */
  readonly inline: number;
}

/** One state of the notes is asked often, also while it is being looked at. */
const known = new WeakMap<readonly NoteEntry[], Promise<readonly TaggedNote[]>>();

export function taggedNotes(notes: readonly NoteEntry[]): Promise<readonly TaggedNote[]> {
  const tagged = known.get(notes) ?? collectTagged(notes);
  known.set(notes, tagged);
  return tagged;
}

async function collectTagged(notes: readonly NoteEntry[]): Promise<readonly TaggedNote[]> {
  const tagged: TaggedNote[] = [];
  await forEachInSlices(notes, ({ path, title, lastModified, frontmatterTags, inlineTags }) => {
    const tags = [...frontmatterTags, ...inlineTags];
    if (tags.length === 0 || isTrashed(path)) return;
    const keys = tags.map(tagKey);
    tagged.push({ path, title, lastModified, tags, keys, inFrontmatter: frontmatterTags.length });
  });
  return tagged;
}

interface Tally {
  readonly spellings: Map<string, number>;
  notes: number;
  inline: number;
}

/** By key, in the order of the keys. With `nested`, a tag counts in the notes that have only a tag below it, too. */
export async function countTags(
  notes: readonly TaggedNote[],
  {
    nested,
    isWanted,
    signal,
  }: {
    readonly nested: boolean;
    readonly isWanted: (path: NotePath) => boolean;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<Map<string, TagCount>> {
  const tallies = new Map<string, Tally>();
  const count = (note: TaggedNote) => {
    if (!isWanted(note.path)) return;
    const own = new Map<string, { readonly spelling: string; readonly inline: boolean }>();
    for (const [at, tag] of note.tags.entries())
      for (const [key, spelling] of nested ? withParents(note.keys[at]!, tag) : [[note.keys[at]!, tag]])
        if (!own.has(key!)) own.set(key!, { spelling: spelling!, inline: at >= note.inFrontmatter });
    for (const [key, { spelling, inline }] of own) {
      const tally = tallies.get(key) ?? { spellings: new Map(), notes: 0, inline: 0 };
      tallies.set(key, tally);
      tally.notes++;
      if (inline) tally.inline++;
      tally.spellings.set(spelling, (tally.spellings.get(spelling) ?? 0) + 1);
    }
  };
  await forEachInSlices(notes, count, signal);
  const sorted = [...tallies].sort(([a], [b]) => (a < b ? -1 : 1));
  return new Map(sorted.map(([key, tally]) => [key, countOf(tally)]));
}

function countOf({ spellings, notes, inline }: Tally): TagCount {
  let [tag, most] = ['', 0];
  for (const [spelling, count] of spellings) if (count > most) [tag, most] = [spelling, count];
  return { tag, notes, inline };
}

/** `a/b/c` with `a/b` and `a`, each as key and as written. */
function withParents(key: string, tag: string): (readonly [string, string])[] {
  const keys = key.split('/');
  const parts = tag.split('/');
  return keys.map((_, at) => [keys.slice(0, at + 1).join('/'), parts.slice(0, at + 1).join('/')]);
}

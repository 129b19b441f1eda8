/** The existing note that a link to a missing one probably means. */
import { editDistance } from '../../shared/nearest.ts';
import { type NotePath, nameOf, parentOf, stemOf } from '../path.ts';
import type { NoteEntry } from '../searcher.ts';
import { fold, SEARCH_FOLDING } from '../text/fold.ts';

/** By the name of a file, its title or an alias. */
interface NamedNote {
  readonly name: string;
  readonly path: NotePath;
}

/** Notes with the most pairs of letters in common, among which the distance decides. */
const SHORTLIST = 24;
const MOST_ANSWERS = 10_000;

export type NearestNote = (target: string, from: NotePath) => NotePath | undefined;

/** The names of one state of the notebook, ready for many questions. */
export function createNearestNote(notes: readonly NoteEntry[]): NearestNote {
  const named = notes.flatMap(namesOf);
  const byName = new Map<string, NamedNote[]>();
  const byPair = new Map<string, number[]>();
  for (const [at, note] of named.entries()) {
    const same = byName.get(note.name);
    if (same) same.push(note);
    else byName.set(note.name, [note]);
    for (const pair of pairsOf(note.name)) {
      const holders = byPair.get(pair);
      if (holders) holders.push(at);
      else byPair.set(pair, [at]);
    }
  }
  const shared = new Uint16Array(named.length);
  /** The notes with the most pairs of the word, among those of a length like its own. */
  const shortlist = (word: string): NamedNote[] => {
    const touched: number[] = [];
    const most = distanceOf(word);
    for (const pair of pairsOf(word))
      for (const at of byPair.get(pair) ?? []) if (shared[at]!++ === 0) touched.push(at);
    // Each edit takes two pairs away.
    const least = Math.max(1, word.length - 1 - 2 * most);
    const best: { readonly at: number; readonly score: number }[] = [];
    for (const at of touched) {
      const { length } = named[at]!.name;
      const pairs = shared[at]!;
      shared[at] = 0;
      if (pairs >= least && Math.abs(length - word.length) <= most)
        best.push({ at, score: pairs / (word.length + length) });
    }
    return best
      .sort((a, b) => b.score - a.score)
      .slice(0, SHORTLIST)
      .map(({ at }) => named[at]!);
  };
  const answers = new Map<string, NotePath | undefined>();
  const find: NearestNote = (target, from) => {
    const word = keyOf(stemOf(nameOf(target)));
    if (word === '') return undefined;
    const isNearer = (a: NamedNote, b: NamedNote) =>
      Number(parentOf(b.path) === parentOf(from)) - Number(parentOf(a.path) === parentOf(from)) ||
      (a.path < b.path ? -1 : 1);
    const same = byName.get(word);
    if (same) return [...same].sort(isNearer)[0]?.path;
    return nearestOf(word, shortlist(word).sort(isNearer));
  };
  return (target, from) => {
    const question = `${parentOf(from)}\n${target}`;
    if (!answers.has(question)) {
      if (answers.size >= MOST_ANSWERS) answers.clear();
      answers.set(question, find(target, from));
    }
    return answers.get(question);
  };
}

/** How many edits apart two names may be. */
function distanceOf(word: string): number {
  return Math.max(1, Math.floor(word.length / 3));
}

function nearestOf(word: string, candidates: readonly NamedNote[]): NotePath | undefined {
  let best: NotePath | undefined;
  let least = distanceOf(word) + 1;
  for (const { name, path } of candidates) {
    const distance = editDistance(word, name, least);
    if (distance < least) [best, least] = [path, distance];
  }
  return best;
}

function namesOf({ path, title, frontmatter }: NoteEntry): NamedNote[] {
  const aliases = Array.isArray(frontmatter.aliases) ? frontmatter.aliases : [];
  const names = [stemOf(path), title, ...aliases.filter((alias) => typeof alias === 'string')].map(keyOf);
  return [...new Set(names)].filter((name) => name !== '').map((name) => ({ name, path }));
}

/** Equal for names that differ only in case, accents, spaces and signs. */
function keyOf(name: string): string {
  return fold(name, SEARCH_FOLDING).text.replace(/[^\p{L}\p{N}]+/gu, '');
}

function pairsOf(word: string): Set<string> {
  const pairs = new Set<string>();
  for (let at = 0; at + 1 < word.length; at++) pairs.add(word.slice(at, at + 2));
  return pairs;
}

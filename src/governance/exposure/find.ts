/** Finds visible tools by what they are about: BM25 over name, title and description. */
import { contentWords, wordsIn } from '../../notes/text/analyzer.ts';
import { idf, saturation } from '../../notes/text/bm25.ts';
import { LruMap } from '../../shared/memoize.ts';
import { createPacer } from '../../upstream/pace.ts';
import type { Exposure } from './visibility.ts';

interface ToolWords {
  readonly counts: ReadonlyMap<string, number>;
  readonly length: number;
}

interface IndexedTool extends ToolWords {
  readonly exposure: Exposure;
}

/** What a word counts by where it stands. */
const WEIGHTS = { name: 4, title: 2, description: 1 };
const MAX_DESCRIPTION = 4_000;
const MAX_QUERY = 1_000;

export type ToolFinder = (query: string, most: number) => { found: readonly Exposure[]; total: number };

const MAX_KNOWN = 4_000;
const PACE = { burstMs: 8, share: 0.5, turnMs: 4 };

export interface ToolIndex {
  /** Reads the words of definitions that are new or have changed, in turns of their own. */
  prepare(exposures: readonly Exposure[]): Promise<void>;
  finder(exposures: readonly Exposure[]): ToolFinder;
}

/** Remembers the words of a definition for as long as it stays the same. */
export function createToolIndex(): ToolIndex {
  const known = new LruMap<ToolWords>(MAX_KNOWN);
  const finders = new WeakMap<readonly Exposure[], ToolFinder>();
  const pace = createPacer(PACE);
  const read = (exposure: Exposure): ToolWords => {
    const key = `${exposure.candidate.entry.fingerprint} ${exposure.name}`;
    const words = known.get(key) ?? indexOf(exposure);
    known.set(key, words);
    return words;
  };
  return {
    async prepare(exposures) {
      if (finders.has(exposures)) return;
      for (const exposure of exposures.filter(isTool)) {
        const begun = performance.now();
        read(exposure);
        const wait = pace(performance.now() - begun);
        if (wait) await wait;
      }
    },
    finder(exposures) {
      const finder = finders.get(exposures) ?? createToolFinder(exposures, read);
      finders.set(exposures, finder);
      return finder;
    },
  };
}

function isTool({ isVisible, candidate }: Exposure): boolean {
  return isVisible && candidate.entry.definition.kind === 'tool';
}

/** `exposures` as `look` returns them; hidden ones and other kinds are never found. */
export function createToolFinder(
  exposures: readonly Exposure[],
  read: (exposure: Exposure) => ToolWords = indexOf,
): ToolFinder {
  const tools = exposures.filter(isTool).map((exposure): IndexedTool => ({ exposure, ...read(exposure) }));
  const frequency = new Map<string, number>();
  for (const { counts } of tools)
    for (const word of counts.keys()) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  const average = tools.reduce((sum, { length }) => sum + length, 0) / Math.max(1, tools.length);
  return (query, most) => {
    const wanted = new Set(wordsOf(query.slice(0, MAX_QUERY)));
    const scoreOf = ({ counts, length }: IndexedTool) =>
      [...wanted].reduce((score, word) => {
        const count = counts.get(word);
        if (count === undefined) return score;
        return score + idf(frequency.get(word) ?? 0, tools.length) * saturation(count, length / average);
      }, 0);
    const scored = tools
      .map((tool) => ({ tool, score: wanted.size === 0 ? 1 : scoreOf(tool) }))
      .filter(({ score }) => score > 0)
      // The list is sorted by name, and so are tools alike.
      .sort((a, b) => b.score - a.score);
    return { found: scored.slice(0, most).map(({ tool }) => tool.exposure), total: scored.length };
  };
}

function indexOf(exposure: Exposure): ToolWords {
  const { title = '', description = '' } = exposure.candidate.entry.definition;
  const counts = new Map<string, number>();
  let length = 0;
  const add = (text: string, weight: number) => {
    for (const word of wordsOf(text)) {
      counts.set(word, (counts.get(word) ?? 0) + weight);
      length += weight;
    }
  };
  add(exposure.name, WEIGHTS.name);
  add(title, WEIGHTS.title);
  add(description.slice(0, MAX_DESCRIPTION), WEIGHTS.description);
  return { counts, length };
}

/** `getUserByName` and `get_user-by.name` are words too. */
function wordsOf(text: string): string[] {
  const apart = text.replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2').replace(/[_\-./]+/g, ' ');
  const words = contentWords(apart);
  return words.length > 0 ? words : wordsIn(apart);
}

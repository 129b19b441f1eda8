/** Search in the catalogue, best match first. Every word of the query must be found; the field it is found in gives the score. */
import type { MarketEntry } from './entry.ts';
import { type InstallTransport, optionsOf } from './install.ts';

interface MarketQuery {
  readonly text?: string;
  readonly transport?: InstallTransport;
  /** Deprecated entries too. */
  readonly all?: boolean;
}

const MAX_QUERY = 200;
const MAX_WORDS = 10;

export function searchMarket(entries: readonly MarketEntry[], query: MarketQuery): MarketEntry[] {
  const words = wordsOf((query.text ?? '').slice(0, MAX_QUERY)).slice(0, MAX_WORDS);
  return entries
    .filter((entry) => query.all === true || entry.status !== 'deprecated')
    .filter((entry) => query.transport === undefined || transportsOf(entry).includes(query.transport))
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0 || words.length === 0)
    .sort((a, b) => b.score - a.score || inOrder(a.entry, b.entry))
    .map(({ entry }) => entry);
}

export function transportsOf(entry: MarketEntry): InstallTransport[] {
  return [...new Set(optionsOf(entry).map(({ transport }) => transport))];
}

function inOrder(a: MarketEntry, b: MarketEntry): number {
  if (a.status !== b.status) return a.status === 'active' ? -1 : 1;
  const [older, newer] = [a.updatedAt ?? '', b.updatedAt ?? ''];
  if (older !== newer) return older > newer ? -1 : 1;
  return a.name < b.name ? -1 : 1;
}

/** 0 when a word is not found. */
function scoreOf(entry: MarketEntry, words: readonly string[]): number {
  const name = entry.name.toLowerCase();
  const short = name.slice(name.indexOf('/') + 1);
  const title = (entry.title ?? '').toLowerCase();
  const description = entry.description.toLowerCase();
  const parts = {
    name,
    short,
    title,
    description,
    nameWords: wordsOf(name),
    otherWords: wordsOf(`${title} ${description}`),
  };
  const scores = words.map((word) => scoreOfWord(parts, word));
  return scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score, 0);
}

interface SearchableEntry {
  readonly name: string;
  readonly short: string;
  readonly title: string;
  readonly description: string;
  readonly nameWords: readonly string[];
  readonly otherWords: readonly string[];
}

function scoreOfWord(
  { name, short, title, description, nameWords, otherWords }: SearchableEntry,
  word: string,
): number {
  if (short === word || name === word) return 100;
  if (nameWords.includes(word)) return 60;
  if (nameWords.some((own) => own.startsWith(word))) return 40;
  if (name.includes(word)) return 20;
  if (otherWords.includes(word)) return title.includes(word) ? 15 : 10;
  return title.includes(word) || description.includes(word) ? 4 : 0;
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

/**
 * Finds notes by reading them: the words of the query in the text, the frontmatter or the name. Notes with
 * the whole query come first, then those with all of its words, then those with some; better matches higher.
 */
import { isAppError } from '../../shared/errors.ts';
import { pooled } from '../../shared/pooled.ts';
import { lineNumberAt } from '../edit.ts';
import { excerptAround } from '../excerpt.ts';
import { type Folding, fold } from '../fold.ts';
import { bodyStartOf } from '../frontmatter/body-start.ts';
import { parseFrontmatter } from '../frontmatter/parse.ts';
import { type NotePath, stemOf } from '../path.ts';
import type { NoteStore } from '../store.ts';
import { textOf } from '../text.ts';
import { titleOf } from '../title.ts';

export interface SearchQuery {
  readonly query: string;
  readonly searchContent: boolean;
  readonly searchFrontmatter: boolean;
  readonly caseSensitive: boolean;
  readonly under?: NotePath;
}

export interface SearchHit {
  readonly path: NotePath;
  readonly title: string;
  readonly excerpt: string;
  /** Occurrences in the text searched; a name counts once. */
  readonly matchCount: number;
  /** Of the first match, from the top of the file. Absent when only the name matches. */
  readonly line?: number;
}

interface Candidate {
  readonly path: NotePath;
  readonly phrases: number;
  readonly counts: readonly number[];
  readonly inName: number;
  readonly length: number;
}

const PARALLEL = 8;
const AVERAGE_LENGTH = 4_000;

export async function searchNotes(
  store: NoteStore,
  search: SearchQuery,
  page: { readonly offset: number; readonly limit: number },
  signal?: AbortSignal,
): Promise<{ hits: SearchHit[]; total: number }> {
  const matcher = createMatcher(search);
  const metas = await store.list({
    ...(search.under !== undefined && { under: search.under }),
    ...(signal && { signal }),
  });
  const found = await pooled(metas, PARALLEL, (meta) => examine(store, meta.path, matcher), signal);
  const candidates = found.filter((candidate) => candidate !== undefined);
  const ranked = rank(candidates, matcher.words.length, metas.length);
  const shown = ranked.slice(page.offset, page.offset + page.limit);
  const hits = await pooled(shown, PARALLEL, (candidate) => explain(store, candidate, matcher), signal);
  return { hits: hits.filter((hit) => hit !== undefined), total: candidates.length };
}

type Matcher = ReturnType<typeof createMatcher>;

function createMatcher(search: SearchQuery) {
  const folding: Folding = {
    ignoreCase: !search.caseSensitive,
    ignoreAccents: !search.caseSensitive,
    ignoreLineEndings: true,
  };
  const phrase = fold(search.query.trim(), folding).text;
  const words = [...new Set(phrase.split(/\s+/).filter((word) => word !== ''))];
  /** The parts of a note that are searched, with the offset where each begins. */
  const parts = (text: string): { text: string; start: number }[] => {
    const bodyStart = bodyStartOf(text);
    if (search.searchContent && search.searchFrontmatter) return [{ text, start: 0 }];
    return search.searchContent
      ? [{ text: text.slice(bodyStart), start: bodyStart }]
      : [{ text: text.slice(0, bodyStart), start: 0 }];
  };
  return { folding, phrase, words, parts, searchesNames: search.searchContent };
}

async function readText(store: NoteStore, path: NotePath): Promise<string | undefined> {
  try {
    return textOf(await store.read(path));
  } catch (error) {
    if (isAppError(error)) return undefined;
    throw error;
  }
}

async function examine(store: NoteStore, path: NotePath, matcher: Matcher): Promise<Candidate | undefined> {
  const text = await readText(store, path);
  const name = matcher.searchesNames ? fold(stemOf(path), matcher.folding).text : '';
  const folded =
    text === undefined
      ? ''
      : matcher
          .parts(text)
          .map((part) => fold(part.text, matcher.folding).text)
          .join('\n');
  const phrases = countOf(folded, matcher.phrase);
  const counts = matcher.words.map((word) => countOf(folded, word));
  const inName = name.includes(matcher.phrase)
    ? matcher.words.length
    : matcher.words.filter((word) => name.includes(word)).length;
  if (inName === 0 && counts.every((count) => count === 0)) return undefined;
  return { path, phrases, counts, inName, length: folded.length };
}

/** Whole query, then all words, then rarer words and more of them; a match in the name lifts. */
function rank(candidates: readonly Candidate[], words: number, total: number): Candidate[] {
  const holders = Array.from(
    { length: words },
    (_, at) => candidates.filter(({ counts }) => (counts[at] ?? 0) > 0).length,
  );
  const scoreOf = ({ counts, phrases, inName, length }: Candidate): number => {
    const matched = counts.filter((count) => count > 0).length;
    const weight = counts.reduce((sum, count, at) => {
      const rarity = Math.log(1 + (total - (holders[at] ?? 0) + 0.5) / ((holders[at] ?? 0) + 0.5));
      return sum + (rarity * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * length) / AVERAGE_LENGTH));
    }, 0);
    return (
      (phrases > 0 ? 1_000 : 0) +
      (matched === words ? 500 : 0) +
      weight +
      inName * 4 +
      (inName === words ? 200 : 0)
    );
  };
  const scored = candidates.map((candidate) => ({ candidate, score: scoreOf(candidate) }));
  scored.sort((a, b) => b.score - a.score || (a.candidate.path < b.candidate.path ? -1 : 1));
  return scored.map(({ candidate }) => candidate);
}

async function explain(
  store: NoteStore,
  candidate: Candidate,
  matcher: Matcher,
): Promise<SearchHit | undefined> {
  const { path, phrases, counts } = candidate;
  const text = await readText(store, path);
  const parsed = await parseFrontmatter(text ?? '');
  const title = titleOf(path, parsed.data, parsed.body);
  const matchCount = phrases > 0 ? phrases : counts.reduce((sum, count) => sum + count, 0);
  if (text === undefined || matchCount === 0) {
    return { path, title, excerpt: excerptAround(parsed.body.trimStart(), 0, 0), matchCount: 1 };
  }
  const wanted = phrases > 0 ? [matcher.phrase] : matcher.words;
  for (const part of matcher.parts(text)) {
    const folded = fold(part.text, matcher.folding);
    const first = firstOf(folded.text, wanted);
    if (!first) continue;
    const start = part.start + folded.originalOffset(first.at);
    const end = part.start + folded.originalOffset(first.at + first.word.length);
    return {
      path,
      title,
      excerpt: excerptAround(text, start, end),
      matchCount,
      line: lineNumberAt(text, start),
    };
  }
  return undefined;
}

function firstOf(text: string, words: readonly string[]): { at: number; word: string } | undefined {
  let first: { at: number; word: string } | undefined;
  for (const word of words) {
    const at = text.indexOf(word);
    if (at >= 0 && (!first || at < first.at)) first = { at, word };
  }
  return first;
}

function countOf(text: string, word: string): number {
  let count = 0;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) count++;
  return count;
}

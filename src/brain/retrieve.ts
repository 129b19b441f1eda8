/** The passages that have most to do with a question, from all mounted notebooks: by words, by meaning, or by both. */
import type { Embedder } from '../llm/types.ts';
import { type Question, questionOf } from '../notes/words/question.ts';
import type { Embedding } from './embed/embedding.ts';
import { fuse } from './fuse.ts';
import { findByWords, type Looking, type WordFindings } from './keyword.ts';
import { openLibrary } from './library.ts';
import { createMeaning, type FoundByMeaning, type Meaning } from './meaning.ts';
import { type Mounts, mountsOf } from './mounts.ts';
import { createNoteReader } from './note-reader.ts';
import { coverageOf } from './rank-pieces.ts';
import type {
  Inquiry,
  Library,
  Passage,
  RankedPassage,
  RetrievalMode,
  RetrievalRequest,
  Retrieved,
  Retriever,
  Scope,
  Source,
} from './types.ts';

export interface RetrieverOptions {
  readonly sources: readonly Source[];
  /** Without both, notes are found by words alone. */
  readonly embedder?: Embedder;
  readonly embedding?: Embedding;
}

/** Each further passage of a note counts less: other notes have something to say, too. */
const AGAIN = 0.8;
/** From each ranking, for each passage wanted. */
const RANKED_PER_PASSAGE = 3;
const FEWEST_RANKED = 30;
/** A note may have changed since its passages were embedded: then the next one is shown. */
const SPARE = 5;

export function openRetriever({ sources, embedder, embedding }: RetrieverOptions): Retriever {
  const mounts = mountsOf(sources);
  const reader = createNoteReader(mounts);
  const library = openLibrary(sources);
  const meaning = embedder && embedding && createMeaning(embedder, embedding);
  return {
    async retrieve(request, asking = {}) {
      const warnings: string[] = [];
      const inquiry: Inquiry = { ...asking, onWarning: (warning) => void warnings.push(warning) };
      const looking = { parts: mounts.parts(request.scope, inquiry), reader, inquiry };
      const vector = await queryVector(request, meaning, inquiry);
      const found =
        meaning && vector
          ? await findFused(request, { ...looking, meaning, vector, mounts, library })
          : await findAmongWords(request, looking);
      return { ...found, warnings };
    },
    similarity: async (text, others, asking) => meaning?.similarity(text, others, asking?.signal),
  };
}

type Found = Omit<Retrieved, 'warnings'>;

async function queryVector(
  { mode, query }: RetrievalRequest,
  meaning: Meaning | undefined,
  inquiry: Inquiry,
): Promise<Float32Array | undefined> {
  if (mode === 'keyword') return undefined;
  if (meaning) return meaning.vectorOf(query, inquiry);
  inquiry.onWarning?.('There is no embedding model: found by words alone.');
  return undefined;
}

async function findAmongWords({ query, limit }: RetrievalRequest, looking: Looking): Promise<Found> {
  const { pieces, total } = await findByWords(query, limit, looking);
  const best = spread(pieces, ({ cut }) => cut.sourcePath).slice(0, limit);
  const passages = await Promise.all(
    best.map(async ({ cut, at, score, coverage }) => ({
      passage: (await cut.passages())[at]!,
      score,
      coverage,
    })),
  );
  return { passages, total, modeUsed: 'keyword' };
}

interface LookingWide extends Looking {
  readonly meaning: Meaning;
  readonly vector: Float32Array;
  readonly mounts: Mounts;
  readonly library: Library;
}

async function findFused(request: RetrievalRequest, looking: LookingWide): Promise<Found> {
  const { query, limit, mode, scope } = request;
  const most = Math.max(FEWEST_RANKED, limit * RANKED_PER_PASSAGE);
  const near = looking.meaning.nearest(looking.vector, most, await acceptedBy(scope, looking));
  const words = mode === 'semantic' ? NOTHING : await findByWords(query, limit, looking);
  const known = await passagesByHash(words, most);
  const byWords = [...known.keys()];
  const scores =
    mode === 'semantic'
      ? new Map(near.map(({ hash, cosine }) => [hash, Math.min(1, cosine)]))
      : fuse([byWords, near.map(({ hash }) => hash)]);
  const paths = new Map(near.map(({ hash, sourcePath }) => [hash, sourcePath]));
  const ranked = [...scores].map(([hash, score]) => ({
    hash,
    score,
    sourcePath: paths.get(hash) ?? known.get(hash)!.sourcePath,
  }));
  const best = spread(ranked, ({ sourcePath }) => sourcePath).slice(0, limit + SPARE);
  const passages = await shownPassages(best, { ...looking, known, question: questionOf(query) });
  return {
    passages: passages.slice(0, limit),
    total: totalOf(words.total, near, passages),
    modeUsed: mode satisfies RetrievalMode,
  };
}

const NOTHING: WordFindings = { pieces: [], total: 0 };

/** The notes of the scope; undefined when every note will do. */
async function acceptedBy(
  scope: Scope,
  { library, inquiry }: LookingWide,
): Promise<((sourcePath: string) => boolean) | undefined> {
  if (Object.values(scope).every((value) => value === undefined)) return undefined;
  const { onWarning: _, ...asking } = inquiry;
  const paths = new Set((await library.notes(scope, asking)).map(({ sourcePath }) => sourcePath));
  return (sourcePath) => paths.has(sourcePath);
}

async function passagesByHash({ pieces }: WordFindings, most: number): Promise<Map<string, Passage>> {
  const passages = await Promise.all(
    pieces.slice(0, most).map(async ({ cut, at }) => (await cut.passages())[at]!),
  );
  return new Map(passages.map((passage) => [passage.hash, passage]));
}

interface Showing extends LookingWide {
  readonly known: ReadonlyMap<string, Passage>;
  readonly question: Question;
}

async function shownPassages(
  ranked: readonly { readonly hash: string; readonly score: number; readonly sourcePath: string }[],
  showing: Showing,
): Promise<RankedPassage[]> {
  const { known, question, meaning, vector } = showing;
  const shown = await Promise.all(
    ranked.map(async ({ hash, score, sourcePath }) => {
      const passage = known.get(hash) ?? (await passageWith(hash, sourcePath, showing));
      if (!passage) return [];
      const cosine = meaning.cosine(vector, hash);
      const coverage = coverageOf(passage, question);
      return [{ passage, score, coverage, ...(cosine !== undefined && { cosine }) }];
    }),
  );
  return shown.flat();
}

/** Undefined when the note has changed or gone. */
async function passageWith(
  hash: string,
  sourcePath: string,
  { mounts, reader }: Showing,
): Promise<Passage | undefined> {
  const place = mounts.find(sourcePath);
  // Far notes are read anew: who knows when their vectors were made.
  const cut = place && (await reader.read(place.source, place.path, Number.NaN));
  return (await cut?.passages())?.find((passage) => passage.hash === hash);
}

/** Notes with words of the question, and those found by meaning that have none of them. */
function totalOf(byWords: number, near: readonly FoundByMeaning[], shown: readonly RankedPassage[]): number {
  if (byWords === 0) return new Set(near.map(({ sourcePath }) => sourcePath)).size;
  const wordless = shown.filter(({ coverage }) => coverage === 0).map(({ passage }) => passage.sourcePath);
  return byWords + new Set(wordless).size;
}

function spread<Ranked extends { readonly score: number }>(
  ranked: readonly Ranked[],
  noteOf: (ranked: Ranked) => string,
): Ranked[] {
  const seen = new Map<string, number>();
  return [...ranked]
    .sort((a, b) => b.score - a.score)
    .map((entry) => {
      const before = seen.get(noteOf(entry)) ?? 0;
      seen.set(noteOf(entry), before + 1);
      return { ...entry, score: entry.score * AGAIN ** before };
    })
    .sort((a, b) => b.score - a.score);
}

/** A small library in memory that keeps the promises of src/brain/types.ts, for tests of what stands on them. */

import { createHash } from 'node:crypto';
import { type CitePassage, citationWithin } from '../../src/brain/answer/citations.ts';
import type { LooseCitation } from '../../src/brain/pack/types.ts';
import type { Library, Passage, RankedPassage, Retriever, SourceNote } from '../../src/brain/types.ts';
import type { Range } from '../../src/notes/markdown/regions.ts';
import { contentWords, shareOf } from '../../src/notes/text/analyzer.ts';
import { AppError } from '../../src/shared/errors.ts';

export interface SmallLibrary {
  readonly library: Library;
  readonly retriever: Retriever;
  readonly citeAt: (note: SourceNote, span: Range) => LooseCitation;
  readonly cite: CitePassage;
  /** The queries it was asked. */
  readonly asked: string[];
  textOf(sourcePath: string): string;
}

export interface SmallLibraryOptions {
  /** Words of one line mean the same: with them there is an embedder. */
  readonly meanings?: readonly string[];
}

export const RETRIEVED_AT = '2026-11-15T10:00:00.000Z';

export function libraryOf(
  notes: Readonly<Record<string, string>>,
  options: SmallLibraryOptions = {},
): SmallLibrary {
  const passages = Object.entries(notes).flatMap(([path, text]) => passagesOf(path, text));
  const asked: string[] = [];
  const { meanings } = options;
  const alike = (a: string, b: string) => cosine(meaningOf(a, meanings ?? []), meaningOf(b, meanings ?? []));
  const retriever: Retriever = {
    async retrieve({ query, limit, scope }) {
      asked.push(query);
      const words = contentWords(query);
      const ranked = passages
        .filter(({ sourcePath }) => sourcePath.startsWith(scope.pathPrefix ?? ''))
        .map((passage): RankedPassage => {
          const whole = [passage.title, ...passage.headings, passage.text].join(' ');
          const coverage = shareOf(words, new Set(contentWords(whole)));
          return {
            passage,
            coverage,
            score: coverage,
            ...(meanings &&
              nearness(coverage, Math.max(...whole.split(/[.\n]/).map((one) => alike(query, one))))),
          };
        })
        .filter(({ score }) => score > 0)
        .sort((a, b) => b.score - a.score);
      return {
        passages: ranked.slice(0, limit),
        total: new Set(ranked.map(({ passage }) => passage.sourcePath)).size,
        modeUsed: meanings ? 'hybrid' : 'keyword',
        warnings: [],
      };
    },
    similarity: async (text, others) => (meanings ? others.map((other) => alike(text, other)) : undefined),
  };
  const textOf = (path: string) => notes[path] ?? '';
  const citeAt = ({ sourcePath }: SourceNote, span: Range) => {
    const passage = passages.find((one) => one.sourcePath === sourcePath && one.span.end > span.start);
    if (!passage) throw new Error('no passage there');
    return cite({ passage, score: 1, coverage: 1 }, span);
  };
  return { library: smallLibrary(notes), retriever, cite, citeAt, asked, textOf };
}

function nearness(coverage: number, cosine: number): Pick<RankedPassage, 'cosine' | 'score'> {
  return { cosine, score: (coverage + cosine) / 2 };
}

function smallLibrary(notes: Readonly<Record<string, string>>): Library {
  const known = Object.entries(notes).map(([sourcePath, text]) => ({
    sourcePath,
    title: sourcePath.replace(/\.md$/, ''),
    tags: [...text.matchAll(/(?:^|\s)#([a-z]+)|^tags: \[?([a-z]+)/gm)].map(
      ([, inline, listed]) => inline ?? listed ?? '',
    ),
    lastModified: 0,
    size: text.length,
    text,
  }));
  return {
    notes: async () => known,
    async read(path) {
      const note = known.find(({ sourcePath }) => sourcePath === path);
      if (!note) throw new AppError('not_found', 'File not found', { subject: path });
      return note;
    },
  };
}

/** A passage for each heading. */
function passagesOf(sourcePath: string, text: string): Passage[] {
  const starts = [
    0,
    ...[...text.matchAll(/^#{1,6} /gm)].map(({ index }) => index).filter((index) => index > 0),
  ];
  return starts.flatMap((start, at) => {
    const end = starts[at + 1] ?? text.length;
    const piece = text.slice(start, end);
    if (piece.trim() === '') return [];
    const heading = /^#{1,6} (.*)/.exec(piece)?.[1] ?? '';
    return {
      sourcePath,
      title: sourcePath.replace(/\.md$/, ''),
      tags: [],
      lastModified: 0,
      anchor: heading,
      headings: heading === '' ? [] : [heading],
      span: { start, end },
      ...linesOf(text, { start, end }),
      text: piece,
      hash: createHash('sha256').update(`${sourcePath} ${heading} ${piece}`).digest('hex'),
    };
  });
}

function linesOf(text: string, { start, end }: Range): { lineStart: number; lineEnd: number } {
  const lineAt = (offset: number) => text.slice(0, offset).split('\n').length;
  return { lineStart: lineAt(start), lineEnd: lineAt(Math.max(start, end - 1)) };
}

const cite: CitePassage = ({ passage, score }, where) =>
  citationWithin(passage, typeof where === 'string' ? passage.span : where, {
    score,
    retrievedAt: RETRIEVED_AT,
  });

function meaningOf(text: string, meanings: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of contentWords(text)) {
    const same = meanings.find((line) => contentWords(line).includes(word)) ?? word;
    counts.set(same, (counts.get(same) ?? 0) + 1);
  }
  return counts;
}

function cosine(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  const dot = [...a].reduce((sum, [word, count]) => sum + count * (b.get(word) ?? 0), 0);
  const norm = (one: ReadonlyMap<string, number>) =>
    Math.sqrt([...one.values()].reduce((sum, n) => sum + n * n, 0));
  return dot === 0 ? 0 : dot / (norm(a) * norm(b));
}

/** A citation of one line of a note, of which nothing else is known. */
export function looseCitation(sourcePath: string, lineStart: number, textSpan: string): LooseCitation {
  return {
    chunkHash: `h${lineStart}`,
    sourcePath,
    anchor: '',
    lineStart,
    lineEnd: lineStart,
    textSpan,
    score: 1,
    retrievedAt: RETRIEVED_AT,
  };
}

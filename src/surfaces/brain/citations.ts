/** Turns the evidence of extracted items (note, span) into numbered citations. */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { citationsIn } from '../../brain/answer/citations.ts';
import type { Evidence } from '../../brain/extract/types.ts';
import { type Citation, type Library, type SourceNote, snakeCased } from '../../brain/types.ts';
import type { Output } from '../../mcp/tool.ts';
import type { SearchOptions } from '../../notes/searcher.ts';
import { isAppError } from '../../shared/errors.ts';
import { PAGE_CHARACTERS, pageEnd } from '../shared/parameters.ts';

interface ExtractedItem {
  readonly confidence: number;
  readonly evidence: Evidence;
}

type CitedItem<Item extends ExtractedItem> = Omit<Item, 'evidence'> & { readonly citation: Citation };

export type ItemCiter = <Item extends ExtractedItem>(items: readonly Item[]) => Promise<CitedItem<Item>[]>;

interface CiteOptions {
  readonly library: Library;
  readonly retrievedAt: string;
  /** The text that was passed in instead of a note. */
  readonly text?: string;
  readonly options: SearchOptions;
}

/** Citation numbers continue from one list to the next. */
export function createItemCiter({ library, retrievedAt, text, options }: CiteOptions): ItemCiter {
  const notes = new Map<
    string,
    Promise<((evidence: Evidence, facts: CitationRank) => Citation) | undefined>
  >();
  let index = 0;
  const citerOf = (sourcePath: string) => {
    const known = notes.get(sourcePath);
    if (known) return known;
    const note =
      text === undefined ? readIfThere(library, sourcePath, options) : Promise.resolve(asNote(text));
    const citer = note.then((read) => read && citerIn(read));
    notes.set(sourcePath, citer);
    return citer;
  };
  return (items) =>
    inTurn(items, async ({ evidence, ...item }) => {
      const facts = { index: ++index, score: item.confidence, retrievedAt };
      const citer = await citerOf(evidence.sourcePath);
      return { ...item, citation: citer?.(evidence, facts) ?? plainly(evidence, facts) };
    }) as never;
}

type CitationRank = Pick<Citation, 'index' | 'score' | 'retrievedAt'>;

function citerIn(note: SourceNote): (evidence: Evidence, facts: CitationRank) => Citation {
  const cite = citationsIn(note);
  return (evidence, facts) => {
    const { start } = evidence.span;
    // The note may have been rewritten since the extraction.
    const isThere = note.text.startsWith(evidence.textSpan, start);
    return isThere ? cite(evidence.span, facts) : plainly(evidence, facts);
  };
}

function plainly(evidence: Evidence, facts: CitationRank): Citation {
  const { sourcePath, anchor, lineStart, lineEnd, textSpan } = evidence;
  const chunkHash = createHash('sha256').update(`${sourcePath}\n${anchor}\n${textSpan}`).digest('hex');
  return { ...facts, chunkHash, sourcePath, anchor, lineStart, lineEnd, textSpan };
}

async function readIfThere(
  library: Library,
  sourcePath: string,
  options: SearchOptions,
): Promise<SourceNote | undefined> {
  try {
    return await library.read(sourcePath, options);
  } catch (error) {
    if (isAppError(error, 'not_found') || isAppError(error, 'unsupported')) return undefined;
    throw error;
  }
}

function asNote(text: string): SourceNote {
  return { sourcePath: '', title: '', tags: [], lastModified: 0, size: text.length, text };
}

async function inTurn<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}

/** Renames keys for the wire: `lineStart` becomes `line_start`. */

export type WireValue = Record<string, unknown>;

export function onWire(value: object): WireValue {
  return snakeCased(value) as WireValue;
}

/** Output schemas that several tools share, and the cutting of long answers. */

export const citation = () =>
  z.object({
    index: z.number(),
    chunk_hash: z.string(),
    source_path: z.string(),
    anchor: z.string(),
    line_start: z.number(),
    line_end: z.number(),
    text_span: z.string(),
    score: z.number(),
    retrieved_at: z.string(),
  });

export const warnings = () => z.array(z.string());

/** Number of items left out of each list because the answer would be too long. */
export const omitted = () => z.record(z.string(), z.number()).optional();

const charactersOf = (item: unknown) => JSON.stringify(item).length;

/** The longest prefix of `items` that fits the budget. */
export function fitting<Item>(items: readonly Item[], budget: number = PAGE_CHARACTERS): readonly Item[] {
  return items.slice(0, pageEnd(items, 0, charactersOf, budget));
}

/**
 * Cuts the lists of an answer that is too long, the last list first. The answer counts what was left out, and `hint`
 * says how to get it.
 */
export function outputOf(answer: object, lists: readonly string[], hint: string): Output {
  const value = onWire(answer);
  let over = charactersOf(value) - PAGE_CHARACTERS;
  if (over <= 0) return { value };
  const left: Record<string, number> = {};
  const shown: WireValue = { ...value };
  for (const name of [...lists].reverse()) {
    const items = value[name];
    if (over <= 0 || !Array.isArray(items)) continue;
    const kept = fitting(items, Math.max(1, charactersOf(items) - over));
    over -= charactersOf(items) - charactersOf(kept);
    left[name] = items.length - kept.length;
    shown[name] = kept;
  }
  const note = `The answer was too long: ${Object.entries(left)
    .map(([name, count]) => `${count} of ${name}`)
    .join(', ')} left out. ${hint}`;
  return {
    value: { ...shown, omitted: left, warnings: [...((shown.warnings as string[]) ?? []), note] },
  };
}

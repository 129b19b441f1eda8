/** What extraction finds says where it stands; here that becomes a citation like every other. */
import { createHash } from 'node:crypto';
import { citationsIn } from '../../brain/citation.ts';
import type { Evidence } from '../../brain/extract/types.ts';
import type { Citation, Library, SourceNote } from '../../brain/types.ts';
import type { Asking } from '../../notes/searcher.ts';
import { isAppError } from '../../shared/errors.ts';

interface Found {
  readonly confidence: number;
  readonly evidence: Evidence;
}

type Cited<Item extends Found> = Omit<Item, 'evidence'> & { readonly citation: Citation };

export type CiteFindings = <Item extends Found>(items: readonly Item[]) => Promise<Cited<Item>[]>;

export interface CiteOptions {
  readonly library: Library;
  readonly retrievedAt: string;
  /** What was given instead of a note. */
  readonly text?: string;
  readonly asking: Asking;
}

/** Numbers go on from one list to the next. */
export function createCiteFindings({ library, retrievedAt, text, asking }: CiteOptions): CiteFindings {
  const notes = new Map<string, Promise<((evidence: Evidence, facts: Facts) => Citation) | undefined>>();
  let index = 0;
  const citerOf = (sourcePath: string) => {
    const known = notes.get(sourcePath);
    if (known) return known;
    const note =
      text === undefined ? readIfThere(library, sourcePath, asking) : Promise.resolve(asNote(text));
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

type Facts = Pick<Citation, 'index' | 'score' | 'retrievedAt'>;

function citerIn(note: SourceNote): (evidence: Evidence, facts: Facts) => Citation {
  const cite = citationsIn(note);
  return (evidence, facts) => {
    const { start } = evidence.span;
    // A note that was written meanwhile has something else there.
    const isThere = note.text.startsWith(evidence.textSpan, start);
    return isThere ? cite(evidence.span, facts) : plainly(evidence, facts);
  };
}

function plainly(evidence: Evidence, facts: Facts): Citation {
  const { sourcePath, anchor, lineStart, lineEnd, textSpan } = evidence;
  const chunkHash = createHash('sha256').update(`${sourcePath}\n${anchor}\n${textSpan}`).digest('hex');
  return { ...facts, chunkHash, sourcePath, anchor, lineStart, lineEnd, textSpan };
}

async function readIfThere(
  library: Library,
  sourcePath: string,
  asking: Asking,
): Promise<SourceNote | undefined> {
  try {
    return await library.read(sourcePath, asking);
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

/** The best passages with all that is shown of each. */
import { createHash } from 'node:crypto';
import { citationOf, rounded } from '../../brain/answer/citations.ts';
import type { RankedPassage, Retriever } from '../../brain/types.ts';
import type { SearchOptions } from '../../notes/searcher.ts';
import { type Question, questionOf } from '../../notes/text/question.ts';
import { AppError } from '../../shared/errors.ts';
import type { RecallAnswer, RecalledPassage, RecallRequest } from './backend.ts';

/**
 * Where a search goes on. The order of what is found may change with how much is looked for, so a cursor says what was
 * shown, not how much: nothing comes twice, and nothing is passed over. It outlives the server.
 */

const VERSION = 1;
const HASH_DIGITS = 8;
/** Whoever pages further has the wrong question. */
const MOST_SHOWN = 200;

export function shownKey(chunkHash: string): string {
  return chunkHash.slice(0, HASH_DIGITS);
}

/** Undefined where there is no further page. */
export function encodeShown(shown: readonly string[], search: unknown): string | undefined {
  if (shown.length >= MOST_SHOWN) return undefined;
  return Buffer.from(`${VERSION} ${digest(search)} ${shown.join('')}`).toString('base64url');
}

export function decodeShown(cursor: string | undefined, search: unknown): string[] {
  if (cursor === undefined) return [];
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  const { 1: version, 2: of, 3: keys = '' } = /^(\d+) ([0-9a-f]{16}) ([0-9a-f]*)$/.exec(text) ?? [];
  if (Number(version) !== VERSION || keys.length % HASH_DIGITS > 0 || keys.length > MOST_SHOWN * HASH_DIGITS)
    throw invalid('it is not one of this tool');
  if (of !== digest(search)) throw invalid('it belongs to another search');
  return keys.match(/.{8}/g) ?? [];
}

function invalid(problem: string): AppError {
  return new AppError('invalid_input', 'Invalid cursor', {
    subject: problem,
    hint: 'Use next_cursor of the last answer with the same arguments, or leave cursor out to begin anew.',
    details: { parameter: 'cursor' },
  });
}

function digest(search: unknown): string {
  return createHash('sha256').update(JSON.stringify(search)).digest('hex').slice(0, 16);
}

const LONGEST_SNIPPET = 200;

export async function recall(
  retriever: Retriever,
  { query, limit, shown, mode, scope }: RecallRequest,
  { now, asking }: { readonly now: number; readonly asking: SearchOptions },
): Promise<RecallAnswer> {
  // One more than is shown tells whether there are more; after the first page, all that may be shown are looked at.
  const wanted = shown.length === 0 ? limit + 1 : MOST_SHOWN + limit;
  const found = await retriever.retrieve({ query, limit: wanted, mode, scope }, asking);
  const { total, modeUsed, warnings } = found;
  const before = new Set(shown);
  const passages = found.passages.filter(({ passage }) => !before.has(shownKey(passage.hash)));
  const question = questionOf(query);
  const retrievedAt = new Date(now).toISOString();
  return {
    results: passages.slice(0, limit).map((ranked) => recalled(ranked, question, retrievedAt)),
    total,
    hasMore: passages.length > limit,
    modeUsed,
    warnings,
  };
}

function recalled(
  { passage, score }: RankedPassage,
  question: Question,
  retrievedAt: string,
): RecalledPassage {
  const { title, tags, lastModified, text } = passage;
  const citation = citationOf(passage, question, { index: 0, score: rounded(score), retrievedAt });
  return {
    title,
    tags,
    updatedAt: new Date(lastModified).toISOString(),
    snippet: snippetOf(citation.textSpan),
    text,
    citation,
  };
}

/** One line, ending with a whole word. */
function snippetOf(span: string): string {
  const flat = span.replace(/\s+/g, ' ').trim();
  if (flat.length <= LONGEST_SNIPPET) return flat;
  const cut = flat.slice(0, LONGEST_SNIPPET);
  const space = cut.lastIndexOf(' ');
  const whole = space > LONGEST_SNIPPET / 2 ? cut.slice(0, space) : cut;
  return `${whole.isWellFormed() ? whole : whole.slice(0, -1)}…`;
}

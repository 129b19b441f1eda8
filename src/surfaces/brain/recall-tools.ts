/** `sb_recall` and `search_local_context`: the best passages for a query, page by page. */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { citationOf, rounded } from '../../brain/answer/citations.ts';
import type { RankedPassage, Retriever } from '../../brain/types.ts';
import type { SearchOptions } from '../../notes/searcher.ts';
import { type Question, questionOf } from '../../notes/text/analyzer.ts';
import { AppError } from '../../shared/errors.ts';
import { defineTool, type RecallAnswer, type RecalledPassage, type RecallRequest } from './backend.ts';
import { citation, fitting, onWire, warnings } from './output.ts';
import { cursor, question, scope, scopeOf, whole } from './parameters.ts';

const VERSION = 1;
const HASH_DIGITS = 8;
/** Paging ends here; a better query finds more than a further page. */
const MOST_SHOWN = 200;

function shownKey(chunkHash: string): string {
  return chunkHash.slice(0, HASH_DIGITS);
}

/**
 * The paging cursor; undefined when there is no further page. The order of results may change with the number requested,
 * so a cursor lists the passages shown so far instead of an offset: no passage comes twice and none is skipped. Cursors
 * stay valid across restarts.
 */
function encodeShown(shown: readonly string[], search: unknown): string | undefined {
  if (shown.length >= MOST_SHOWN) return undefined;
  return Buffer.from(`${VERSION} ${digest(search)} ${shown.join('')}`).toString('base64url');
}

function decodeShown(cursor: string | undefined, search: unknown): string[] {
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
  { now, options }: { readonly now: number; readonly options: SearchOptions },
): Promise<RecallAnswer> {
  // One result more than the page tells whether a next page exists; later pages need all candidates.
  const wanted = shown.length === 0 ? limit + 1 : MOST_SHOWN + limit;
  const found = await retriever.retrieve({ query, limit: wanted, mode, scope }, options);
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

/** One line that ends with a whole word. */
function snippetOf(span: string): string {
  const flat = span.replace(/\s+/g, ' ').trim();
  if (flat.length <= LONGEST_SNIPPET) return flat;
  const cut = flat.slice(0, LONGEST_SNIPPET);
  const space = cut.lastIndexOf(' ');
  const whole = space > LONGEST_SNIPPET / 2 ? cut.slice(0, space) : cut;
  return `${whole.isWellFormed() ? whole : whole.slice(0, -1)}…`;
}

export const sbRecall = defineTool({
  name: 'sb_recall',
  title: 'Recall',
  description:
    'Find the passages of the notes that have most to do with a query, best first, each with its text and a citation (path, heading, lines, exact span). Use it to read for yourself; for a ready answer use sb_ask, for one that must be backed by the notes sb_grounded_answer. Example: {"query":"database decision","limit":5,"scope":{"path_prefix":"projects"}}',
  effect: 'read',
  input: () =>
    z.strictObject({
      query: question('Words, a phrase, or a question'),
      limit: whole(1, 50, 10).describe('Passages to return'),
      mode: z
        .enum(['hybrid', 'keyword', 'semantic'])
        .default('hybrid')
        .describe('By words, by meaning, or both; `mode_used` says what was possible'),
      scope: scope(),
      include_text: z.boolean().default(true).describe('Return the whole passages, not only snippets'),
      cursor: cursor(),
    }),
  output: recallOutput,
  async run({ query, limit, mode, scope: given, include_text: withText, cursor: after }, call) {
    const search = { query, mode, scope: scopeOf(given) };
    const shown = decodeShown(after, search);
    const found = await call.backend.recall({ ...search, limit, shown }, call);
    return { value: shownOf(found, { search, shown, withText }) };
  },
});

function recallOutput() {
  return z.object({
    results: z.array(
      z.object({
        rank: z.number(),
        title: z.string(),
        tags: z.array(z.string()),
        updated_at: z.string(),
        snippet: z.string(),
        text: z.string().optional(),
        citation: citation(),
      }),
    ),
    total: z.number(),
    mode_used: z.enum(['hybrid', 'keyword', 'semantic']),
    next_cursor: z.string().optional(),
    warnings: warnings(),
  });
}

interface RecallView {
  /** The search parameters that a cursor is bound to. */
  readonly search: unknown;
  readonly shown: readonly string[];
  readonly withText: boolean;
}

export function shownOf(
  { results, total, hasMore, modeUsed, warnings: said }: RecallAnswer,
  { search, shown: before, withText }: RecallView,
): Record<string, unknown> {
  const ranked = results.map((result, at) => rankedOf(result, before.length + at + 1, withText));
  const shown = fitting(ranked);
  const keys = shown.map(({ citation: { chunkHash } }) => shownKey(chunkHash));
  const goesOn = hasMore || shown.length < ranked.length;
  const nextCursor = goesOn ? encodeShown([...before, ...keys], search) : undefined;
  return onWire({
    results: shown,
    total,
    modeUsed,
    ...(nextCursor !== undefined && { nextCursor }),
    warnings: said,
  });
}

function rankedOf({ text, ...result }: RecalledPassage, rank: number, withText: boolean) {
  return {
    rank,
    ...result,
    citation: { ...result.citation, index: rank },
    text: withText ? text : undefined,
  };
}

export const searchLocalContext = defineTool({
  name: 'search_local_context',
  title: 'Search the local context',
  description:
    'Search all notes, by words and where possible by meaning; best passages first, each with a citation. The plain form of sb_recall, which can also narrow by folder, tag and time. Example: {"query":"heating","limit":5}',
  effect: 'read',
  input: () =>
    z.strictObject({
      query: question('Words, a phrase, or a question'),
      limit: whole(1, 50, 10).describe('Passages to return'),
      cursor: cursor(),
    }),
  output: recallOutput,
  async run({ query, limit, cursor: after }, call) {
    const search = { query, mode: 'hybrid', scope: {} } as const;
    const shown = decodeShown(after, search);
    const found = await call.backend.recall({ ...search, limit, shown }, call);
    return { value: shownOf(found, { search, shown, withText: true }) };
  },
});

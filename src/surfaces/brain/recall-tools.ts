/** `sb_recall` and `search_local_context`: the best passages for a query, page by page. */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { MOST_SHOWN, type RecallRequest } from '../../brain/answer/recall.ts';
import type { SearchOptions } from '../../notes/searcher.ts';
import { shortTitle } from '../../notes/text/characters.ts';
import { AppError } from '../../shared/errors.ts';
import { type BrainBackend, defineTool } from './backend.ts';
import { citation, fitting, lineOf, onWire, type WireValue, warnings } from './output.ts';
import { cursor, question, scope, scopeOf, whole } from './parameters.ts';
import { type NumberedPassage, shownPassages } from './shown-passages.ts';

/** In hexadecimal digits, as all of a cursor. */
const VERSION = '02';
const KEY_DIGITS = 8;

/**
 * The paging cursor; undefined when there is no further page. The order of results may change with the number requested,
 * so a cursor lists the passages shown so far instead of an offset: no passage comes twice and none is skipped. Cursors
 * stay valid across restarts.
 */
function encodeShown(shown: readonly string[], search: unknown): string | undefined {
  if (shown.length >= MOST_SHOWN) return undefined;
  return Buffer.from(VERSION + digest(search) + shown.join(''), 'hex').toString('base64url');
}

function decodeShown(cursor: string | undefined, search: unknown): string[] {
  if (cursor === undefined) return [];
  const digits = Buffer.from(cursor, 'base64url').toString('hex');
  const { 1: version, 2: of, 3: keys = '' } = /^(..)(.{16})(.*)$/.exec(digits) ?? [];
  if (version !== VERSION || keys.length % KEY_DIGITS > 0 || keys.length > MOST_SHOWN * KEY_DIGITS)
    throw invalid('it is not one of this tool');
  if (of !== digest(search)) throw invalid('it belongs to another search');
  return keys.match(/.{8}/g) ?? [];
}

function invalid(problem: string): AppError {
  return new AppError('invalid_input', 'Invalid cursor', {
    subject: problem,
    hint: 'Use next_cursor of the last answer with the same arguments, or leave cursor out to start over.',
    details: { parameter: 'cursor' },
  });
}

function digest(search: unknown): string {
  return createHash('sha256').update(JSON.stringify(search)).digest('hex').slice(0, 16);
}

export const sbRecall = defineTool({
  name: 'sb_recall',
  title: 'Recall',
  description:
    'Find the passages of the notes that have most to do with a query, best first, each with its text, path, heading and lines. Long ones are cut to what fits the query; a smaller limit shows more of each. Use it to read for yourself; for a ready answer use sb_ask, for one that must be backed by the notes sb_grounded_answer. Example: {"query":"database decision","limit":5,"scope":{"path_prefix":"projects"}}',
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
      include_text: z.boolean().default(true).describe('false: only a list of paths and titles'),
      cursor: cursor(),
    }),
  output: recallOutput,
  line: lineOf,
  async run({ query, mode, scope: given, include_text: withText, ...page }, call) {
    const search = { query, mode, scope: scopeOf(given) };
    return { value: await recallPage(call.backend, { ...page, search, withText }, call) };
  },
});

function recallOutput() {
  return z.object({
    results: z.array(
      z.object({
        rank: z.number(),
        title: z.string(),
        tags: z.array(z.string()).optional(),
        updated_at: z.string().optional(),
        snippet: z.string().optional(),
        citation: citation().partial().required({ source_path: true, line_start: true }),
      }),
    ),
    total: z.number(),
    mode_used: z.enum(['hybrid', 'keyword', 'semantic']),
    next_cursor: z.string().optional(),
    warnings: warnings(),
  });
}

interface RecallPage {
  /** The search parameters that a cursor is bound to. */
  readonly search: Pick<RecallRequest, 'query' | 'mode' | 'scope'>;
  readonly limit: number;
  readonly cursor?: string;
  readonly withText?: boolean;
}

/** One page of a search, as its tools answer it. */
export async function recallPage(
  backend: BrainBackend,
  { search, limit, cursor: after, withText = true }: RecallPage,
  options: SearchOptions,
): Promise<WireValue> {
  const before = decodeShown(after, search);
  const found = await backend.recall({ ...search, limit, shown: before }, options);
  const numbered = found.results.map((result, at) => ({
    ...result,
    title: shortTitle(result.title, found.results.length),
    rank: before.length + at + 1,
  }));
  const ranked = withText ? shownPassages(numbered) : numbered.map(listed);
  const results = fitting(ranked);
  const keys = found.results.slice(0, results.length).map((result) => result.citation.chunkHash);
  const goesOn = found.hasMore || results.length < ranked.length;
  const nextCursor = goesOn
    ? encodeShown([...before, ...keys.map((key) => key.slice(0, KEY_DIGITS))], search)
    : undefined;
  const { total, modeUsed } = found;
  return onWire({
    results,
    total,
    modeUsed,
    ...(nextCursor !== undefined && { nextCursor }),
    warnings: found.warnings,
  });
}

function listed({ rank, title, citation: { sourcePath, lineStart } }: NumberedPassage) {
  return { rank, title, citation: { sourcePath, lineStart } };
}

/** The search of `search_local_context`, of the prompt and of the resource template. */
export function plainSearch(query: string): RecallPage['search'] {
  return { query, mode: 'hybrid', scope: {} };
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
  line: lineOf,
  run: async ({ query, ...page }, call) => ({
    value: await recallPage(call.backend, { ...page, search: plainSearch(query) }, call),
  }),
});

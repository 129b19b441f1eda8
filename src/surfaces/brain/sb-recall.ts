import * as z from 'zod';
import { defineTool, type RecallAnswer, type RecalledPassage } from './backend.ts';
import { citation, fitting, onWire, warnings } from './citations.ts';
import { cursor, question, scope, scopeOf, whole } from './parameters.ts';
import { decodeShown, encodeShown, shownKey } from './recall.ts';

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

export function recallOutput() {
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
  /** What a cursor belongs to. */
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

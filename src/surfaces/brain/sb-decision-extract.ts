import * as z from 'zod';
import { type DecisionsRequest, defineTool } from './backend.ts';
import { citation, omitted, outputOf, warnings } from './citations.ts';
import { day, exactlyOne, givenText, question, sourcePath, whole } from './parameters.ts';

const ONE = exactlyOne('text', 'source_path', 'query');

export const decision = () =>
  z.object({
    id: z.string(),
    title: z.string(),
    decision: z.string(),
    status: z.enum(['proposed', 'accepted', 'rejected', 'deprecated', 'superseded', 'unknown']),
    date: z.string().nullable(),
    deciders: z.array(z.string()),
    rationale: z.string().nullable(),
    alternatives: z.array(z.string()),
    consequences: z.array(z.string()),
    supersedes: z.string().optional(),
    method: z.string(),
    confidence: z.number(),
    citation: citation(),
  });

export const sbDecisionExtract = defineTool({
  name: 'sb_decision_extract',
  title: 'Decisions',
  description:
    'What was decided, by whom, when and why: from decision records, markers such as DECISION:, and sentences such as "we agreed to". From one note (source_path), from a text, or from the notes that a query finds. Example: {"query":"database","since":"2026-01-01"}',
  effect: 'read',
  input: () =>
    z
      .strictObject({
        text: givenText().optional().describe('A text to look through'),
        source_path: sourcePath().optional(),
        query: question('Looks through the notes that fit it').optional(),
        since: day().optional().describe('Only decisions of this day or later'),
        limit: whole(1, 100, 20).describe('Decisions to return'),
        include_low_confidence: z.boolean().default(false).describe('Also what may be none'),
      })
      .refine(ONE.check, ONE.message),
  output: () =>
    z.object({ decisions: z.array(decision()), warnings: warnings().optional(), omitted: omitted() }),
  async run({ source_path: path, include_low_confidence: includeLowConfidence, ...given }, call) {
    const request = {
      ...given,
      sourcePath: path,
      includeLowConfidence,
    } as DecisionsRequest;
    const answer = await call.backend.decisions(request, call);
    return outputOf(answer, ['decisions'], 'Narrow it with since or a more exact query.');
  },
});

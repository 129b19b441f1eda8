import * as z from 'zod';
import { defineTool } from './backend.ts';
import { citation, omitted, outputOf, warnings } from './citations.ts';
import { question, scope, scopeOf, whole } from './parameters.ts';
import { callOptions } from './sampling.ts';

export const sbAsk = defineTool({
  name: 'sb_ask',
  title: 'Ask the notes',
  description:
    'Answer a question from the notes in a few sentences, with numbered citations. Without a configured model it quotes the best sentences; sentences without support are marked. For an answer with nothing beyond the notes, use sb_grounded_answer; to read passages yourself, sb_recall. Example: {"question":"When does the lease end?"}',
  effect: 'read',
  input: () =>
    z.strictObject({
      question: question('In words, as a person would ask it'),
      top_k: whole(1, 50, 8).describe('Passages to answer from'),
      scope: scope(),
      mode: z
        .enum(['auto', 'extractive', 'generate'])
        .default('auto')
        .describe(
          'auto: a model if there is one; extractive: sentences of the notes only; generate: a model',
        ),
    }),
  output: () =>
    z.object({
      answer: z.string(),
      mode_used: z.enum(['extractive', 'provider', 'sampling']),
      insufficient_evidence: z.boolean(),
      confidence: z.number(),
      citations: z.array(citation()),
      model: z.string().optional(),
      warnings: warnings(),
      omitted: omitted(),
    }),
  async run({ question: asked, top_k: topK, scope: given, mode }, call) {
    const request = { question: asked, topK, scope: scopeOf(given), mode };
    const answer = await call.backend.ask(request, callOptions(call));
    return outputOf(answer, ['citations'], 'Ask with a smaller top_k.');
  },
});

export const sbGroundedAnswer = defineTool({
  name: 'sb_grounded_answer',
  title: 'Grounded answer',
  description:
    'Answer a question only as far as the notes back it: every claim carries citations, what has none is dropped, and a question the notes cannot answer gives answer null with refused_reason (no_evidence, below_threshold, conflict). Do not fill the gap yourself. For a quick answer use sb_ask. Example: {"question":"Who signed the contract?","min_support":0.6}',
  effect: 'read',
  input: () =>
    z.strictObject({
      question: question('In words, as a person would ask it'),
      top_k: whole(1, 50, 8).describe('Passages to answer from'),
      min_support: z
        .number()
        .min(0, 'must be at least 0')
        .max(1, 'at most 1')
        .default(0.45)
        .describe('How well the notes must carry a claim'),
      scope: scope(),
    }),
  output: () =>
    z.object({
      grounded: z.boolean(),
      answer: z.string().nullable(),
      claims: z.array(z.object({ text: z.string(), citations: z.array(z.number()), support: z.number() })),
      dropped_claims: z.number(),
      refused_reason: z.enum(['no_evidence', 'below_threshold', 'conflict']).optional(),
      citations: z.array(citation()),
      trajectory_id: z.string(),
      warnings: warnings().optional(),
      omitted: omitted(),
    }),
  async run({ question: asked, top_k: topK, min_support: minSupport, scope: given }, call) {
    const request = { question: asked, topK, minSupport, scope: scopeOf(given) };
    const answer = await call.backend.groundedAnswer(request, callOptions(call));
    return outputOf(answer, ['claims', 'citations'], 'Ask with a smaller top_k.');
  },
});

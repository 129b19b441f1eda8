import * as z from 'zod';
import { PACK_PARTS } from '../../brain/pack/types.ts';
import { defineTool } from './backend.ts';
import { citation, lineOf, onWire } from './output.ts';
import { question, scope, scopeOf, whole } from './parameters.ts';

const entries = () => z.array(z.record(z.string(), z.unknown()));

export const sbPack = defineTool({
  name: 'sb_pack',
  title: 'Context pack',
  description:
    'Gather what the notes hold for a task into one pack within a token budget: facts, earlier decisions, open loops, preferences, each with its source. No model is used; the same notes give the same pack. Use it at the start of a longer task; for one question use sb_ask. Example: {"intent":"plan the move to the new office","token_budget":2000}',
  effect: 'read',
  input: () =>
    z.strictObject({
      intent: question('What is to be done'),
      token_budget: whole(200, 32_000, 4_000).describe('For the whole pack, at four characters a token'),
      include: z
        .array(z.enum(PACK_PARTS))
        .min(1, 'must name at least one part')
        .max(PACK_PARTS.length)
        .default([...PACK_PARTS])
        .describe('Which parts'),
      scope: scope(),
      format: z.enum(['json', 'markdown']).default('json').describe('Of the text; the structure is the same'),
    }),
  output: () =>
    z.object({
      schema_version: z.literal('context_pack.v2'),
      pack_id: z.string(),
      created_at: z.string(),
      intent: z.string(),
      constraints: z.array(z.unknown()),
      preferences: entries(),
      relevant_facts: z.array(
        z.object({
          path: z.string(),
          anchor: z.string(),
          text: z.string(),
          score: z.number(),
          citation: z.number(),
        }),
      ),
      prior_decisions: entries(),
      open_loops: entries(),
      suggested_plan: z.array(z.string()),
      allowed_actions: z.array(z.string()),
      policy_controls: z.record(z.string(), z.unknown()),
      budget_report: z.object({
        budget: z.number(),
        used: z.number(),
        dropped: z.number(),
        below_floor: z.number(),
        estimator: z.literal('chars/4'),
      }),
      citations: z.array(citation()),
    }),
  line: lineOf,
  async run({ intent, token_budget: tokenBudget, include, scope: given, format }, call) {
    const request = { intent, tokenBudget, include, scope: scopeOf(given), format };
    const { pack, text } = await call.backend.pack(request, call);
    return { value: onWire(pack), text };
  },
});

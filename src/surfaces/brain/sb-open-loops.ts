import * as z from 'zod';
import { PAGE_CHARACTERS } from '../shared/paging.ts';
import { defineTool } from './backend.ts';
import { citation, onWire, type WireValue, warnings } from './citations.ts';
import { cursor, day, scope, scopeOf, whole } from './parameters.ts';

const KINDS = ['task', 'todo', 'openloop', 'question', 'waiting_for', 'follow_up'] as const;

export const sbOpenLoops = defineTool({
  name: 'sb_open_loops',
  title: 'Open loops',
  description:
    'What is still to be done, in all notes: tasks, TODO and other markers, open questions, what somebody waits for, follow-ups; overdue first, then by due day, priority and age. Narrow by scope, kind, owner or due day. For the actions of one meeting use sb_meeting_extract. Example: {"due_before":"2026-12-01","kinds":["task","follow_up"]}',
  effect: 'read',
  input: () =>
    z.strictObject({
      scope: scope(),
      kinds: z
        .array(z.enum(KINDS))
        .min(1, 'must name at least one')
        .max(KINDS.length)
        .optional()
        .describe('All when left out'),
      owner: z
        .string()
        .max(200)
        .regex(/\S/, 'must not be empty')
        .optional()
        .describe('Only those of this person'),
      due_before: day().optional().describe('Only those due before this day'),
      status: z.enum(['open', 'done', 'all']).default('open').describe('Which of them'),
      limit: whole(1, 200, 50).describe('Loops to return'),
      cursor: cursor(),
    }),
  output: () =>
    z.object({
      loops: z.array(
        z.object({
          id: z.string(),
          kind: z.enum(KINDS),
          text: z.string(),
          status: z.string(),
          owner: z.string().nullable(),
          due: z.string().nullable(),
          due_ambiguous: z.boolean(),
          scheduled: z.string().nullable(),
          priority: z.string().nullable(),
          tags: z.array(z.string()),
          overdue: z.boolean(),
          age_days: z.number(),
          confidence: z.number(),
          citation: citation(),
        }),
      ),
      counts: z.object({ by_kind: z.record(z.string(), z.number()), overdue: z.number() }),
      next_cursor: z.string().optional(),
      warnings: warnings(),
    }),
  async run({ scope: given, kinds, owner, due_before: dueBefore, status, limit, cursor: after }, call) {
    const request = {
      scope: scopeOf(given),
      status,
      kinds,
      owner,
      dueBefore,
      cursor: after,
    };
    return {
      value: await fittingPage(limit, (most) => call.backend.openLoops({ ...request, limit: most }, call)),
    };
  },
});

/** Fewer where they would be too long; `next_cursor` then goes on behind them. */
async function fittingPage(limit: number, ask: (most: number) => Promise<object>): Promise<WireValue> {
  const answer = onWire(await ask(limit));
  const characters = JSON.stringify(answer).length;
  if (characters <= PAGE_CHARACTERS || limit === 1) return answer;
  return fittingPage(Math.max(1, Math.floor(((limit * PAGE_CHARACTERS) / characters) * 0.8)), ask);
}

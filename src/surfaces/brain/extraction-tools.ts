import * as z from 'zod';
import { LOOP_KINDS } from '../../brain/extract/types.ts';
import { PAGE_CHARACTERS } from '../shared/parameters.ts';
import { defineTool } from './backend.ts';
import { citation, lineOf, omitted, onWire, outputOf, type WireValue, warnings } from './output.ts';
import {
  cursor,
  day,
  exactlyOne,
  givenText,
  question,
  scope,
  scopeOf,
  sourcePath,
  whole,
} from './parameters.ts';

const ONE_DECISION = exactlyOne('text', 'source_path', 'query');

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
      .refine(ONE_DECISION.check, ONE_DECISION.message),
  output: () =>
    z.object({ decisions: z.array(decision()), warnings: warnings().optional(), omitted: omitted() }),
  line: lineOf,
  async run({ source_path: path, include_low_confidence: includeLowConfidence, ...given }, call) {
    const answer = await call.backend.decisions({ ...given, sourcePath: path, includeLowConfidence }, call);
    return outputOf(answer, ['decisions'], 'Narrow it with since or a more exact query.');
  },
});

const ONE_MEETING = exactlyOne('text', 'source_path');
const LISTS = [
  'action_items',
  'decisions',
  'risks',
  'questions',
  'follow_ups',
  'agenda',
  'notes_summary',
] as const;

const remarks = () => z.array(z.object({ text: z.string(), confidence: z.number(), citation: citation() }));

export const sbMeetingExtract = defineTool({
  name: 'sb_meeting_extract',
  title: 'Meeting notes',
  description:
    'Who was at a meeting, what was decided, who does what until when, risks, open questions and follow-ups, from its note (source_path) or from a text such as a transcript. Days such as "Friday" count from the day of the meeting. For open tasks in all notes use sb_open_loops. Example: {"source_path":"meetings/2026-11-12.md"}',
  effect: 'read',
  input: () =>
    z
      .strictObject({
        text: givenText().optional().describe('Notes or a transcript'),
        source_path: sourcePath().optional(),
        reference_date: day().optional().describe('The day of the meeting, where the text does not say it'),
        dates: z.enum(['mdy', 'dmy']).optional().describe('How 3/4/2026 is meant'),
      })
      .refine(ONE_MEETING.check, ONE_MEETING.message),
  output: () =>
    z.object({
      meeting: z.object({
        title: z.string(),
        date: z.string().nullable(),
        start: z.string().nullable(),
        end: z.string().nullable(),
        attendees: z.array(z.string()),
        absent: z.array(z.string()),
      }),
      agenda: remarks(),
      notes_summary: remarks(),
      decisions: z.array(decision()),
      action_items: z.array(
        z.object({
          text: z.string(),
          owner: z.string().nullable(),
          owner_text: z.string().nullable(),
          due: z.string().nullable(),
          due_text: z.string().nullable(),
          due_ambiguous: z.boolean(),
          status: z.string(),
          confidence: z.number(),
          citation: citation(),
        }),
      ),
      risks: remarks(),
      questions: remarks(),
      follow_ups: remarks(),
      warnings: warnings().optional(),
      omitted: omitted(),
    }),
  line: lineOf,
  async run({ source_path: path, reference_date: referenceDate, ...given }, call) {
    const answer = await call.backend.meeting({ ...given, sourcePath: path, referenceDate }, call);
    return outputOf(answer, LISTS, 'Give the parts of the text one at a time.');
  },
});

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
        .array(z.enum(LOOP_KINDS))
        .min(1, 'must name at least one')
        .max(LOOP_KINDS.length)
        .optional()
        .describe('All when left out'),
      owner: z
        .string()
        .max(200)
        .refine((name) => /\S/.test(name), 'must not be empty')
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
          kind: z.enum(LOOP_KINDS),
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
  line: lineOf,
  async run({ scope: given, kinds, owner, due_before: dueBefore, status, limit, cursor: after }, call) {
    // The order matters: a cursor holds a hash of the filters.
    const request = { scope: scopeOf(given), status, owner, dueBefore, cursor: after, kinds };
    return {
      value: await fittingPage(limit, (most) => call.backend.openLoops({ ...request, limit: most }, call)),
    };
  },
});

/** Asks for smaller pages until one fits; `next_cursor` continues after it. */
async function fittingPage(limit: number, ask: (most: number) => Promise<object>): Promise<WireValue> {
  const answer = onWire(await ask(limit));
  const characters = JSON.stringify(answer).length;
  if (characters <= PAGE_CHARACTERS || limit === 1) return answer;
  return fittingPage(Math.max(1, Math.floor(((limit * PAGE_CHARACTERS) / characters) * 0.8)), ask);
}

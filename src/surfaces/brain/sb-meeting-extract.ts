import * as z from 'zod';
import { defineTool, type MeetingRequest } from './backend.ts';
import { citation, omitted, outputOf, warnings } from './citations.ts';
import { day, exactlyOne, givenText, sourcePath } from './parameters.ts';
import { decision } from './sb-decision-extract.ts';

const ONE = exactlyOne('text', 'source_path');
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
      .refine(ONE.check, ONE.message),
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
  async run({ source_path: path, reference_date: referenceDate, ...given }, call) {
    const request = {
      ...given,
      sourcePath: path,
      referenceDate,
    } as MeetingRequest;
    const answer = await call.backend.meeting(request, call);
    return outputOf(answer, LISTS, 'Give the parts of the text one at a time.');
  },
});

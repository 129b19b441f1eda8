/** Extracts decisions from a text, a note, or the notes that a query finds; and meetings from a text or a note. */

import type { SearchOptions } from '../../../notes/searcher.ts';
import { createYielder } from '../../../shared/async/time-slices.ts';
import { AppError } from '../../../shared/errors.ts';
import type { Library, SourceNote } from '../../types.ts';
import { dayOfTime, isDay } from '../dates/calendar.ts';
import { decisionsIn, meetingIn } from '../extract.ts';
import type { DateOrder, Decision, MeetingNotes } from '../types.ts';
import { SLICE_MS, sliced } from './library-scan.ts';

const MAX_TEXT = 1_048_576;

function assertOneOf(given: Readonly<Record<string, unknown>>): void {
  const names = Object.keys(given);
  const there = names.filter((name) => given[name] !== undefined);
  if (there.length === 1) return;
  throw new AppError('invalid_input', 'Invalid arguments', {
    subject:
      there.length === 0
        ? `none of ${names.join(', ')} is given`
        : `${there.join(' and ')} are given at once`,
    hint: `Give exactly one of ${names.join(', ')}.`,
  });
}

function assertDay(name: string, day: string | undefined): void {
  if (day === undefined || isDay(day)) return;
  throw new AppError('invalid_input', 'Invalid arguments', {
    subject: `${name} is "${day.slice(0, 40)}"`,
    hint: 'Write the day as 2026-12-31.',
  });
}

function assertSize(text: string | undefined): void {
  if (text === undefined || text.length <= MAX_TEXT) return;
  throw new AppError('invalid_input', 'Text too long', {
    subject: `${text.length} characters`,
    hint: `Give at most ${MAX_TEXT} characters, or add the text as a note and name its path.`,
    reason: 'too_large',
  });
}

export interface DecisionsRequest {
  readonly text?: string;
  readonly sourcePath?: string;
  readonly query?: string;
  /** `2026-01-01`: only decisions of that day and later; without a day, the note's last change counts. */
  readonly since?: string;
  readonly limit?: number;
  readonly includeLowConfidence?: boolean;
}

interface Decisions {
  readonly decisions: readonly Decision[];
  /** Number of matching decisions, returned or not. */
  readonly total: number;
}

interface DecisionsContext {
  readonly library: Library;
  /** The notes that answer a query, best first. */
  readonly retrieve: (
    query: string,
    limit: number,
    options?: SearchOptions,
  ) => Promise<readonly SourceNote[]>;
  readonly options?: SearchOptions;
}

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 200;
const NOTES_OF_QUERY = 30;

export async function extractDecisions(
  request: DecisionsRequest,
  context: DecisionsContext,
): Promise<Decisions> {
  const { text, sourcePath, query, since, limit = DEFAULT_LIMIT } = request;
  assertOneOf({ text, source_path: sourcePath, query });
  assertDay('since', since);
  assertSize(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT)
    throw new AppError('invalid_input', 'Invalid arguments', {
      subject: `limit is ${limit}`,
      hint: `Give a whole number from 1 to ${MAX_LIMIT}.`,
    });
  const run = sliced(createYielder(SLICE_MS), context.options?.signal);
  const found: Decision[] = [];
  for (const note of await notesFor(request, context)) {
    context.options?.signal?.throwIfAborted();
    const fileDay = note.lastModified === undefined ? undefined : dayOfTime(note.lastModified);
    const decisions = await decisionsIn(
      note.text,
      { ...note, includeLowConfidence: request.includeLowConfidence ?? false },
      run,
    );
    found.push(...decisions.filter(({ date }) => since === undefined || (date ?? fileDay ?? '') >= since));
  }
  return { decisions: found.slice(0, limit), total: found.length };
}

type TextSource = Pick<SourceNote, 'text'> & Partial<SourceNote>;

async function notesFor(
  { text, sourcePath, query }: DecisionsRequest,
  { library, retrieve, options }: DecisionsContext,
): Promise<readonly TextSource[]> {
  if (text !== undefined) return [{ text }];
  if (sourcePath !== undefined) return [await library.read(sourcePath, options)];
  return retrieve(query ?? '', NOTES_OF_QUERY, options);
}

export interface MeetingRequest {
  readonly text?: string;
  readonly sourcePath?: string;
  /** `2026-11-16`; relative dates are resolved against it. Default: the note's own day, else its last change. */
  readonly referenceDate?: string;
  readonly dates?: DateOrder;
}

export async function extractMeeting(
  request: MeetingRequest,
  { library, options }: { readonly library: Library; readonly options?: SearchOptions },
): Promise<MeetingNotes> {
  const { text, sourcePath, referenceDate, dates } = request;
  assertOneOf({ text, source_path: sourcePath });
  assertDay('reference_date', referenceDate);
  assertSize(text);
  const note = sourcePath === undefined ? { text: text ?? '' } : await library.read(sourcePath, options);
  const run = sliced(createYielder(SLICE_MS), options?.signal);
  return meetingIn(note.text, { ...note, referenceDate, dates }, run);
}

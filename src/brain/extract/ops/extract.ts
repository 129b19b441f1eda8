/**
 * Rule-based extraction from one text (no model, no state, deterministic), and the operations on it: decisions of a text,
 * a note, or the notes that a query finds; meetings of a text or a note.
 */

import type { SearchOptions } from '../../../notes/searcher.ts';
import { createYielder } from '../../../shared/async/time-slices.ts';
import { AppError } from '../../../shared/errors.ts';
import type { Library, SourceNote } from '../../types.ts';
import { dayOfTime } from '../dates/calendar.ts';
import { decisionsOf } from '../decisions/decisions.ts';
import { meetingOf } from '../meetings/meeting.ts';
import { type RunSlices, readNote, withoutPause } from '../note-facts.ts';
import {
  type DateOrder,
  type Decision,
  type ExtractOptions,
  LEAST_CONFIDENCE,
  type MeetingNotes,
} from '../types.ts';
import { assertDay, assertLimit, invalidArgument } from './arguments.ts';
import { SLICE_MS, sliced } from './library-scan.ts';

interface ExtractRequest extends ExtractOptions {
  readonly includeLowConfidence?: boolean;
}

export async function decisionsIn(
  text: string,
  wanted: ExtractRequest = {},
  run: RunSlices = withoutPause,
): Promise<Decision[]> {
  const found = await run(decisionsOf(await readNote(text, wanted, run)));
  return wanted.includeLowConfidence
    ? found
    : found.filter(({ confidence }) => confidence >= LEAST_CONFIDENCE);
}

export async function meetingIn(
  text: string,
  wanted: ExtractRequest = {},
  run: RunSlices = withoutPause,
): Promise<MeetingNotes> {
  return run(meetingOf(await readNote(text, wanted, run)));
}

const MAX_TEXT = 1_048_576;

function assertOneOf(given: Readonly<Record<string, unknown>>): void {
  const names = Object.keys(given);
  const there = names.filter((name) => given[name] !== undefined);
  if (there.length === 1) return;
  throw invalidArgument(
    there.length === 0 ? `none of ${names.join(', ')} is given` : `${there.join(' and ')} are given at once`,
    `Give exactly one of ${names.join(', ')}.`,
  );
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
  assertLimit(limit, MAX_LIMIT);
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

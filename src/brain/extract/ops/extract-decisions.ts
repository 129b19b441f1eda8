/** Decisions from a text, a note, or the notes that answer a query. */

import type { SearchOptions } from '../../../notes/searcher.ts';
import { createYielder } from '../../../shared/async/time-slices.ts';
import { AppError } from '../../../shared/errors.ts';
import type { Library, SourceNote } from '../../types.ts';
import { dayOfTime, isDay } from '../dates/calendar.ts';
import { decisionsIn, meetingIn } from '../extract.ts';
import type { DateOrder, Decision, MeetingNotes } from '../types.ts';
import { runInTurns, TURN_MS } from './library-scan.ts';

/** What an extraction is asked for: exactly one of several ways to name a text. */

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

interface DecisionsRequest {
  readonly text?: string;
  readonly sourcePath?: string;
  readonly query?: string;
  /** `2026-01-01`: decisions of that day and later; one without a day counts as of its note's last change. */
  readonly since?: string;
  readonly limit?: number;
  readonly includeLowConfidence?: boolean;
}

interface Decisions {
  readonly decisions: readonly Decision[];
  /** All that match, shown or not. */
  readonly total: number;
}

interface DecisionsSetting {
  readonly library: Library;
  /** The notes that answer a query, best first. */
  readonly retrieve: (query: string, limit: number, asking?: SearchOptions) => Promise<readonly SourceNote[]>;
  readonly asking?: SearchOptions;
}

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 200;
const NOTES_OF_QUERY = 30;

export async function extractDecisions(
  request: DecisionsRequest,
  setting: DecisionsSetting,
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
  const run = runInTurns(createYielder(TURN_MS), setting.asking?.signal);
  const found: Decision[] = [];
  for (const note of await notesFor(request, setting)) {
    setting.asking?.signal?.throwIfAborted();
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
  { library, retrieve, asking }: DecisionsSetting,
): Promise<readonly TextSource[]> {
  if (text !== undefined) return [{ text }];
  if (sourcePath !== undefined) return [await library.read(sourcePath, asking)];
  return retrieve(query ?? '', NOTES_OF_QUERY, asking);
}

/** A meeting from a text or a note. */

interface MeetingRequest {
  readonly text?: string;
  readonly sourcePath?: string;
  /** `2026-11-16`: relative dates are counted from it. Default: the note's own day, else that of its last change. */
  readonly referenceDate?: string;
  readonly dates?: DateOrder;
}

export async function extractMeeting(
  request: MeetingRequest,
  { library, asking }: { readonly library: Library; readonly asking?: SearchOptions },
): Promise<MeetingNotes> {
  const { text, sourcePath, referenceDate, dates } = request;
  assertOneOf({ text, source_path: sourcePath });
  assertDay('reference_date', referenceDate);
  assertSize(text);
  const note = sourcePath === undefined ? { text: text ?? '' } : await library.read(sourcePath, asking);
  const wanted = {
    ...note,
    referenceDate,
    dates,
  };
  return meetingIn(note.text, wanted, runInTurns(createYielder(TURN_MS), asking?.signal));
}

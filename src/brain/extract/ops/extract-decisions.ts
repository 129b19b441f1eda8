/** Decisions from a text, a note, or the notes that answer a query. */
import type { Asking } from '../../../notes/searcher.ts';
import { AppError } from '../../../shared/errors.ts';
import { turnsOf } from '../../../shared/turns.ts';
import type { Library, SourceNote } from '../../types.ts';
import { dayOfTime } from '../dates/calendar.ts';
import { decisionsIn } from '../extract.ts';
import type { Decision } from '../types.ts';
import { assertDay, assertOneOf, assertSize } from './given.ts';
import { runInTurns, TURN_MS } from './run-in-turns.ts';

export interface DecisionsRequest {
  readonly text?: string;
  readonly sourcePath?: string;
  readonly query?: string;
  /** `2026-01-01`: decisions of that day and later; one without a day counts as of its note's last change. */
  readonly since?: string;
  readonly limit?: number;
  readonly includeLowConfidence?: boolean;
}

export interface Decisions {
  readonly decisions: readonly Decision[];
  /** All that match, shown or not. */
  readonly total: number;
}

export interface DecisionsSetting {
  readonly library: Library;
  /** The notes that answer a query, best first. */
  readonly retrieve: (query: string, limit: number, asking?: Asking) => Promise<readonly SourceNote[]>;
  readonly asking?: Asking;
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
  const run = runInTurns(turnsOf(TURN_MS), setting.asking?.signal);
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

type Given = Pick<SourceNote, 'text'> & Partial<SourceNote>;

async function notesFor(
  { text, sourcePath, query }: DecisionsRequest,
  { library, retrieve, asking }: DecisionsSetting,
): Promise<readonly Given[]> {
  if (text !== undefined) return [{ text }];
  if (sourcePath !== undefined) return [await library.read(sourcePath, asking)];
  return retrieve(query ?? '', NOTES_OF_QUERY, asking);
}

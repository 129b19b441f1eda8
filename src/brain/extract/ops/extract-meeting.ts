/** A meeting from a text or a note. */
import type { Asking } from '../../../notes/searcher.ts';
import { turnsOf } from '../../../shared/turns.ts';
import type { Library } from '../../types.ts';
import { meetingIn } from '../extract.ts';
import type { DateOrder, MeetingNotes } from '../types.ts';
import { assertDay, assertOneOf, assertSize } from './given.ts';
import { runInTurns, TURN_MS } from './run-in-turns.ts';

export interface MeetingRequest {
  readonly text?: string;
  readonly sourcePath?: string;
  /** `2026-11-16`: relative dates are counted from it. Default: the note's own day, else that of its last change. */
  readonly referenceDate?: string;
  readonly dates?: DateOrder;
}

export async function extractMeeting(
  request: MeetingRequest,
  { library, asking }: { readonly library: Library; readonly asking?: Asking },
): Promise<MeetingNotes> {
  const { text, sourcePath, referenceDate, dates } = request;
  assertOneOf({ text, source_path: sourcePath });
  assertDay('reference_date', referenceDate);
  assertSize(text);
  const note = sourcePath === undefined ? { text: text ?? '' } : await library.read(sourcePath, asking);
  const wanted = {
    ...note,
    ...(referenceDate !== undefined && { referenceDate }),
    ...(dates !== undefined && { dates }),
  };
  return meetingIn(note.text, wanted, runInTurns(turnsOf(TURN_MS), asking?.signal));
}

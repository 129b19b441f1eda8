/** Rule-based extraction from one text: no model, no state, deterministic. */
import { decisionsOf } from './decisions/decisions.ts';
import { loopsOf } from './loops/loops.ts';
import { meetingOf } from './meetings/meeting.ts';
import { type RunSlices, readNote, withoutPause } from './note-facts.ts';
import {
  type Decision,
  type ExtractOptions,
  LEAST_CONFIDENCE,
  type Loop,
  type MeetingNotes,
} from './types.ts';

interface ExtractRequest extends ExtractOptions {
  readonly includeLowConfidence?: boolean;
}

export async function openLoopsIn(
  text: string,
  wanted: ExtractRequest = {},
  run: RunSlices = withoutPause,
): Promise<Loop[]> {
  return sure(await run(loopsOf(await readNote(text, wanted, run))), wanted);
}

export async function decisionsIn(
  text: string,
  wanted: ExtractRequest = {},
  run: RunSlices = withoutPause,
): Promise<Decision[]> {
  return sure(await run(decisionsOf(await readNote(text, wanted, run))), wanted);
}

export async function meetingIn(
  text: string,
  wanted: ExtractRequest = {},
  run: RunSlices = withoutPause,
): Promise<MeetingNotes> {
  return run(meetingOf(await readNote(text, wanted, run)));
}

function sure<Found extends { readonly confidence: number }>(
  found: Found[],
  wanted: ExtractRequest,
): Found[] {
  return wanted.includeLowConfidence
    ? found
    : found.filter(({ confidence }) => confidence >= LEAST_CONFIDENCE);
}

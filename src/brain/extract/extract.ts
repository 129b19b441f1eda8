/** Extraction from one text, by rules: no model, nothing kept, the same answer for the same text. */
import { atOnce } from '../../shared/steps.ts';
import { decisionsOf } from './decisions/decisions.ts';
import { loopsOf } from './loops/loops.ts';
import { meetingOf } from './meetings/meeting.ts';
import { readNote } from './note-facts.ts';
import { type Decision, LEAST_CONFIDENCE, type Loop, type MeetingNotes, type Reading } from './types.ts';

export interface Wanted extends Reading {
  readonly includeLowConfidence?: boolean;
}

export async function openLoopsIn(text: string, wanted: Wanted = {}): Promise<Loop[]> {
  return sure(atOnce(loopsOf(await readNote(text, wanted))), wanted);
}

export async function decisionsIn(text: string, wanted: Wanted = {}): Promise<Decision[]> {
  return sure(atOnce(decisionsOf(await readNote(text, wanted))), wanted);
}

export async function meetingIn(text: string, wanted: Wanted = {}): Promise<MeetingNotes> {
  return meetingOf(await readNote(text, wanted));
}

function sure<Found extends { readonly confidence: number }>(found: Found[], wanted: Wanted): Found[] {
  return wanted.includeLowConfidence
    ? found
    : found.filter(({ confidence }) => confidence >= LEAST_CONFIDENCE);
}

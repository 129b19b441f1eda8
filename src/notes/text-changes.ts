/** A text changed in several places at once: all of the changes or none, each on what the ones before it left. */
import { AppError } from '../shared/errors.ts';
import { closestHint, findText, linesOfSpans, replaceSpans } from './edit.ts';

export interface TextChange {
  /** Stands in the text once. Empty to put the new text before everything. */
  readonly oldString: string;
  readonly newString: string;
}

export function applyChanges(text: string, changes: readonly TextChange[]): string {
  return changes.reduce((before, change, at) => applyChange(before, change, at), text);
}

function applyChange(text: string, change: TextChange, at: number): string {
  const { oldString, newString } = change;
  if (oldString === '') return newString + text;
  const spans = findText(text, oldString, { overlapping: true });
  const shown = JSON.stringify(oldString.slice(0, 100)).slice(1, -1);
  const subject = `changes[${at}].old_string "${shown}${oldString.length > 100 ? '…' : ''}"`;
  if (spans.length === 0)
    throw new AppError('invalid_input', 'The text to replace is not there', {
      subject,
      reason: 'text_not_found',
      hint: `${closestHint(text, oldString) ?? 'Nothing like it is there.'} Read the stored text again and copy from it; nothing was changed.`,
    });
  if (spans.length > 1)
    throw new AppError('invalid_input', 'The text to replace is there several times', {
      subject,
      reason: 'text_not_unique',
      hint: `It is in ${linesOfSpans(text, spans)}. Give more of the text around the one you mean; nothing was changed.`,
    });
  return replaceSpans(text, spans, change);
}

/** What an extraction is asked for: exactly one of several ways to name a text. */
import { AppError } from '../../../shared/errors.ts';
import { isDay } from '../dates/calendar.ts';

const MAX_TEXT = 1_048_576;

export function assertOneOf(given: Readonly<Record<string, unknown>>): void {
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

export function assertDay(name: string, day: string | undefined): void {
  if (day === undefined || isDay(day)) return;
  throw new AppError('invalid_input', 'Invalid arguments', {
    subject: `${name} is "${day.slice(0, 40)}"`,
    hint: 'Write the day as 2026-12-31.',
  });
}

export function assertSize(text: string | undefined): void {
  if (text === undefined || text.length <= MAX_TEXT) return;
  throw new AppError('invalid_input', 'Text too long', {
    subject: `${text.length} characters`,
    hint: `Give at most ${MAX_TEXT} characters, or add the text as a note and name its path.`,
    reason: 'too_large',
  });
}

/** Checks of arguments that several operations share. */
import { AppError } from '../../../shared/errors.ts';
import { isDay } from '../dates/calendar.ts';

export function invalidArgument(subject: string, hint: string): AppError {
  return new AppError('invalid_input', 'Invalid arguments', { subject, hint });
}

export function assertDay(name: string, day: string | undefined): void {
  if (day === undefined || isDay(day)) return;
  throw invalidArgument(`${name} is "${day.slice(0, 40)}"`, 'Write the day as 2026-12-31.');
}

export function assertLimit(limit: number, most: number): void {
  if (Number.isInteger(limit) && limit >= 1 && limit <= most) return;
  throw invalidArgument(`limit is ${limit}`, `Give a whole number from 1 to ${most}.`);
}

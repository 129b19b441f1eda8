/** Periods that a note is kept for, and the day that somebody means by `yesterday` or `+1`. */
import { AppError } from '../../shared/errors.ts';
import { isDay } from '../task-fields.ts';

export const PERIODS = ['day', 'week', 'month', 'quarter', 'year'] as const;
export type Period = (typeof PERIODS)[number];

const DAY_MS = 86_400_000;

/** A date whose UTC fields are those of the clock here. */
export function wallClock(time: number): Date {
  const now = new Date(time);
  return new Date(
    Date.UTC(
      now.getFullYear(),
      now.getMonth(),
      now.getDate(),
      now.getHours(),
      now.getMinutes(),
      now.getSeconds(),
    ),
  );
}

/** Keeps the time of day; of a shorter month the last day is taken. */
export function shifted(date: Date, count: number, period: Period): Date {
  if (period === 'day' || period === 'week')
    return new Date(date.getTime() + count * (period === 'week' ? 7 : 1) * DAY_MS);
  const months = count * { month: 1, quarter: 3, year: 12 }[period];
  const first = new Date(date);
  first.setUTCDate(1);
  first.setUTCMonth(first.getUTCMonth() + months);
  const last = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate();
  first.setUTCDate(Math.min(date.getUTCDate(), last));
  return first;
}

/** The first day of a period; `dow` is the day that weeks begin with. Keeps the time of day. */
export function startOf(date: Date, period: Period, dow: number): Date {
  if (period === 'day') return date;
  if (period === 'week') return shifted(date, -((date.getUTCDay() + 7 - dow) % 7), 'day');
  const first = new Date(date);
  const month = first.getUTCMonth();
  first.setUTCMonth({ month, quarter: month - (month % 3), year: 0 }[period], 1);
  return first;
}

const WORDS: Readonly<Record<string, number>> = { today: 0, yesterday: -1, tomorrow: 1 };

/** Whether a text means a day: `2026-12-01`, `today`, `yesterday`, `tomorrow`, or a number of periods such as `-1`. */
export function isDateWord(text: string): boolean {
  return text in WORDS || /^[+-]?\d{1,4}$/.test(text) || isDay(text);
}

export function dateMeant(text: string, period: Period, now: Date): Date {
  const days = WORDS[text];
  if (days !== undefined) return shifted(now, days, 'day');
  if (/^[+-]?\d{1,4}$/.test(text)) return shifted(now, Number(text), period);
  if (!isDay(text)) throw new AppError('invalid_input', 'date is no day of the calendar');
  return new Date(Date.parse(`${text}T00:00:00Z`) + (now.getTime() % DAY_MS));
}

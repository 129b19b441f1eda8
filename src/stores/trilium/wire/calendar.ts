/** Journal notes: asking for one makes it, so nothing here is asked twice. Dates are not looked at; see calendar-dates.ts. */
import { readNote } from './read.ts';
import type { Transport } from './transport.ts';
import type { CallOptions, TriliumNote } from './types.ts';

type Ask = (date: string, options?: CallOptions) => Promise<TriliumNote>;

export interface CalendarApi {
  readonly inbox: Ask;
  readonly day: Ask;
  readonly weekFirstDay: Ask;
  readonly week: Ask;
  readonly month: Ask;
  readonly year: Ask;
}

export function calendarApi({ json }: Transport): CalendarApi {
  const asking =
    (path: readonly string[], since?: { version: string; what: string }): Ask =>
    (date, options) =>
      json({ ...options, path: [...path, date], isRead: false, ...(since && { since }) }, readNote);
  return {
    inbox: asking(['inbox']),
    day: asking(['calendar', 'days']),
    weekFirstDay: asking(['calendar', 'week-first-day'], {
      version: '0.93',
      what: 'The first day of a week',
    }),
    week: asking(['calendar', 'weeks']),
    month: asking(['calendar', 'months']),
    year: asking(['calendar', 'years']),
  };
}
